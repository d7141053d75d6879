import './changes.css';
import type { Application } from '#base/model';
import type { ManagedResource } from '#serve/api';
import type { AppRef } from '../data/use-application.ts';
import type { Loaded } from '../data/use-load.ts';
import { useAddress, withQuery } from '../kit/location.ts';
import { Problem } from '../kit/problem.tsx';
import { Segmented } from '../kit/segmented.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { diffModeOf, diffModes, viewPath } from '../shape/address.ts';
import { changesOf } from '../shape/changes.ts';
import { counted } from '../shape/span.ts';
import { ChangeCard } from './change-card.tsx';

const labels = { fields: 'Fields', inline: 'Inline', split: 'Side by side' };

/** How the fields, or the lines, of a difference are shown. The choice is in the address. */
export function DiffModeSwitch() {
  const address = useAddress();
  return (
    <Segmented
      label="Show differences as"
      current={diffModeOf(address.query)}
      options={diffModes.map((mode) => ({
        id: mode,
        label: labels[mode],
        to: withQuery({ diff: mode === 'fields' ? undefined : mode }, address),
      }))}
    />
  );
}

/** Everything that differs, resource by resource. */
export function ChangesView({
  app,
  managed: { data, error },
  place,
  now,
}: {
  app: Application;
  managed: Loaded<ManagedResource[]>;
  place: AppRef;
  now: number;
}) {
  const { query } = useAddress();
  if (!data && error) return <Problem title="The differences cannot be shown" message={error.message} />;
  if (!data) return <Skeleton label="Loading the differences" rows={6} />;
  const changes = changesOf(data, app);
  if (changes.length === 0) {
    return <p className="none-left">Nothing differs: the cluster is what Git says.</p>;
  }
  return (
    <div className="changes">
      <div className="changes-head">
        <p className="faint">
          {counted(changes.length, 'resource')} {changes.length === 1 ? 'differs' : 'differ'} from Git.
        </p>
        <DiffModeSwitch />
      </div>
      {changes.map((change) => (
        <ChangeCard
          key={change.key}
          change={change}
          mode={diffModeOf(query)}
          now={now}
          to={viewPath(place, 'changes', change.key)}
        />
      ))}
    </div>
  );
}
