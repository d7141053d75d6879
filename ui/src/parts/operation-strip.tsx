import './timeline.css';
import { type Application, type OperationState, parseTime } from '#base/model';
import { terminateOperation } from '../data/application-actions.ts';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import type { AppRef } from '../data/use-application.ts';
import { useWhyNot } from '../data/use-may.ts';
import { Button } from '../kit/button.tsx';
import { Link } from '../kit/link.tsx';
import { useNow } from '../kit/use-now.ts';
import { viewPath } from '../shape/address.ts';
import { groupBars } from '../shape/bar-groups.ts';
import { isUnderway } from '../shape/failing-sync.ts';
import { headlineOf } from '../shape/operation-headline.ts';
import { type PhaseColumn, type PhaseLane, progressOf, timelineOf } from '../shape/operation-timeline.ts';
import { applicationObject } from '../shape/rights.ts';

/** The running or the last operation in one strip: its state, and every resource as a small bar. */
export function OperationStrip({ app, place }: { app: Application; place: AppRef }) {
  const state = app.status?.operationState;
  if (!state) return null;
  return <Strip app={app} place={place} state={state} />;
}

function Strip({ app, place, state }: { app: Application; place: AppRef; state: OperationState }) {
  const now = useNow(isUnderway(state) ? 1000 : 30_000);
  const timeline = timelineOf(state, app.status?.resources);
  const { title, tone, facts } = headlineOf(state, now);
  const started = parseTime(state.startedAt);
  return (
    <section className="operation" aria-label="Operation">
      <header>
        <Link to={viewPath(place, 'timeline')} className={`operation-title tone-${tone}`}>
          {title}
        </Link>
        <span className="faint cut" title={started ? new Date(started).toLocaleString() : undefined}>
          {facts.join(' · ')}
        </span>
        <span className="operation-count">{progressOf(timeline)}</span>
        {isUnderway(state) && (
          <Terminate app={app} place={place} isStopping={state.phase === 'Terminating'} />
        )}
      </header>
      {timeline.lanes.length > 0 && (
        <div className="bars">
          {timeline.lanes.map((lane) => (
            <LaneBars key={lane.phase} lane={lane} />
          ))}
        </div>
      )}
    </section>
  );
}

function LaneBars({ lane: { phase, columns } }: { lane: PhaseLane }) {
  return columns.map((column) => (
    <div key={`${phase} ${column.wave}`} className="bar-group" style={{ flexGrow: column.bars.length }}>
      <div className="bar-row">
        {groupBars(column.bars).map(({ key, state, count, title }) => (
          <i key={key} className={`bar ${state}`} style={{ flexGrow: count }} title={title} />
        ))}
      </div>
      <small className="cut">{groupName(phase, column, columns.length)}</small>
    </div>
  ));
}

function groupName(phase: string, { wave }: PhaseColumn, waves: number): string {
  return waves > 1 ? `${phase === 'Sync' ? '' : `${phase} `}Wave ${wave}` : phase;
}

function Terminate({ app, place, isStopping }: { app: Application; place: AppRef; isStopping: boolean }) {
  const send = useSend();
  const forbidden = useWhyNot({ resource: 'applications', action: 'sync', object: applicationObject(app) });
  const { run, isRunning: isTerminating, error } = useAction(() => terminateOperation(send, place));
  const why = isStopping || isTerminating ? 'It is being stopped.' : forbidden;
  return (
    <>
      {error && (
        <span className="complaint" role="alert">
          {error}
        </span>
      )}
      <Button icon="stop" className="small" why={why} hint="Stop after what runs now" onClick={() => run()}>
        Terminate
      </Button>
    </>
  );
}
