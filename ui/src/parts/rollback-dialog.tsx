import './history.css';
import './sync.css';
import { useState } from 'react';
import type { Application } from '#base/model';
import { rollBack, turnAutoSyncOff } from '../data/application-actions.ts';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import type { AppRef } from '../data/use-application.ts';
import { useWhyNotEach } from '../data/use-may.ts';
import { useRevision } from '../data/use-revision.ts';
import { Button } from '../kit/button.tsx';
import { Checkbox } from '../kit/checkbox.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { autoSyncNote, deploymentsOf, type PastDeployment } from '../shape/history.ts';
import { shortRevision, subjectOf } from '../shape/revision.ts';
import { applicationObject, rollbackRight } from '../shape/rights.ts';
import { RevisionChanges } from './revision-changes.tsx';

type RollbackProps = { app: Application; place: AppRef; id: number; onClose(): void };

/** From what to what, what that changes, the options, then the button. */
export function RollbackDialog(props: RollbackProps & { now: number }) {
  const { app, place, id, onClose, now } = props;
  const deployments = deploymentsOf(app);
  const [from, to] = [deployments[0], deployments.find((one) => one.id === id)];
  const [choices, setChoices] = useState<Choices>({ isManual: false, prune: false, dryRun: false });
  const { roll, why } = useRollback(props, to, choices);
  return (
    <Dialog
      title={`Roll back ${app.metadata.name}`}
      place="sheet"
      onClose={onClose}
      foot={
        <>
          {roll.error && (
            <p className="complaint" role="alert">
              {roll.error}
            </p>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="act" why={why} onClick={() => roll.run()}>
            {`${choices.dryRun ? 'Dry-run' : 'Roll back'} to ${shortRevision(to?.revision ?? '')}`}
          </Button>
        </>
      }
    >
      <dl className="rollback-way">
        <Way label="From" app={app} deployment={from} />
        <Way label="To" app={app} deployment={to} />
      </dl>
      {to?.revision && (
        <section className="previews" aria-label="What changes">
          <RevisionChanges place={place} from={from?.revision} to={to.revision} now={now} />
        </section>
      )}
      <Options app={app} choices={choices} onChange={setChoices} />
    </Dialog>
  );
}

type Choices = {
  /** Auto-sync, which would undo the rollback, is turned off first. */
  readonly isManual: boolean;
  readonly prune: boolean;
  readonly dryRun: boolean;
};

/** The rollback, and why it cannot begin. */
function useRollback(
  { app, place, id, onClose }: RollbackProps,
  to: PastDeployment | undefined,
  { isManual, prune, dryRun }: Choices,
) {
  const send = useSend();
  const update = { resource: 'applications', action: 'update', object: applicationObject(app) };
  const [noRollback, noUpdate] = useWhyNotEach([rollbackRight(app), update]);
  const isAutomatic = autoSyncNote(app) !== undefined;
  const roll = useAction(async () => {
    if (isAutomatic) await turnAutoSyncOff(send, place);
    await rollBack(send, place, { id, prune, dryRun });
  }, onClose);
  const unchosen = isManual ? undefined : 'Auto-sync is on: turn it off under Options first.';
  const held = noRollback ?? (isAutomatic ? (noUpdate ?? unchosen) : undefined);
  const running = roll.isRunning ? 'The request is on its way.' : undefined;
  return { roll, why: to ? (to.why ?? held ?? running) : 'There is no such deployment any more.' };
}

function Options({
  app,
  choices,
  onChange,
}: {
  app: Application;
  choices: Choices;
  onChange(choices: Choices): void;
}) {
  const autoSync = autoSyncNote(app);
  const option = (name: keyof Choices, label: string, note: string) => (
    <Checkbox
      checked={choices[name]}
      onChange={(checked) => onChange({ ...choices, [name]: checked })}
      label={label}
      note={note}
    />
  );
  return (
    <section className="sync-options" aria-label="Options">
      <h3>Options</h3>
      {autoSync && option('isManual', 'Turn auto-sync off first', autoSync)}
      {option('prune', 'Prune', 'Delete what that revision did not have')}
      {option('dryRun', 'Dry run', 'See it in the timeline, change nothing')}
    </section>
  );
}

function Way({
  label,
  app,
  deployment,
}: {
  label: string;
  app: Application;
  deployment: PastDeployment | undefined;
}) {
  const commit = useRevision(app, deployment?.revision);
  return (
    <>
      <dt>{label}</dt>
      <dd className="cut">
        <code>{shortRevision(deployment?.revision ?? 'nothing')}</code> {commit && subjectOf(commit)}
      </dd>
    </>
  );
}
