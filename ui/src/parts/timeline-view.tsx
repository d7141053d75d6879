import './timeline.css';
import { type Application, keyFrom, keyOf, parseTime, type ResourceKey } from '#base/model';
import { type AppRef, useManifests } from '../data/use-application.ts';
import { Link } from '../kit/link.tsx';
import { useAddress } from '../kit/location.ts';
import { useNow } from '../kit/use-now.ts';
import { viewPath } from '../shape/address.ts';
import { type BarTimes, barTimes, stretchOf, timeOf } from '../shape/bar-times.ts';
import { messageOf } from '../shape/failing-sync.ts';
import {
  type Bar,
  isRunning,
  type PhaseColumn,
  type PhaseLane,
  stageName,
  timelineOf,
} from '../shape/operation-timeline.ts';
import { chosenOperation, pastOperations } from '../shape/past-operations.ts';
import { type TreeItem, walkForest } from '../shape/resource-forest.ts';
import { OperationPicker, PastOperationView } from './past-operation.tsx';

type TimelineProps = { app: Application; items: readonly TreeItem[]; place: AppRef; now: number };

/** The last operation, or a chosen one of the history. */
export function TimelineView({ app, items, place, now }: TimelineProps) {
  const past = pastOperations(app);
  const chosen = chosenOperation(past, useAddress().query);
  return (
    <div className="timeline">
      <OperationPicker past={past} chosen={chosen} now={now} />
      {chosen ? (
        <PastOperationView key={chosen.id} app={app} place={place} operation={chosen} now={now} />
      ) : (
        <LastOperation app={app} items={items} place={place} now={now} />
      )}
    </div>
  );
}

/** Phases as lanes, waves as columns, each resource a bar with its state and its time. */
function LastOperation({ app, items, place, now }: TimelineProps) {
  const state = app.status?.operationState;
  const seconds = useNow(isRunning(state) ? 1000 : 60_000);
  const timeFor = useBarTimes(app, items, place);
  if (!state) return <p className="none-left">Nothing has been synced yet, so there is nothing to draw.</p>;
  const timeline = timelineOf(state, app.status?.resources);
  const { lanes, blocker } = timeline;
  if (lanes.length === 0) {
    return (
      <p className="none-left">{messageOf(state, now) || 'The operation has not touched a resource yet.'}</p>
    );
  }
  const began = parseTime(state.startedAt);
  const ended = parseTime(state.finishedAt);
  const run = { now: Math.max(now, seconds), ended, ...(began !== undefined && { began }) };
  const hasNews = state.message && !blocker && state.message !== allDone;
  return (
    <>
      {hasNews && <p className="timeline-message">{messageOf(state, now)}</p>}
      {blocker && (
        <p className="waiting-note tone-busy">
          Now: {stageName(timeline, blocker)} waits for {namesOf(blocker.bars)}.
        </p>
      )}
      {lanes.map((lane) => (
        <LaneRow
          key={lane.phase}
          lane={lane}
          link={(key) => viewPath(place, 'timeline', key)}
          time={(bar) => ({
            text: timeOf(bar, timeFor(bar), run),
            stretch: bar.state === 'waiting' ? undefined : stretchOf(timeFor(bar), run),
          })}
        />
      ))}
      <p className="faint">
        An operation records no time for each resource. Times are those of the cluster: when it created a
        resource, and when a hook ended. What existed before, or is gone again, has none.
      </p>
    </>
  );
}

/** What is known of when each bar began and ended: hooks have their end in the live object. */
function useBarTimes(app: Application, items: readonly TreeItem[], place: AppRef): (bar: Bar) => BarTimes {
  const state = app.status?.operationState;
  const known = new Map([...walkForest(items)].map((item) => [item.key, item]));
  const hooks = (state?.syncResult?.resources ?? []).flatMap((one) => {
    const item = one.hookType && known.get(keyFrom(one));
    return item?.resourceVersion ? [item] : [];
  });
  const live = new Map(useManifests(place, hooks).map((object) => [keyOf(object), object]));
  return ({ key }) => (state ? barTimes(state, known.get(key), live.get(key)) : {});
}

type LinkTo = (key: ResourceKey) => string;
type BarTime = { text: string; stretch: { left: number; width: number } | undefined };
type TimeOf = (bar: Bar) => BarTime;
const namesOf = (bars: readonly Bar[]): string => bars.map(({ kind, name }) => `${kind} ${name}`).join(', ');

function LaneRow({ lane: { phase, columns }, link, time }: { lane: PhaseLane; link: LinkTo; time: TimeOf }) {
  return (
    <section className="lane" aria-label={phase}>
      <h2>{phase}</h2>
      <div className="lane-columns">
        {columns.map((column) => (
          <WaveColumn
            key={column.wave}
            column={column}
            link={link}
            time={time}
            isOnly={columns.length === 1}
          />
        ))}
      </div>
    </section>
  );
}

type ColumnProps = { column: PhaseColumn; link: LinkTo; time: TimeOf; isOnly: boolean };

function WaveColumn({ column, link, time, isOnly }: ColumnProps) {
  return (
    <div className="wave">
      {!isOnly && <h3>Wave {column.wave}</h3>}
      <ul>
        {column.bars.map((bar) => (
          <li key={bar.key}>
            <Step bar={bar} to={link(bar.key)} time={time(bar)} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** One resource: a bar from its creation to its end in the time of the whole, as far as the cluster recorded both. */
function Step({ bar, to, time: { text, stretch } }: { bar: Bar; to: string; time: BarTime }) {
  return (
    <Link to={to} className={`step ${bar.state}`} title={bar.message}>
      <span className={stretch ? 'track' : undefined} aria-hidden="true">
        <i
          className={`bar ${bar.state}`}
          style={stretch && { marginLeft: `${stretch.left}%`, width: `${stretch.width}%` }}
        />
      </span>
      <span className="cut">
        <b>{bar.name}</b> <span className="faint">{bar.kind}</span>
      </span>
      <span className="step-words">
        <small className="cut">{saying(bar)}</small>
        <small className="step-time">{text}</small>
      </span>
    </Link>
  );
}

/** The engine's words for a success of everything, which the strip above has shown. */
const allDone = 'synced: every task was run';

function saying({ word, message, waitsFor, state }: Bar): string {
  if (waitsFor) return `waits for ${waitsFor}`;
  return message && (state === 'failed' || state === 'running') ? `${word}: ${message}` : word;
}
