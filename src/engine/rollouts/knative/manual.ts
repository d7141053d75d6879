import { conditionOf } from '#base/model';
import {
  describeManualTraffic,
  type ManualTraffic,
  manualTrafficMessage,
  manualTrafficOf,
} from '#engine/traffic';
import { dropCondition, manualTrafficType, setRolloutCondition } from '../conditions.ts';
import { areStepsChanged, finish, resetStatus } from '../finish.ts';
import { stepHash } from '../hash.ts';
import type { Draft, RolloutPlan } from '../pass.ts';
import { canaryOf, isPromoted } from '../rollout.ts';
import { terminate } from '../runs.ts';
import { countRevisions, isAnother } from './counts.ts';
import { knativeOf } from './settings.ts';
import { type KnativePass, noteCandidateUrl, pinnedBy, writeTraffic } from './traffic.ts';
import { generationOf, isReady, isSameContent, type KnativeRevision } from './view.ts';

/**
 * compat rollouts RK-14: while a person has pinned the traffic, all of it goes to that Revision, and no update is brought out: one
 * that is under way, or that comes meanwhile, begins at its first step when the override is lifted. A Revision that is gone or
 * not ready gets nothing; the traffic then stays as it is.
 */
export function holdManualTraffic(
  pass: KnativePass,
  revisions: readonly KnativeRevision[],
  record: ManualTraffic,
): RolloutPlan {
  const { draft } = pass;
  const { rollout, status } = draft;
  const wanted = revisions.find(({ metadata }) => metadata.name === record.revision);
  const isNew = isAnother(pass) || areStepsChanged(draft);
  countRevisions(pass);
  if (isNew || (!isPromoted(rollout) && !draft.isAborted)) resetStatus(draft);
  status.currentStepHash = stepHash(canaryOf(rollout)?.steps);
  for (const run of draft.pass.runs) terminate(draft, run);
  // a promotion that someone requested meanwhile must not come about once the override is lifted
  delete status.promoteFull;
  draft.clearPauses();
  if (wanted && isReady(wanted)) pin(pass, wanted);
  report(draft, record, wanted);
  noteCandidateUrl(pass);
  if (wanted && isRestored(pass, wanted)) status.stableRS = wanted.metadata.name;
  return finish(draft);
}

function pin(pass: KnativePass, wanted: KnativeRevision): void {
  const targets = pinnedBy(wanted.metadata.name, pass.stable?.metadata.name);
  writeTraffic({ ...pass, stable: wanted }, { weight: 0, targets });
}

/**
 * Whether Git declares the pinned version again, as a new Revision or as the named one of before: then it is the stable one, and
 * lifting the override moves nothing. A candidate that a person pins is none: its steps are still to come.
 */
function isRestored({ stable, latest }: KnativePass, wanted: KnativeRevision): boolean {
  if (!isReady(latest) || !isSameContent(latest, wanted)) return false;
  return wanted !== latest || (stable !== undefined && generationOf(latest) < generationOf(stable));
}

function report(draft: Draft, record: ManualTraffic, wanted: KnativeRevision | undefined): void {
  const { rollout } = draft;
  const { service = '' } = knativeOf(rollout) ?? {};
  const why = wanted ? 'is not ready' : 'was not found';
  const problem = `: Revision "${record.revision}" of the Knative Service "${service}" ${why}, and the traffic stays as it is`;
  const isHeld = wanted !== undefined && isReady(wanted);
  const message = manualTrafficMessage(record) + (isHeld ? '' : problem);
  const reason = isHeld ? 'TrafficOverridden' : 'TrafficOverrideNotPossible';
  if (!note(draft, 'True', reason, message)) return;
  if (isHeld) draft.event(reason, describeManualTraffic(rollout, record));
  else draft.event(reason, message, 'Warning');
}

/** Without an override, or with a record that cannot be read, which has no effect and is reported. */
export function endManualTraffic(draft: Draft): void {
  const { problem } = manualTrafficOf(draft.rollout);
  const old = conditionOf(draft.status.conditions ?? [], manualTrafficType);
  if (old?.status === 'True') draft.event('TrafficOverrideEnded', `${old.message} has ended`);
  if (problem === undefined) dropCondition(draft, manualTrafficType);
  else if (note(draft, 'False', 'TrafficOverrideInvalid', problem))
    draft.event('TrafficOverrideInvalid', problem, 'Warning');
}

function note(draft: Draft, status: 'True' | 'False', reason: string, message: string): boolean {
  const old = conditionOf(draft.status.conditions ?? [], manualTrafficType);
  return setRolloutCondition(
    draft,
    { type: manualTrafficType, status, reason, message },
    old?.message !== message,
  );
}
