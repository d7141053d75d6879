import './pods.css';
import type { Application } from '#base/model';
import type { AppRef } from '../data/use-application.ts';
import { useEvents } from '../data/use-resource.ts';
import { type Activity, activityOf, type Stint } from '../shape/activity.ts';
import { clockTime } from '../shape/time.ts';

/** Syncs, drift and health over time; the words of each stretch are on it, and in the list of events. */
export function ActivityPlot({ app, place, now }: { app: Application; place: AppRef; now: number }) {
  const { data } = useEvents(place, undefined, app.metadata.resourceVersion ?? '');
  const activity = data && activityOf(app, data, now);
  if (!activity) return null;
  return (
    <section className="activity" aria-label="Activity">
      <Lane label="Health" stints={activity.health} now={now} />
      <Lane label="Sync" stints={activity.sync} now={now} />
      <Syncs activity={activity} now={now} />
      <p className="activity-ends faint">
        <small>{clockTime(activity.from, now)}</small>
        <small>now</small>
      </p>
    </section>
  );
}

function Lane({ label, stints, now }: { label: string; stints: readonly Stint[]; now: number }) {
  const words = stints.map(({ state, from }) => `${state} since ${clockTime(from, now)}`).join(', ');
  return (
    <div className="activity-lane">
      <small>{label}</small>
      <div className="activity-track" role="img" aria-label={`${label}: ${words || 'unknown'}`}>
        {stints.map(({ from, to, state, tone }) => (
          <i
            key={from}
            className={`stint tone-${tone}`}
            style={{ flexGrow: to - from }}
            title={`${state} from ${clockTime(from, now)} to ${clockTime(to, now)}`}
          >
            <span>{state}</span>
          </i>
        ))}
      </div>
    </div>
  );
}

function Syncs({ activity: { from, to, syncs }, now }: { activity: Activity; now: number }) {
  const span = Math.max(1, to - from);
  return (
    <div className="activity-lane">
      <small>Syncs</small>
      <div className="activity-track" role="img" aria-label={`${syncs.length} syncs`}>
        {syncs.map(({ at, text, tone }, index) => (
          <i
            // biome-ignore lint/suspicious/noArrayIndexKey: two syncs may end in the same second
            key={index}
            className={`tick tone-${tone}`}
            style={{ left: `${Math.min(99, Math.max(1, ((at - from) / span) * 100))}%` }}
            title={`${clockTime(at, now)}: ${text}`}
          />
        ))}
      </div>
    </div>
  );
}
