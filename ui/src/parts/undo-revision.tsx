import { useState } from 'react';
import type { Rollout } from '#engine/rollouts';
import { useSend } from '../data/live.tsx';
import type { AppRef } from '../data/use-application.ts';
import { commitUndo, planUndo } from '../data/use-traffic.ts';
import { type RolloutRevision, revisionText } from '../shape/rollout-progress.ts';
import { afterUndo, type UndoDraft, undoRequest } from '../shape/rollout-undo.ts';
import { BranchField, PlannedChange, ReasonField } from './planned-change.tsx';

type Props = {
  place: AppRef;
  rollout: Rollout;
  /** The Knative Service that the Rollout gates. */
  service: { readonly name: string; readonly namespace: string };
  to: RolloutRevision;
  onClose(): void;
};

/** compat rollouts RK-14: the commit that restores the template of an earlier Revision, as a preview before it is made. */
export function UndoRevision({ place, rollout, service, to, onClose }: Props) {
  const send = useSend();
  const [draft, setDraft] = useState<UndoDraft>({ reason: '', branch: '' });
  const wanted = { service: service.name, namespace: service.namespace, generation: to.revision };
  const { branch, reason } = draft;
  return (
    <PlannedChange
      title={`Go back to ${revisionText(to)}`}
      action="Commit and push"
      subject={branch} // the reason changes nothing of the plan
      isReady
      plan={() => planUndo(send, place, undoRequest(wanted, { branch, reason: '' }))}
      apply={(expect) => commitUndo(send, place, { ...undoRequest(wanted, draft), expect })}
      onClose={onClose}
      onDone={onClose}
    >
      <p>{afterUndo(rollout)}</p>
      <ReasonField value={reason} onChange={(value) => setDraft({ ...draft, reason: value })} />
      <BranchField value={branch} onChange={(value) => setDraft({ ...draft, branch: value })} />
    </PlannedChange>
  );
}
