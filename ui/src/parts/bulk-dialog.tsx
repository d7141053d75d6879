import { useRef, useState } from 'react';
import { type Application, qualifiedName } from '#base/model';
import { deleteApplication, refreshApplication, syncApplication } from '../data/application-actions.ts';
import { useSend } from '../data/live.tsx';
import { runMany } from '../data/run-many.ts';
import { Button } from '../kit/button.tsx';
import { Checkbox } from '../kit/checkbox.tsx';
import { TextField } from '../kit/field.tsx';
import { Select } from '../kit/select.tsx';
import { placeOf } from '../shape/address.ts';
import { deletionChoices } from '../shape/application-deletion.ts';
import {
  type BulkChoices,
  type BulkDeed,
  type BulkLine,
  bulkLabel,
  bulkPlan,
  doable,
  whyNotBulk,
} from '../shape/bulk.ts';
import { counted } from '../shape/span.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

type BulkProps = {
  deed: BulkDeed;
  apps: readonly Application[];
  /** The applications that the user has no right to. */
  denied: ReadonlyMap<Application, string>;
  onClose(): void;
  onDone(): void;
};

/** What becomes of each application, the options, and the button with their number; then how far it is. */
export function BulkDialog({ deed, apps: chosen, denied, onClose, onDone }: BulkProps) {
  const [apps] = useState(chosen); // what is deleted leaves the list, and stays in this one
  const [choices, setChoices] = useState<BulkChoices>({ prune: false, deletion: 'foreground' });
  const [typed, setTyped] = useState('');
  const plan = bulkPlan(deed, apps, choices, new Set([...denied.keys()].map(qualifiedName)));
  const label = bulkLabel(deed, plan);
  const { run, stop, state } = useMany(deed, choices, () => {
    onClose();
    onDone();
  });
  const { failed, done, isRunning } = state;
  return (
    <ConfirmDialog
      title={`${label}?`}
      action={label}
      variant={deed === 'delete' || (deed === 'sync' && choices.prune) ? 'danger' : 'act'}
      why={whyNotBulk(deed, plan, typed)}
      error={
        failed.size > 0
          ? `${counted(failed.size, 'application')} could not be done; the reasons are above.`
          : undefined
      }
      isRunning={isRunning}
      onConfirm={() => run(doable(plan))}
      onClose={onClose}
    >
      {deed === 'sync' && (
        <Checkbox
          checked={choices.prune}
          onChange={(prune) => setChoices({ ...choices, prune })}
          label="Prune"
          note="Delete what is gone from Git"
        />
      )}
      {deed === 'delete' && (
        <Select
          label="Their resources"
          value={choices.deletion}
          options={deletionChoices}
          onChange={(value) => {
            const found = deletionChoices.find((one) => one.value === value);
            if (found) setChoices({ ...choices, deletion: found.value });
          }}
        >
          Their resources
        </Select>
      )}
      <ul className="bulk-plan">
        {plan.map(({ key, app, effect, isSkipped }) => (
          <li key={key} className={isSkipped ? 'faint' : undefined}>
            <b>{app.metadata.name}</b>{' '}
            <span className={failed.has(key) ? 'tone-bad' : undefined}>{failed.get(key) ?? effect}</span>
          </li>
        ))}
      </ul>
      {deed === 'delete' && (
        <TextField label="Number of applications, to confirm" value={typed} onChange={setTyped} />
      )}
      {(isRunning || done > 0) && (
        <p className="bulk-progress" role="status">
          <progress max={doable(plan).length} value={done} aria-label="Progress" /> {done} of{' '}
          {doable(plan).length} done
          {isRunning && (
            <Button className="small" icon="stop" onClick={stop}>
              Stop
            </Button>
          )}
        </p>
      )}
    </ConfirmDialog>
  );
}

type Progress = {
  readonly isRunning: boolean;
  readonly done: number;
  readonly failed: ReadonlyMap<string, string>;
};

/** Does the deed to each application, some at the same time; `onDone` when all of them were done. */
function useMany(deed: BulkDeed, { prune, deletion }: BulkChoices, onDone: () => void) {
  const send = useSend();
  const stopping = useRef(new AbortController());
  const [state, setState] = useState<Progress>({ isRunning: false, done: 0, failed: new Map() });
  const act = ({ app }: BulkLine): Promise<unknown> => {
    const place = placeOf(app);
    if (deed === 'refresh') return refreshApplication(send, place, 'normal');
    if (deed === 'delete') return deleteApplication(send, place, deletion);
    return syncApplication(send, place, { prune });
  };
  const run = (lines: readonly BulkLine[]) => {
    stopping.current = new AbortController();
    const { signal } = stopping.current;
    setState({ isRunning: true, done: 0, failed: new Map() });
    const onProgress = (done: number) => setState((was) => ({ ...was, done }));
    runMany(lines, { act, onProgress, signal })
      .then(({ done, failed }) => {
        setState({
          isRunning: false,
          done,
          failed: new Map([...failed].map(([{ key }, why]) => [key, why])),
        });
        if (failed.size === 0 && done === lines.length) onDone();
      })
      .catch(() => {}); // each failure is in its line
  };
  return { run, stop: () => stopping.current.abort(), state };
}
