import './timeline.css';
import './sets.css';
import type { ApplicationRollout, ApplicationSet } from '#base/model';
import { Link } from '../kit/link.tsx';
import { pathOf, placeOf } from '../shape/address.ts';
import { isRolling, laneTally, type RolloutLane, rolloutLanes } from '../shape/set-rollout.ts';

const most = 60; // cards of a lane; the rest, which is finished, becomes a number

/** The steps of a progressive sync as lanes, each application with its state and what the set says of it. */
export function RolloutView({ set }: { set: ApplicationSet }) {
  if (!isRolling(set)) {
    return <p className="none-left">The set has no steps: it updates all its applications at once.</p>;
  }
  const lanes = rolloutLanes(set);
  if (lanes.length === 0) return <p className="none-left">The rollout has no steps, so nothing is synced.</p>;
  const isIdle = lanes.every(({ entries }) => entries.length === 0);
  return (
    <div className="timeline">
      <p className="timeline-message">{isIdle ? idle : explained}</p>
      {lanes.map((lane) => (
        <Lane key={lane.title} lane={lane} namespace={placeOf(set).namespace} isIdle={isIdle} />
      ))}
    </div>
  );
}

// compat sources ASY-9: that specs do not wait surprises users
const explained =
  'The set writes the spec of every application at once. Only the syncs wait for their step, and the set starts them in place of auto-sync.';
const idle =
  'No application is in a step yet. Steps have an effect only with applicationsetcontroller.enable.progressive.syncs: "true" in argocd-cmd-params-cm.';

const states = { done: 'complete', current: 'now', blocked: 'waits' };

function Lane({ lane, namespace, isIdle }: { lane: RolloutLane; namespace: string; isIdle: boolean }) {
  const { title, selects, state, entries, step } = lane;
  const shown = entries.slice(0, most);
  return (
    <section className="lane rollout-lane" aria-label={title}>
      <div>
        <h2>
          {title}
          {step !== undefined && !isIdle && <span className={`lane-state ${state}`}>{states[state]}</span>}
        </h2>
        <small>{selects}</small>
        <small>{laneTally(lane)}</small>
      </div>
      <ul className="lane-cards">
        {shown.map((entry) => (
          <li key={entry.application}>
            <Card entry={entry} namespace={namespace} />
          </li>
        ))}
        {entries.length > shown.length && <li className="faint">and {entries.length - shown.length} more</li>}
      </ul>
    </section>
  );
}

const bars = { Waiting: 'waiting', Pending: 'running', Progressing: 'running', Healthy: 'done' } as const;

function Card({ entry, namespace }: { entry: ApplicationRollout; namespace: string }) {
  const { application, status, message } = entry;
  const bar = bars[status] ?? 'waiting';
  return (
    <Link to={pathOf({ namespace, name: application })} className={`step ${bar}`} title={message}>
      <i className={`bar ${bar}`} aria-hidden="true" />
      <b className="cut">{application}</b>
      <small>
        {status}
        {message && status !== 'Healthy' && `: ${message}`}
      </small>
    </Link>
  );
}
