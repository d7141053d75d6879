import './tiles.css';
import { type RefObject, useRef } from 'react';
import { type Application, qualifiedName } from '#base/model';
import { Link } from '../kit/link.tsx';
import { useMatch } from '../kit/use-match.ts';
import { useVisibleRows } from '../kit/use-visible-rows.ts';
import { pathOf, placeOf } from '../shape/address.ts';
import { clusterOf, type Group, namespaceOf } from '../shape/application-filter.ts';
import { attentionOf } from '../shape/attention.ts';
import { doingNow } from '../shape/doing-now.ts';
import { healthOf, stripOf, syncOf } from '../shape/fleet.ts';
import { revisionOf, shortRevision } from '../shape/revision.ts';
import { toneOfHealth } from '../shape/state.ts';
import { heightOf, rowsWithin, tileRowsOf } from '../shape/tile-rows.ts';
import { HealthState, SyncState } from './mark.tsx';

const unit = 40;

/** The applications as tiles by group: the state first, then what it is doing. Rows out of view are not drawn. */
export function ApplicationTiles({ groups, now }: { groups: readonly Group[]; now: number }) {
  const list = useRef<HTMLDivElement>(null);
  const perRow = useMatch('(max-width: 960px)') ? 1 : 3;
  const rows = tileRowsOf(groups, perRow);
  const units = heightOf(rows);
  const seen = useVisibleRows(list as RefObject<HTMLElement | null>, units, unit);
  const drawn = rowsWithin(rows, seen);
  const [first, last] = [drawn[0]?.top ?? 0, heightOf(drawn)];
  return (
    <div ref={list} style={{ paddingTop: first * unit, paddingBottom: (units - last) * unit }}>
      {drawn.map((row) =>
        'group' in row ? (
          <h2 key={row.top} className="tile-group">
            {row.group.name} <span className="faint">{row.group.apps.length}</span>
          </h2>
        ) : (
          <div key={row.top} className="tiles">
            {row.apps.map((app) => (
              <Tile key={qualifiedName(app)} app={app} now={now} />
            ))}
          </div>
        ),
      )}
    </div>
  );
}

function Tile({ app, now }: { app: Application; now: number }) {
  const doing = doingNow(app, now);
  const revision = revisionOf(app);
  return (
    <article className={`tile tone-${toneOfHealth(healthOf(app))}${attentionOf(app) ? ' pressing' : ''}`}>
      <h3 className="cut">
        <Link to={pathOf(placeOf(app))} className="name" data-open>
          {app.metadata.name}
        </Link>
      </h3>
      <p className="tile-states">
        <HealthState status={healthOf(app)} size={14} /> <SyncState status={syncOf(app)} size={14} />
      </p>
      <p
        className={`tile-doing${doing.tone ? ` tone-${doing.tone} doing` : ''}`}
        title={[doing.text, doing.detail].filter(Boolean).join(', ')}
      >
        {doing.text}
      </p>
      <p className="cut faint">
        {clusterOf(app)} / {namespaceOf(app)} {revision && <code>{shortRevision(revision)}</code>}
      </p>
    </article>
  );
}

/** The groups as cards of counts: where the trouble is, at a glance. */
export function ApplicationSummary({ groups }: { groups: readonly Group[] }) {
  return (
    <div className="tiles summary-tiles">
      {groups.map(({ name, apps }) => {
        const { health, sync } = stripOf(apps);
        return (
          <article key={name} className="tile">
            <h3 className="cut">{name || 'All applications'}</h3>
            <p className="faint">{apps.length} in all</p>
            <div className="strip-bar">
              {health.map(({ code, count }) => (
                <i key={code} className={`tone-${toneOfHealth(code)}`} style={{ flexGrow: count }} />
              ))}
            </div>
            <ul className="tile-counts">
              {health.map(({ code, count }) => (
                <li key={code}>
                  <HealthState status={code} size={14} /> <b>{count}</b>
                </li>
              ))}
              {sync.map(({ code, count }) => (
                <li key={code}>
                  <SyncState status={code} size={14} /> <b>{count}</b>
                </li>
              ))}
            </ul>
          </article>
        );
      })}
    </div>
  );
}
