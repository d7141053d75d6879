import './panel.css';
import type { ReactNode } from 'react';
import type { AppRef } from '../data/use-application.ts';
import { Link } from '../kit/link.tsx';
import { viewPath } from '../shape/address.ts';
import { sinceWords } from '../shape/health-since.ts';
import { isWebAddress, type TreeItem } from '../shape/resource-forest.ts';
import { ago, fullTime } from '../shape/time.ts';
import { DeepLinks } from './deep-links.tsx';
import { HealthState, SyncState } from './mark.tsx';
import { useHealthSince } from './use-health-since.ts';

/** All facts of the tree about one resource, as text. */
export function ResourceSummary({ item, place, now }: { item: TreeItem; place: AppRef; now: number }) {
  const since = useHealthSince(item, place);
  return (
    <div className="summary">
      {item.message && (
        <p className={`summary-message${item.health === 'Degraded' ? ' tone-bad' : ''}`}>{item.message}</p>
      )}
      <dl className="summary-facts">
        {item.health && (
          <Row label="Health">
            <HealthState status={item.health} />
            {since && (
              <span className="faint" title={fullTime(since.at)}>
                {sinceWords(since, now)}
              </span>
            )}
          </Row>
        )}
        {item.sync && (
          <Row label="Sync">
            <SyncState status={item.sync} />
            {item.isPrunable && (
              <span className="faint">
                {item.isKept
                  ? ' no longer in Git, kept by Prune=false'
                  : ' gone from Git; a sync with prune deletes it'}
              </span>
            )}
          </Row>
        )}
        <Row label="Kind">
          {item.kind}
          <span className="faint"> {[item.group || 'core', item.version].filter(Boolean).join('/')}</span>
        </Row>
        {item.createdAt !== undefined && (
          <Row label="Created">
            <span title={fullTime(item.createdAt)}>{ago(item.createdAt, now)}</span>
          </Row>
        )}
        {item.sync && <Row label="Wave">{item.isHook ? `${item.wave}, as a hook` : item.wave}</Row>}
        {item.info.map(({ name, value }) => (
          <Row key={name} label={name}>
            <Linked text={value} />
          </Row>
        ))}
        {item.urls.map((url) => (
          <Row key={url} label="Address">
            <Linked text={url} />
          </Row>
        ))}
        {item.images.map((image) => (
          <Row key={image} label="Image">
            <code>{image}</code>
          </Row>
        ))}
      </dl>
      <DeepLinks place={place} resource={item.key} />
      {item.children.length > 0 && <Owned item={item} place={place} />}
    </div>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Linked({ text }: { text: string }) {
  if (!isWebAddress(text)) return <>{text}</>;
  return (
    <a href={text} target="_blank" rel="noreferrer" className="textlink">
      {text}
    </a>
  );
}

function Owned({ item, place }: { item: TreeItem; place: AppRef }) {
  return (
    <section className="owned">
      <h3>Owns</h3>
      <ul>
        {item.children.slice(0, 30).map((child) => (
          <li key={child.key}>
            <Link to={viewPath(place, 'tree', child.key)} className="cut">
              <b>{child.name}</b> <span className="faint">{child.kind}</span>
            </Link>
            {child.health && <HealthState status={child.health} size={14} />}
          </li>
        ))}
      </ul>
      {item.children.length > 30 && <p className="faint">and {item.children.length - 30} more</p>}
    </section>
  );
}
