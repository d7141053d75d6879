import { lazy, Suspense, useState } from 'react';
import type { Application } from '#base/model';
import { useWhyNotEach } from '../data/use-may.ts';
import { Button } from '../kit/button.tsx';
import type { BulkDeed } from '../shape/bulk.ts';
import { applicationObject } from '../shape/rights.ts';
import { counted } from '../shape/span.ts';

const BulkDialog = lazy(() => import('./bulk-dialog.tsx').then((one) => ({ default: one.BulkDialog })));

type BarProps = {
  apps: readonly Application[];
  /** How many applications the filter shows. */
  shown: number;
  /** The deed that a link opens. */
  first: BulkDeed | undefined;
  /** The deed of the link is over. */
  onLeave(): void;
  onChooseAll(): void;
  onClear(): void;
};

/** What can be done to all chosen applications at once, each deed after its preview. */
export function BulkBar(props: BarProps) {
  return props.apps.length === 0 ? null : <Bar {...props} />;
}

const deeds = [
  ['sync', 'Sync'],
  ['refresh', 'Refresh'],
  ['delete', 'Delete'],
] as const;

function Bar({ apps, shown, first, onLeave, onChooseAll, onClear }: BarProps) {
  const [deed, setDeed] = useState(first);
  const reasons = {
    sync: useReasons('sync', apps),
    refresh: new Map<Application, string>(),
    delete: useReasons('delete', apps),
  };
  const close = () => {
    setDeed(undefined);
    if (first) onLeave();
  };
  return (
    <section className="bulk" aria-label="Chosen applications">
      <b>{counted(apps.length, 'application')} chosen</b>
      {deeds.map(([id, label]) => (
        <Button
          key={id}
          className="small"
          why={reasons[id].size === apps.length ? [...reasons[id].values()][0] : undefined}
          onClick={() => setDeed(id)}
        >
          {label}…
        </Button>
      ))}
      {apps.length < shown && (
        <Button className="small" variant="quiet" onClick={onChooseAll}>
          {`Choose all ${shown} shown`}
        </Button>
      )}
      <Button className="small" variant="quiet" onClick={onClear}>
        Choose none
      </Button>
      {deed && (
        <Suspense fallback={null}>
          <BulkDialog deed={deed} apps={apps} denied={reasons[deed]} onClose={close} onDone={onClear} />
        </Suspense>
      )}
    </section>
  );
}

const mostRequests = 20; // with more applications, the server decides about the rest

/** Why the user may not do it, for each application where that is so. */
function useReasons(
  action: 'sync' | 'delete',
  apps: readonly Application[],
): ReadonlyMap<Application, string> {
  const first = apps.slice(0, mostRequests);
  const reasons = useWhyNotEach(
    first.map((app) => ({ resource: 'applications', action, object: applicationObject(app) })),
  );
  return new Map(first.flatMap((app, at) => (reasons[at] ? [[app, reasons[at]] as const] : [])));
}
