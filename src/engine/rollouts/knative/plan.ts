import { conditionOf } from '#base/model';
import { manualTrafficOf } from '#engine/traffic';
import { abortIndex, completeStep, pauseAtStep } from '../canary.ts';
import { stepIndexOf } from '../canary-replicas.ts';
import { notePauses, progressing, setRolloutCondition } from '../conditions.ts';
import { areStepsChanged, finish, promote, resetStatus, setIndex } from '../finish.ts';
import { stepHash } from '../hash.ts';
import { type Draft, isResumed, pauseOf, type RolloutPlan, type RolloutState } from '../pass.ts';
import { noteRevision } from '../revision.ts';
import { canaryOf, isPromoted, rolloutKey, stepsOf } from '../rollout.ts';
import { reconcileRuns, terminate } from '../runs.ts';
import { isStepDone } from '../steps.ts';
import { countRevisions, isAnother } from './counts.ts';
import { endManualTraffic, holdManualTraffic } from './manual.ts';
import { knativeOf } from './settings.ts';
import {
  candidateUrl,
  isBegun,
  isPinned,
  type KnativePass,
  liveShares,
  noteCandidateUrl,
  pinned,
  splitFor,
  writeTraffic,
} from './traffic.ts';
import {
  conditionIn,
  generationOf,
  isCurrent,
  isReady,
  isSameContent,
  type KnativeFacts,
  type KnativeRevision,
} from './view.ts';

/** The state of a pass in which the Rollout has the address of its candidate, as it is now. */
export function withCandidateUrl(pass: RolloutState): RolloutState {
  const { rollout, knative } = pass;
  if (!knativeOf(rollout) || !knative) return pass;
  const { annotations } = rollout.metadata;
  const url = candidateUrl({ rollout, pass }, knative.service?.status?.latestCreatedRevisionName);
  const metadata = {
    ...rollout.metadata,
    annotations: { ...annotations, [rolloutKey.candidateUrl]: url ?? '' },
  };
  return {
    ...pass,
    rollout: { ...rollout, metadata },
    knative: { ...knative, recordedUrl: annotations?.[rolloutKey.candidateUrl] },
  };
}

/** compat rollouts §14: one pass over a Rollout whose weights are the traffic of a Knative Service. */
export function planKnative(draft: Draft, { service, revisions }: KnativeFacts): RolloutPlan {
  const { rollout } = draft;
  notePauses(draft);
  const named = (name: string | undefined) => revisions.find(({ metadata }) => metadata.name === name);
  const latest = named(service?.status?.latestCreatedRevisionName);
  if (!service || !latest) return waitForFirst(draft);
  const pass: KnativePass = { draft, service, stable: named(rollout.status?.stableRS), latest };
  noteRevision(draft, generationOf(latest));
  const { record } = manualTrafficOf(rollout);
  if (record) return holdManualTraffic(pass, revisions, record);
  endManualTraffic(draft);
  if (!rollout.status?.stableRS) return adopt(pass, revisions);
  if (isAnother(pass) || areStepsChanged(draft)) return startOver(pass);
  if (rollout.status.promoteFull) draft.isAbortRemoved = true;
  draft.skipsSteps = needsNoSteps(pass, revisions);
  judgeCandidate(pass);
  followRuns(pass);
  const split = splitFor(pass);
  if (split) writeTraffic(pass, split);
  noteCandidateUrl(pass);
  if (isReady(latest) && draft.status.canary?.weights?.verified) pauseAtStep(draft);
  return statusOf(pass);
}

function waitForFirst(draft: Draft): RolloutPlan {
  const { service } = knativeOf(draft.rollout) ?? {};
  draft.waitsFor = `waiting for the first Revision of the Knative Service "${service}" to be ready`;
  return finish(draft);
}

