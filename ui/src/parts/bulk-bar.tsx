import { useState } from 'react';
import type { Application } from '#base/model';
import { FairleadError } from '#base/std';
import { deleteApplication, refreshApplication, syncApplication } from '../data/application-actions.ts';
import { useSend } from '../data/live.tsx';
import { Button } from '../kit/button.tsx';
import { Checkbox } from '../kit/checkbox.tsx';
import { placeOf } from '../shape/address.ts';
import { type BulkDeed, type BulkLine, bulkLabel, bulkPlan } from '../shape/bulk.ts';
import { counted } from '../shape/span.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

type BarProps = {
  apps: readonly Application[];
  /** The deed that a link opens. */
  first: BulkDeed | undefined;
  /** The deed of the link is over. */
  onLeave(): void;
  onClear(): void;
};

/** What can be done to all chosen applications at once, each deed after its preview. */
export function BulkBar({ apps, first, onLeave, onClear }: BarProps) {
  const [deed, setDeed] = useState(first);
  const close = () => {
    setDeed(undefined);
    if (first) onLeave();
  };
  if (apps.length === 0) return null;
  return (
    <section className="bulk" aria-label="Chosen applications">
      <b>{counted(apps.length, 'application')} chosen</b>
      <Button className="small" onClick={() => setDeed('sync')}>
        Sync…
      </Button>
      <Button className="small" onClick={() => setDeed('refresh')}>
        Refresh…
      </Button>
      <Button className="small" onClick={() => setDeed('delete')}>
        Delete…
      </Button>
      <Button className="small" variant="quiet" onClick={onClear}>
        Choose none
      </Button>
      {deed && <BulkDialog deed={deed} apps={apps} onClose={close} onDone={onClear} />}
    </section>
  );
}

type BulkProps = { deed: BulkDeed; apps: readonly Application[]; onClose(): void; onDone(): void };

function BulkDialog({ deed, apps, onClose, onDone }: BulkProps) {
  const send = useSend();
  const [prune, setPrune] = useState(false);
  const [failed, setFailed] = useState<ReadonlyMap<string, string>>(new Map());
  const [isRunning, setRunning] = useState(false);
  const plan = bulkPlan(deed, apps, prune);
  const label = bulkLabel(deed, plan);
  const one = ({ app }: BulkLine): Promise<unknown> => {
    const place = placeOf(app);
    if (deed === 'refresh') return refreshApplication(send, place, 'normal');
    if (deed === 'delete') return deleteApplication(send, place, 'foreground');
    return syncApplication(send, place, { prune });
  };
  const run = async () => {
    setRunning(true);
    const errors = new Map<string, string>();
    for (const line of plan) {
      if (!line.isSkipped)
        await one(line).catch((thrown) => errors.set(line.key, FairleadError.from(thrown).message));
    }
    setRunning(false);
    setFailed(errors);
    if (errors.size > 0) return;
    onClose();
    onDone();
  };
  return (
    <ConfirmDialog
      title={`${label}?`}
      action={label}
      variant={deed === 'delete' || (deed === 'sync' && prune) ? 'danger' : 'act'}
      why={plan.every(({ isSkipped }) => isSkipped) ? 'None of them can be done now.' : undefined}
      error={
        failed.size > 0
          ? `${counted(failed.size, 'application')} could not be done; the reasons are above.`
          : undefined
      }
      isRunning={isRunning}
      onConfirm={() => {
        run().catch(() => setRunning(false)); // each error is kept inside
      }}
      onClose={onClose}
    >
      {deed === 'sync' && (
        <Checkbox checked={prune} onChange={setPrune} label="Prune" note="Delete what is gone from Git" />
      )}
      <ul className="bulk-plan">
        {plan.map(({ key, app, effect, isSkipped }) => (
          <li key={key} className={isSkipped ? 'faint' : undefined}>
            <b>{app.metadata.name}</b>{' '}
            <span className={failed.has(key) ? 'tone-bad' : undefined}>{failed.get(key) ?? effect}</span>
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
