import { memo } from 'react';
import { type Application, projectName, qualifiedName } from '#base/model';
import { toggleFavourite } from '../data/preferences.ts';
import { Icon } from '../kit/icon.tsx';
import { Link } from '../kit/link.tsx';
import { pathOf, placeOf } from '../shape/address.ts';
import { clusterOf, namespaceOf } from '../shape/application-filter.ts';
import { doingNow } from '../shape/doing-now.ts';
import { healthOf, syncOf } from '../shape/fleet.ts';
import { revisionOf } from '../shape/revision.ts';
import { HealthState, SyncState } from './mark.tsx';
import { RevisionLabel } from './revision-label.tsx';

export type RowMarks = {
  readonly isChosen: boolean;
  readonly isStarred: boolean;
  /** There is room for a name and one column. */
  readonly isPhone: boolean;
  onChoose(key: string): void;
};

/** The cells of one application. Drawn again only when it changed, or time has. */
export const ApplicationRow = memo(function ApplicationRow({
  app,
  now,
  isChosen,
  isStarred,
  isPhone,
  onChoose,
}: RowMarks & { app: Application; now: number }) {
  const doing = doingNow(app, now);
  const key = qualifiedName(app);
  const revision = revisionOf(app);
  const isWide = doing.tone === 'bad' && !revision; // a cause has the room of what is not known
  return (
    <>
      <th scope="row" className="cut">
        <div className="row-name">
          <span className="cut">
            <Link to={pathOf(placeOf(app))} className="name" data-open>
              {app.metadata.name}
            </Link>
            {doing.tone === 'bad' && (
              <small className="row-cause cut tone-bad doing" aria-hidden="true">
                {doing.text}
              </small>
            )}
          </span>
          <span className={isChosen || isStarred ? 'row-choose kept' : 'row-choose'}>
            <input
              type="checkbox"
              aria-label={`Choose ${app.metadata.name}`}
              checked={isChosen}
              onChange={() => onChoose(key)}
            />
            <button
              type="button"
              className="star"
              aria-label={`Favourite ${app.metadata.name}`}
              aria-pressed={isStarred}
              onClick={() => toggleFavourite(key)}
            >
              <Icon name="star" size={14} />
            </button>
          </span>
        </div>
      </th>
      <td className="cut">{projectName(app)}</td>
      <td>
        <SyncState status={syncOf(app)} />
      </td>
      <td>
        <HealthState status={healthOf(app)} />
        {isPhone && <SyncState status={syncOf(app)} />}
      </td>
      <td
        colSpan={isWide ? 2 : undefined}
        className={`cut doing${doing.tone ? ` tone-${doing.tone}` : ''}`}
        title={[doing.text, doing.detail].filter(Boolean).join(', ')}
      >
        {doing.progress !== undefined && <Progress share={doing.progress} />}
        <span>{doing.text}</span>
      </td>
      <td className="cut" hidden={isWide}>
        <RevisionLabel app={app} revision={revision} now={now} />
      </td>
      <td className="cut">
        {clusterOf(app)}
        <span className="faint"> / {namespaceOf(app)}</span>
      </td>
    </>
  );
});

/** A ring that fills. The text beside it has the same information. */
function Progress({ share }: { share: number }) {
  return (
    <svg className="progress" width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
      <circle cx="7" cy="7" r="5.5" className="pale" />
      <circle cx="7" cy="7" r="5.5" pathLength="100" strokeDasharray={`${Math.max(4, share * 100)} 100`} />
    </svg>
  );
}
