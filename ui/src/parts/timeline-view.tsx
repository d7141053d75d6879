import './timeline.css';
import type { Application, ResourceKey } from '#base/model';
import type { AppRef } from '../data/use-application.ts';
import { Link } from '../kit/link.tsx';
import { viewPath } from '../shape/address.ts';
import { type Bar, type Column, type Lane, stageName, timelineOf } from '../shape/operation-timeline.ts';

/** Phases as lanes, waves as columns, each resource a bar with its state. */
export function TimelineView({ app, place }: { app: Application; place: AppRef }) {
  const state = app.status?.operationState;
  if (!state) return <p className="none-left">Nothing has been synced yet, so there is nothing to draw.</p>;
  const timeline = timelineOf(state, app.status?.resources);
  const { lanes, blocker } = timeline;
  if (lanes.length === 0) {
    return <p className="none-left">{state.message || 'The operation has not touched a resource yet.'}</p>;
  }
  return (
    <div className="timeline">
      {state.message && !blocker && <p className="timeline-message">{state.message}</p>}
      {blocker && (
        <p className="waiting-note tone-busy">
          Now: {stageName(timeline, blocker)} waits for {namesOf(blocker.bars)}.
        </p>
      )}
      {lanes.map((lane) => (
        <LaneRow key={lane.phase} lane={lane} link={(key) => viewPath(place, 'timeline', key)} />
      ))}
    </div>
  );
}

type LinkTo = (key: ResourceKey) => string;
const namesOf = (bars: readonly Bar[]): string => bars.map(({ kind, name }) => `${kind} ${name}`).join(', ');

function LaneRow({ lane: { phase, columns }, link }: { lane: Lane; link: LinkTo }) {
  return (
    <section className="lane" aria-label={phase}>
      <h2>{phase}</h2>
      <div className="lane-columns">
        {columns.map((column) => (
          <WaveColumn key={column.wave} column={column} link={link} isOnly={columns.length === 1} />
        ))}
      </div>
    </section>
  );
}

function WaveColumn({ column, link, isOnly }: { column: Column; link: LinkTo; isOnly: boolean }) {
  return (
    <div className="wave">
      {!isOnly && <h3>Wave {column.wave}</h3>}
      <ul>
        {column.bars.map((bar) => (
          <li key={bar.key}>
            <Link to={link(bar.key)} className={`step ${bar.state}`} title={bar.message}>
              <i className={`bar ${bar.state}`} aria-hidden="true" />
              <span className="cut">
                <b>{bar.name}</b> <span className="faint">{bar.kind}</span>
              </span>
              <small className="cut">{saying(bar)}</small>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function saying({ word, message, waitsFor, state }: Bar): string {
  if (waitsFor) return `waits for ${waitsFor}`;
  return message && (state === 'failed' || state === 'running') ? `${word}: ${message}` : word;
}
