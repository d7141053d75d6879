import { equal } from '#base/std';
import { type AnalysisRun, type AnalysisRunSpec, isFinished } from './analysis/analysis.ts';
import { resolveArgument } from './analysis/arguments.ts';
import { evidenceOf } from './analysis/evidence.ts';
import { type MergedAnalysis, mergeAnalysis } from './analysis/merge.ts';
import { stepIndexOf } from './canary-replicas.ts';
import { collectFinished } from './finished-runs.ts';
import { freeName } from './free-name.ts';
import { serviceUnderTest } from './knative/settings.ts';
import { type Draft, isResumed, pauseOf } from './pass.ts';
import {
  availableOf,
  deadlineOf,
  hashOf,
  isRollbackInWindow,
  ownerOf,
  revisionOf,
  sizeOf,
} from './replica-sets.ts';
import {
  type AnalysisArgument,
  blueGreenOf,
  canaryOf,
  isPromoted,
  type RolloutAnalysis,
  type RunStatus,
  rolloutKey,
} from './rollout.ts';
import { isSaturated } from './scale.ts';
import { currentStep } from './steps.ts';

type RunType = 'Step' | 'Background' | 'PrePromotion' | 'PostPromotion';
type Request = {
  readonly type: RunType;
  readonly analysis: RolloutAnalysis;
  readonly infix: string;
  /** The Service under test, for templates that name no other. */
  readonly service: string | undefined;
};

const slots = {
  Step: ['canary', 'currentStepAnalysisRunStatus'],
  Background: ['canary', 'currentBackgroundAnalysisRunStatus'],
  PrePromotion: ['blueGreen', 'prePromotionAnalysisRunStatus'],
  PostPromotion: ['blueGreen', 'postPromotionAnalysisRunStatus'],
} as const;

type Slotted = { [name: string]: RunStatus | undefined };

const recorded = ({ status }: Draft, type: RunType): RunStatus | undefined => {
  const [part, field] = slots[type];
  return (status[part] as Slotted | undefined)?.[field];
};

function record({ status }: Draft, type: RunType, run: RunStatus | undefined): void {
  const [part, field] = slots[type];
  status[part] ??= {};
  const slotted = status[part] as Slotted;
  if (run) slotted[field] = run;
  else delete slotted[field];
}

const runNamed = ({ pass }: Draft, name: string | undefined): AnalysisRun | undefined =>
  pass.runs.find(({ metadata }) => metadata.name === name);

/** compat rollouts RA-5: starts, follows and ends the runs of a Rollout. */
export function reconcileRuns(draft: Draft): void {
  const { rollout, pass } = draft;
  draft.areRunsReconciled = true;
  const isSkipped =
    draft.isAborted ||
    draft.skipsSteps ||
    rollout.status?.promoteFull === true ||
    !rollout.status?.stableRS ||
    deadlineOf(pass.roles.fresh) !== undefined ||
    isRollbackInWindow(rollout, pass.roles);
  if (isSkipped) {
    for (const type of Object.keys(slots) as RunType[]) follow(draft, type);
    for (const run of pass.runs) terminate(draft, run);
    return;
  }
  if (canaryOf(rollout)) {
    keep(draft, 'Step', stepRequest(draft));
    keep(draft, 'Background', backgroundRequest(draft));
  } else {
    keep(draft, 'PrePromotion', prePromotionRequest(draft));
    keep(draft, 'PostPromotion', postPromotionRequest(draft));
  }
  const current = new Set((Object.keys(slots) as RunType[]).map((type) => recorded(draft, type)?.name));
  const others = pass.runs.filter(({ metadata }) => !current.has(metadata.name));
  for (const run of others) terminate(draft, run);
  collectFinished(draft, others);
}

export function terminate(draft: Draft, run: AnalysisRun): void {
  if (isFinished(run.status?.phase) || run.spec?.terminate) return;
  draft.patch(run, { spec: { terminate: true } });
}

/** What the state of the Rollout requests of one kind of run: a run, the run it has, or none. */
type Wish = Request | 'as it is' | undefined;

function stepRequest({ rollout }: Draft): Wish {
  const analysis = currentStep(rollout)?.analysis;
  if (!analysis) return undefined;
  const infix = String(stepIndexOf(rollout) ?? 0);
  return { type: 'Step', analysis, infix, service: serviceUnderTest(rollout) };
}

