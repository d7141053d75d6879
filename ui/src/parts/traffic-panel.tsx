import './rollout-panel.css';
import './traffic-panel.css';
import { type ReactNode, useState } from 'react';
import type { TrafficService } from '#serve/api';
import type { AppRef } from '../data/use-application.ts';
import { useTraffic } from '../data/use-traffic.ts';
import { Link } from '../kit/link.tsx';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { viewPath } from '../shape/address.ts';
import { type TrafficLine, trafficLines, trafficSentence } from '../shape/knative-traffic.ts';
import { isWebAddress, type TreeItem, walkForest } from '../shape/resource-forest.ts';
import { HealthMark } from './mark.tsx';
import { TrafficActions, TrafficOverride } from './traffic-actions.tsx';

type Props = {
  place: AppRef;
  item: TreeItem;
  /** The commit that was compared. */
  revision: string;
  now: number;
};

const most = 20; // Revisions, the newest; what has traffic is always there

/** A Knative Service: where its requests go, what owns the split, and its Revisions. It is fetched again when the tree moves. */
export function TrafficPanel({ place, item, revision, now }: Props) {
  const items = revisionsOf(item);
  const [changes, setChanges] = useState(0);
  const ref = { ...place, service: item.name, serviceNamespace: item.namespace };
  const versions = [item, ...items].map(({ resourceVersion }) => resourceVersion).join(' ');
  const { data: service, error } = useTraffic(ref, `${changes} ${revision} ${versions}`);
  if (!service && error) return <Problem title="The traffic cannot be shown" message={error.message} />;
  if (service === null)
    return <p className="none-left">Git does not declare this Service: the tree has its shares.</p>;
  if (!service) return <Skeleton label="Loading the traffic" rows={5} />;
  const onDone = () => setChanges((count) => count + 1);
  const lines = trafficLines(service, now).filter(({ percent }, at) => at < most || percent > 0);
  return (
    <div className="rollout">
      <Standing service={service}>
        <TrafficActions service={service} place={place} onDone={onDone} />
      </Standing>
      <TrafficOverride service={service} place={place} now={now} onDone={onDone} />
      <Shares lines={lines} />
      <Revisions lines={lines} items={items} place={place} />
    </div>
  );
}

const revisionsOf = (item: TreeItem): TreeItem[] =>
  [...walkForest([item])].filter(({ kind, group }) => kind === 'Revision' && group === item.group);

function Standing({ service, children }: { service: TrafficService; children: ReactNode }) {
  const { ready, observed, rollout, url, ownerText } = service;
  const health = rollout || !observed ? 'Progressing' : ready ? 'Healthy' : 'Degraded';
  return (
    <>
      <p className="rollout-sentence">
        <HealthMark status={health} size={18} /> {trafficSentence(service)}
      </p>
      {children}
      <dl className="summary-facts">
        <div>
          <dt>Owner of the split</dt>
          <dd>{ownerText}</dd>
        </div>
        {url && isWebAddress(url) && (
          <div>
            <dt>Address</dt>
            <dd>
              <a href={url} target="_blank" rel="noreferrer" className="textlink">
                {url}
              </a>
            </dd>
          </div>
        )}
      </dl>
    </>
  );
}

function Shares({ lines }: { lines: readonly TrafficLine[] }) {
  const shown = lines.filter(({ percent }) => percent > 0);
  if (shown.length === 0) return null;
  const words = shown.map(({ name, percent }) => `${name} ${percent} percent`).join(', ');
  return (
    <div className="share-bar" role="img" aria-label={`Shares: ${words}`}>
      {shown.map(({ name, percent }, at) => (
        <i
          key={name}
          className={`share ${at === 0 && shown.length > 1 ? 'new' : 'old'}`}
          style={{ flexGrow: percent }}
          title={`${name} ${percent}%`}
        />
      ))}
    </div>
  );
}

type RevisionsProps = { lines: readonly TrafficLine[]; items: readonly TreeItem[]; place: AppRef };

function Revisions({ lines, items, place }: RevisionsProps) {
  const keyOf = (name: string) => items.find((one) => one.name === name)?.key;
  return (
    <section aria-label="Revisions">
      <h3>Revisions</h3>
      {lines.length === 0 && <p className="faint">It has no revision yet.</p>}
      <ul className="traffic-revisions">
        {lines.map((line) => (
          <li key={line.name}>
            <HealthMark status={line.health} size={14} />
            <div>
              <p>
                <Link to={viewPath(place, 'tree', keyOf(line.name))}>
                  <b>{line.name}</b>
                </Link>
                {line.words.map((word) => (
                  <span key={word} className="role-tag">
                    {word}
                  </span>
                ))}
              </p>
              <p className="faint">
                {[readyWords[line.health], line.image, line.age].filter(Boolean).join(', ')}
              </p>
              {line.message && <p className="analysis-message">{line.message}</p>}
              <Tags line={line} />
            </div>
            <span className="traffic-share">
              <b>{line.percent}%</b>
              {line.wanted !== undefined && <small>declared {line.wanted}%</small>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const readyWords: Readonly<Record<string, string>> = {
  Healthy: 'ready',
  Degraded: 'not ready',
  Progressing: 'becoming ready',
};

function Tags({ line: { tags } }: { line: TrafficLine }) {
  return tags.map(({ tag, url }) => (
    <p key={tag} className="cut">
      tag{' '}
      {url ? (
        <a href={url} target="_blank" rel="noreferrer" className="textlink" title={url}>
          {tag}
        </a>
      ) : (
        tag
      )}
    </p>
  ));
}
