import './tiles.css';
import { type RefObject, useRef } from 'react';
import { type Application, qualifiedName } from '#base/model';
import { Link } from '../kit/link.tsx';
import { useVisibleRows } from '../kit/use-visible-rows.ts';
import { pathOf, placeOf } from '../shape/address.ts';
import { clusterOf, type Group, namespaceOf } from '../shape/application-filter.ts';
import { attentionOf } from '../shape/attention.ts';
import { doingNow } from '../shape/doing-now.ts';
import { healthOf, stripOf, syncOf } from '../shape/fleet.ts';
import { revisionOf, shortRevision } from '../shape/revision.ts';
import { toneOfHealth } from '../shape/state.ts';
import { HealthState, SyncState } from './mark.tsx';

const perRow = 3;
const height = 132;

/** The applications as tiles: the state first, then what it is doing. Rows out of view are not drawn. */
export function ApplicationTiles({ groups, now }: { groups: readonly Group[]; now: number }) {
  const grid = useRef<HTMLDivElement>(null);
  const apps = groups.flatMap((group) => group.apps);
  const rows = Math.ceil(apps.length / perRow);
  const { first, last } = useVisibleRows(grid as RefObject<HTMLElement | null>, rows, height + 12);
  return (
    <div
      ref={grid}
      className="tiles"
      style={{ paddingTop: first * (height + 12), paddingBottom: Math.max(0, rows - last) * (height + 12) }}
    >
      {apps.slice(first * perRow, last * perRow).map((app) => (
        <Tile key={qualifiedName(app)} app={app} now={now} />
      ))}
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
      <p className={`cut${doing.tone ? ` tone-${doing.tone} doing` : ''}`} title={doing.text}>
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