/** compat rollouts RK-7: the version that has the traffic becomes the stable one; nothing moves. */
function adopt(pass: KnativePass, revisions: readonly KnativeRevision[]): RolloutPlan {
  const { draft, service, latest } = pass;
  const shares = liveShares(service);
  const isSplit = shares.length > 1;
  const [name = isReady(latest) ? latest.metadata.name : undefined] = shares[0] ?? [];
  countRevisions(pass);
  draft.status.currentStepHash = stepHash(canaryOf(draft.rollout)?.steps);
  const stable = revisions.find(({ metadata }) => metadata.name === name);
  if (!name || !stable) return waitForFirst(draft);
  if (isSplit && isHeld(draft)) return hold(pass, shares);
  const isLatest = name === latest.metadata.name;
  if (!isSplit || isLatest) writeTraffic({ ...pass, stable }, pinned(name));
  draft.clearPauses();
  if (isLatest) promote(draft, 'Initial deploy');
  else protect(draft, name, isSplit);
  draft.waitsFor = waitReason(pass);
  return finish(draft);
}

/** The version that has the traffic is not the latest one: the latest is its candidate, promoted already if a person said so. */
function protect(draft: Draft, name: string, isSplit: boolean): void {
  draft.status.stableRS = name;
  const { length } = stepsOf(draft.rollout);
  if (length > 0) setIndex(draft, isSplit && !draft.isAborted ? length : 0);
}

const isHeld = ({ rollout }: Draft): boolean =>
  !rollout.status?.abort && !rollout.status?.promoteFull && !isResumed(rollout);

/** Traffic that is split already waits for a person, or for the split to end. */
function hold({ draft, service }: KnativePass, shares: ReturnType<typeof liveShares>): RolloutPlan {
  const text = shares.map(([name, percent]) => `${name} ${percent}%`).join(', ');
  draft.waitsFor = `the traffic of the Knative Service "${service.metadata.name}" is split (${text})`;
  if (!pauseOf(draft.rollout, 'CanaryPauseStep')) {
    draft.added.add('CanaryPauseStep');
    draft.event(
      'TrafficSplit',
      `${draft.waitsFor}: promote the Rollout for the latest Revision, abort it for ${shares[0]?.[0]}`,
      'Warning',
    );
  }
  return finish(draft);
}

/** compat rollouts RN-8, RK-6: a newer version takes the place of the candidate, without any of its traffic. */
function startOver(pass: KnativePass): RolloutPlan {
  const { draft, stable, latest } = pass;
  const { rollout } = draft;
  const { length } = stepsOf(rollout);
  const isNewer = isAnother(pass);
  countRevisions(pass);
  resetStatus(draft);
  draft.status.currentStepHash = stepHash(canaryOf(rollout)?.steps);
  const message = `Revision "${latest.metadata.name}" was created`;
  setRolloutCondition(draft, progressing('True', 'NewReplicaSetCreated', message), true);
  if (latest === stable && length > 0) {
    draft.event('SkipSteps', 'Rollback to stable ReplicaSets');
    setIndex(draft, length);
  }
  for (const run of draft.pass.runs) terminate(draft, run);
  if (stable && isNewer) writeTraffic(pass, pinned(stable.metadata.name));
  noteCandidateUrl(pass);
  draft.waitsFor = waitReason(pass);
  return finish(draft);
}

/** compat rollouts RK-8, RN-9: whether the candidate is the stable version, or a recent one, once more. */
function needsNoSteps(
  { draft, stable, latest }: KnativePass,
  revisions: readonly KnativeRevision[],
): boolean {
  const { rollout } = draft;
  if (draft.isAborted || !stable || latest === stable || !isReady(latest)) return false;
  if (rollout.status?.promoteFull || isSameContent(latest, stable)) return true;
  const window = rollout.spec?.rollbackWindow?.revisions ?? 0;
  const older = revisions.filter((one) => generationOf(one) < generationOf(stable));
  return older.some((one) => {
    const between = older.filter((other) => generationOf(other) > generationOf(one)).length;
    return between < window && isSameContent(latest, one);
  });
}

/** compat rollouts RK-6: a candidate that fails, or is not ready in time, aborts the update. */
function judgeCandidate({ draft, stable, latest }: KnativePass): void {
  if (draft.isAborted || !stable || latest === stable || isReady(latest)) return;
  const ready = conditionIn(latest, 'Ready');
  if (!isCurrent(latest) || ready?.status !== 'False') {
    waitForCandidate(draft, latest);
    return;
  }
  const cause = [ready.reason, ready.message].filter(Boolean).join(': ');
  draft.abort(`Revision "${latest.metadata.name}" failed${cause ? `: ${cause}` : ''}`);
}