function backgroundRequest({ rollout, pass }: Draft): Wish {
  const canary = canaryOf(rollout);
  const analysis = canary?.analysis;
  const isUpdating = !isPromoted(rollout) && pass.roles.fresh !== pass.roles.stable;
  if (!analysis || (analysis.templates ?? []).length === 0 || !isUpdating) return undefined;
  if ((stepIndexOf(rollout) ?? 0) < (analysis.startingStep ?? 0)) return 'as it is';
  return { type: 'Background', analysis, infix: '', service: serviceUnderTest(rollout) };
}

/** compat rollouts RB-4. */
function prePromotionRequest(draft: Draft): Wish {
  const { rollout, pass } = draft;
  const {
    prePromotionAnalysis: analysis,
    previewService,
    activeService,
    previewReplicaCount,
  } = blueGreenOf(rollout) ?? {};
  if (!analysis || (analysis.templates ?? []).length === 0) return undefined;
  const { fresh } = pass.roles;
  const hash = hashOf(fresh);
  const active = rollout.status?.blueGreen?.activeSelector ?? '';
  if (isPromoted(rollout) || active === '' || active === hash || hash === '') return 'as it is';
  const isReady =
    previewReplicaCount === undefined
      ? isSaturated(rollout, fresh)
      : sizeOf(fresh) === previewReplicaCount && availableOf(fresh) === previewReplicaCount;
  if (!recorded(draft, 'PrePromotion') && !isReady) return 'as it is';
  return { type: 'PrePromotion', analysis, infix: 'pre', service: previewService ?? activeService };
}

/** compat rollouts RB-7. */
function postPromotionRequest(draft: Draft): Wish {
  const { rollout, pass } = draft;
  const { postPromotionAnalysis: analysis, activeService } = blueGreenOf(rollout) ?? {};
  if (!analysis || (analysis.templates ?? []).length === 0) return undefined;
  const hash = hashOf(pass.roles.fresh);
  const active = rollout.status?.blueGreen?.activeSelector;
  if (isPromoted(rollout) || active !== hash || hash === '') return 'as it is';
  if (!recorded(draft, 'PostPromotion') && !isSaturated(rollout, pass.roles.fresh)) return 'as it is';
  return { type: 'PostPromotion', analysis, infix: 'post', service: activeService };
}

function keep(draft: Draft, type: RunType, wish: Wish): void {
  const run = currentRun(draft, type);
  if (wish === undefined || (type === 'Step' && wish !== 'as it is' && run && !isOfStep(run, wish.infix))) {
    if (run) terminate(draft, run);
    record(draft, type, undefined);
    if (wish === undefined) return;
  }
  follow(draft, type);
  if (wish === 'as it is' || wish === undefined) return;
  const known = currentRun(draft, type);
  if (!needsNewRun(draft, known)) return;
  // compat rollouts RW-12: the resume requests one run; a further verdict pauses again
  if (known?.status?.phase === 'Inconclusive') draft.isResumeConsumed = true;
  start(draft, wish);
}

function currentRun(draft: Draft, type: RunType): AnalysisRun | undefined {
  return runNamed(draft, recorded(draft, type)?.name);
}

/** dev compat rollouts RQ-19: a run belongs to the step that started it. */
const isOfStep = ({ metadata }: AnalysisRun, index: string): boolean =>
  (metadata.labels?.[rolloutKey.stepIndex] ?? index) === index;

/** Copies the phase of the recorded run, and acts on a bad one. */
function follow(draft: Draft, type: RunType): void {
  const known = recorded(draft, type);
  const run = currentRun(draft, type);
  if (!known || !run) return;
  const { phase = 'Pending', message } = run.status ?? {};
  if (known.status !== phase) {
    const isBad = phase === 'Failed' || phase === 'Error';
    draft.event(
      `AnalysisRun${phase}`,
      `${type} Analysis Run '${known.name}' Status New: '${phase}' Previous: '${known.status}'`,
      isBad ? 'Warning' : 'Normal',
    );
  }
  record(draft, type, { name: known.name, status: phase, ...(message && { message }) });
  judge(draft, type, run);
}

const words: Readonly<Record<RunType, string>> = {
  Step: 'Step-based analysis',
  Background: 'Background analysis',
  PrePromotion: 'Blue/green pre-promotion analysis',
  PostPromotion: 'Blue/green post-promotion analysis',
};

