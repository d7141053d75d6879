import './history.css';
import './sync.css';
import { useState } from 'react';
import type { Application } from '#base/model';
import { rollBack } from '../data/application-actions.ts';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import type { AppRef } from '../data/use-application.ts';
import { useWhyNot } from '../data/use-may.ts';
import { useRevision } from '../data/use-revision.ts';
import { Button } from '../kit/button.tsx';
import { Checkbox } from '../kit/checkbox.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { deploymentsOf, type PastDeployment } from '../shape/history.ts';
import { shortRevision, subjectOf } from '../shape/revision.ts';
import { rollbackRight } from '../shape/rights.ts';
import { RevisionChanges } from './revision-changes.tsx';

/** From what to what, what that changes, the options, then the button. */
export function RollbackDialog({
  app,
  place,
  id,
  onClose,
  now,
}: {
  app: Application;
  place: AppRef;
  id: number;
  onClose(): void;
  now: number;
}) {
  const send = useSend();
  const [prune, setPrune] = useState(false);
  const [dryRun, setDryRun] = useState(false);
  const roll = useAction(() => rollBack(send, place, { id, prune, dryRun }), onClose);
  const deployments = deploymentsOf(app);
  const [from, to] = [deployments[0], deployments.find((one) => one.id === id)];
  const forbidden = useWhyNot(rollbackRight(app));
  const why = to
    ? (to.why ?? forbidden ?? (roll.isRunning ? 'The request is on its way.' : undefined))
    : 'There is no such deployment any more.';
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
            {`${dryRun ? 'Dry-run' : 'Roll back'} to ${shortRevision(to?.revision ?? '')}`}
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
      <section className="sync-options">
        <h3>Options</h3>
        <Checkbox
          checked={prune}
          onChange={setPrune}
          label="Prune"
          note="Delete what that revision did not have"
        />
        <Checkbox
          checked={dryRun}
          onChange={setDryRun}
          label="Dry run"
          note="See it in the timeline, change nothing"
        />
      </section>
    </Dialog>
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