function waitForCandidate(draft: Draft, { metadata }: KnativeRevision): void {
  const { rollout, pass } = draft;
  const { progressDeadlineSeconds = 600, progressDeadlineAbort = true } = rollout.spec ?? {};
  const noted = conditionOf(rollout.status?.conditions ?? [], 'Progressing')?.lastUpdateTime ?? '';
  const since = Math.max(Date.parse(metadata.creationTimestamp ?? '') || 0, Date.parse(noted) || 0);
  const due = since + progressDeadlineSeconds * 1000;
  if (due > pass.now.getTime()) draft.wake(due);
  else if (progressDeadlineAbort)
    draft.abort(`Revision "${metadata.name}" was not ready within ${progressDeadlineSeconds} seconds`);
}

/** A candidate is measured from the moment it can be reached; the runs of another one end. */
function followRuns(pass: KnativePass): void {
  const { draft, stable } = pass;
  if (draft.isAborted || draft.skipsSteps || isPromoted(draft.rollout) || !stable || isBegun(pass))
    reconcileRuns(draft);
  else for (const run of draft.pass.runs) terminate(draft, run);
}

function statusOf(pass: KnativePass): RolloutPlan {
  const { draft } = pass;
  const { rollout, status } = draft;
  const { length } = stepsOf(rollout);
  countRevisions(pass);
  status.stableRS = rollout.status?.stableRS ?? '';
  status.currentStepHash = stepHash(canaryOf(rollout)?.steps);
  setIndex(draft, stepIndexOf(rollout));
  if (draft.skipsSteps) skipSteps(draft, length);
  const reason = promotionReason(pass);
  if (reason !== undefined) promote(draft, reason);
  else if (draft.isAborted) abortIndex(draft, length);
  else if (!draft.skipsSteps && isStepDone(draft)) completeStep(draft, length);
  draft.waitsFor = waitReason(pass);
  return finish(draft);
}

function skipSteps(draft: Draft, length: number): void {
  const { rollout } = draft;
  draft.clearPauses();
  if (length === 0) return;
  if (stepIndexOf(rollout) !== length && !rollout.status?.promoteFull)
    draft.event('SkipSteps', 'Rollback to a version that was stable before');
  setIndex(draft, length);
}

/** compat rollouts RN-10: why the latest Revision is now the stable one; undefined: it is not. */
function promotionReason(pass: KnativePass): string | undefined {
  const { draft, stable, latest } = pass;
  const { rollout } = draft;
  if (!stable) return isReady(latest) ? 'Initial deploy' : undefined;
  if (draft.isAborted) return undefined;
  const { length } = stepsOf(rollout);
  const done = `Completed all ${length} canary steps`;
  if (isPromoted(rollout)) return done;
  if (!hasAllTraffic(pass)) return undefined;
  if (rollout.status?.promoteFull) return 'Full promotion requested';
  if (draft.skipsSteps) return 'Rollback to a version that was stable before';
  return length > 0 && stepIndexOf(rollout) !== length ? undefined : done;
}

function hasAllTraffic({ draft, latest }: KnativePass): boolean {
  const { weights } = draft.status.canary ?? {};
  const isOfLatest = weights?.canary.podTemplateHash === latest.metadata.name;
  return isOfLatest && weights?.canary.weight === 100 && weights.verified === true;
}

/** What the Rollout waits for; undefined: it is at rest. */
function waitReason({ draft, service, latest }: KnativePass): string | undefined {
  const { status } = draft;
  const { name } = service.metadata;
  if (!isReady(latest)) return `waiting for Revision "${latest.metadata.name}" to be ready`;
  if (status.canary?.weights?.verified === false)
    return `waiting for the Route of the Knative Service "${name}" to send the traffic`;
  if (status.stableRS !== status.currentPodHash) return 'waiting for all steps to complete';
  // rollouts RK-11: the pass that promotes leaves the candidate's tag; the next one removes it
  if (!isPinned(service, latest.metadata.name))
    return `waiting for the traffic of the Knative Service "${name}" to be pinned to Revision "${latest.metadata.name}"`;
  return isReady(service) ? undefined : `waiting for the Knative Service "${name}" to be ready`;
}