/** compat rollouts RW-10, RW-12, RA-20. */
function judge(draft: Draft, type: RunType, run: AnalysisRun): void {
  const { phase, message } = run.status ?? {};
  if (draft.rollout.status?.abort || isRetried(draft)) return;
  if (phase === 'Inconclusive' && !isResumed(draft.rollout)) draft.added.add('InconclusiveAnalysisRun');
  if (phase !== 'Failed' && phase !== 'Error') return;
  const cause = message ? `: ${message}${evidenceOf(run)}` : '';
  draft.abort(`${words[type]} phase error/failed (${run.metadata.name})${cause}`);
}

/** After a retry the finished run of the attempt before it counts no more. */
const isRetried = ({ rollout }: Draft): boolean =>
  rollout.status?.abort !== true && rollout.status?.abortedAt !== undefined;

function needsNewRun(draft: Draft, run: AnalysisRun | undefined): boolean {
  const { rollout } = draft;
  if (pauseOf(rollout, 'InconclusiveAnalysisRun')) return false;
  if (!run) return true;
  if (isResumed(rollout) && run.status?.phase === 'Inconclusive') return true;
  return isRetried(draft);
}

/** compat rollouts RA-4. */
function start(draft: Draft, request: Request): void {
  const { rollout, pass } = draft;
  const { spec, remarks } = specOfRun(draft, request);
  for (const remark of remarks) draft.event('AnalysisRemark', remark, 'Warning');
  const { name, namespace, labels } = rollout.metadata;
  const hash = hashOf(pass.roles.fresh);
  const revision = revisionOf(rollout);
  const base = [name, hash, String(revision), request.infix].filter((part) => part !== '').join('-');
  const begun = pass.runs.find((run) => isBegun(run, base, spec));
  if (begun) {
    record(draft, request.type, { name: begun.metadata.name, status: begun.status?.phase ?? 'Pending' });
    return;
  }
  const { analysisRunMetadata } = request.analysis;
  const instanceId = labels?.[rolloutKey.instanceId];
  const taken = new Set(pass.runs.map(({ metadata }) => metadata.name));
  const free = freeName(
    base,
    '.',
    (name) => taken.has(name) || pass.find('argoproj.io/v1alpha1', 'AnalysisRun', name) !== undefined,
  );
  draft.write({
    verb: 'create',
    object: {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AnalysisRun',
      metadata: {
        name: free,
        ...(namespace && { namespace }),
        labels: {
          ...rollout.spec?.selector?.matchLabels,
          ...analysisRunMetadata?.labels,
          [rolloutKey.hash]: hash,
          [rolloutKey.rolloutType]: request.type,
          ...(request.type === 'Step' && { [rolloutKey.stepIndex]: request.infix }),
          ...(instanceId !== undefined && { [rolloutKey.instanceId]: instanceId }),
        },
        annotations: { ...analysisRunMetadata?.annotations, [rolloutKey.revision]: String(revision) },
        ownerReferences: [ownerOf(rollout)],
      },
      spec,
    },
  });
  record(draft, request.type, { name: free, status: 'Pending' });
}

/** A run that was created before a restart, and is not recorded yet. */
const isBegun = ({ metadata, spec, status }: AnalysisRun, base: string, wanted: AnalysisRunSpec): boolean =>
  (metadata.name === base || metadata.name.startsWith(`${base}.`)) &&
  !isFinished(status?.phase) &&
  !spec?.terminate &&
  equal(spec, wanted);

/** Throws InvalidSpec where the analysis cannot be run. */
export function specOfRun(
  { rollout, pass }: Pick<Draft, 'rollout' | 'pass'>,
  request: Omit<Request, 'infix'> & { readonly isTrial?: boolean },
): MergedAnalysis {
  const hashes = { latest: hashOf(pass.roles.fresh), stable: rollout.status?.stableRS ?? '' };
  const { analysis, service, type, isTrial } = request;
  const resolve = (arg: AnalysisArgument) => resolveArgument(arg, rollout, hashes, isTrial);
  return mergeAnalysis(analysis, {
    find: pass.template,
    args: (analysis.args ?? []).map(resolve),
    resolve,
    service,
    endsAtOnce: type !== 'Background',
  });
}
