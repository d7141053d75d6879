import { conditionOf } from '#base/model';
import type { AnalysisRun } from './analysis/analysis.ts';
import { stepIndexOf } from './canary-replicas.ts';
import { manualTrafficType } from './conditions.ts';
import { shownPhase } from './describe.ts';
import { knativeOf } from './knative/settings.ts';
import { pauseOf } from './pass.ts';
import {
  blueGreenOf,
  isPromoted,
  type PauseReason,
  type Rollout,
  type RunStatus,
  stepsOf,
} from './rollout.ts';
import { currentStep, describeStep, pauseEnd } from './steps.ts';

/** What a Rollout does now, for people. */
export type RolloutExplanation = {
  readonly phase: string;
  /** The step that is under way: `2 of 4, pause`; undefined: there is none. */
  readonly step: string | undefined;
  /** What it waits for; undefined: nothing. */
  readonly waitsFor: string | undefined;
  /** When the wait ends by itself, in milliseconds since 1970; undefined: it does not. */
  readonly until: number | undefined;
  /** What happens after the wait, or at the next change where there is none. */
  readonly next: string;
  /** The verbs of the command line by which a user can act on it now. */
  readonly verbs: readonly string[];
};

type Wait = Omit<RolloutExplanation, 'phase' | 'step'>;

/** compat rollouts §13: what the Rollout waits for, until when, and what happens next. `runs`: its AnalysisRuns. */
export function explainRollout(rollout: Rollout, runs: readonly AnalysisRun[]): RolloutExplanation {
  const { phase, message } = shownPhase(rollout);
  const steps = stepsOf(rollout);
  const index = stepIndexOf(rollout) ?? 0;
  const step = currentStep(rollout);
  const isUnderWay = step !== undefined && !isPromoted(rollout) && rollout.status?.abort !== true;
  return {
    phase: message ? `${phase} - ${message}` : phase,
    step: isUnderWay ? `${index + 1} of ${steps.length}, ${describeStep(step)}` : undefined,
    ...waitOf(rollout, { phase, message, runs }),
  };
}

type Seen = { readonly phase: string; readonly message: string; readonly runs: readonly AnalysisRun[] };

function waitOf(rollout: Rollout, { phase, message, runs }: Seen): Wait {
  if (phase === 'Healthy') return atRest(rollout);
  if (phase === 'Paused') return paused(rollout);
  if (phase === 'Degraded') return degraded(rollout, message);
  return progressing(rollout, message, runs);
}

function atRest(rollout: Rollout): Wait {
  const [first] = stepsOf(rollout);
  const begins = first ? `begins at step 1, ${describeStep(first)}` : 'replaces the pods one by one';
  const change = knativeOf(rollout) ? 'a new Revision of the Service' : 'a new template';
  const next = blueGreenOf(rollout)
    ? 'a new template gets pods of its own beside the active ones'
    : `an update by ${change} ${begins}`;
  return { waitsFor: undefined, until: undefined, next, verbs: ['undo'] };
}

const going: readonly string[] = ['promote', 'abort'];

const inconclusive: Partial<Record<PauseReason, string>> = {
  InconclusiveAnalysisRun: 'a user, because the analysis is inconclusive',
  InconclusiveExperiment: 'a user, because the Experiment is inconclusive',
};

function paused(rollout: Rollout): Wait {
  if (conditionOf(rollout.status?.conditions ?? [], manualTrafficType)?.status === 'True')
    return {
      waitsFor: 'a user, who overrode the traffic',
      until: undefined,
      next: 'the traffic returns to the stable version, and an update begins at step 1',
      verbs: ['undo --clear'],
    };
  if (rollout.spec?.paused)
    return { waitsFor: 'a user, who paused it', until: undefined, next: nextOf(rollout, 0), verbs: going };
  const { reason } = rollout.status?.pauseConditions?.[0] ?? {};
  const unsure = reason && inconclusive[reason];
  const until = reason === 'BlueGreenPause' ? promotionTime(rollout) : pauseTime(rollout);
  const end = until === undefined ? 'a user' : 'the end of the pause';
  return {
    waitsFor: unsure ?? end,
    until: unsure ? undefined : until,
    next: nextOf(rollout, 1),
    verbs: going,
  };
}

/** Knative's traffic that was split before the Rollout came is a pause without a step. */
const pauseTime = (rollout: Rollout): number | undefined => valid(pauseEnd(rollout));

function promotionTime(rollout: Rollout): number | undefined {
  const { autoPromotionEnabled = true, autoPromotionSeconds = 0 } = blueGreenOf(rollout) ?? {};
  const since = Date.parse(pauseOf(rollout, 'BlueGreenPause')?.startTime ?? '');
  if (!autoPromotionEnabled || autoPromotionSeconds <= 0) return undefined;
  return valid(since + autoPromotionSeconds * 1000);
}

const valid = (ms: number | undefined): number | undefined =>
  ms === undefined || Number.isNaN(ms) ? undefined : ms;

/** The step that many after the current one; after the last one the new version becomes the stable one. */
function nextOf(rollout: Rollout, ahead: number): string {
  const green = blueGreenOf(rollout);
  if (green) return `Service ${green.activeService ?? ''} sends its requests to the new version`;
  const steps = stepsOf(rollout);
  const index = (stepIndexOf(rollout) ?? 0) + ahead;
  const step = steps[index];
  return step
    ? `step ${index + 1} of ${steps.length}, ${describeStep(step)}`
    : 'the new version becomes the stable one';
}

function degraded({ status, spec }: Rollout, message: string): Wait {
  const isInvalid = conditionOf(status?.conditions ?? [], 'InvalidSpec')?.status === 'True';
  if (isInvalid)
    return {
      waitsFor: 'a valid spec, or the objects that it names',
      until: undefined,
      next: 'it is checked again whenever one of them changes; nothing is touched before',
      verbs: [],
    };
  if (status?.abort)
    return {
      waitsFor: 'a retry by a user, or another template',
      until: undefined,
      next: 'the stable version keeps the traffic; a retry starts at step 1',
      verbs: spec?.workloadRef ? ['retry'] : ['retry', 'undo'],
    };
  const isLate = message.startsWith('ProgressDeadlineExceeded');
  return {
    waitsFor: isLate ? 'the pods of the new version, which are late' : 'a pass that succeeds',
    until: undefined,
    next: 'it goes on trying',
    verbs: isLate ? ['abort'] : [],
  };
}

function progressing(rollout: Rollout, message: string, runs: readonly AnalysisRun[]): Wait {
  const { canary, blueGreen } = rollout.status ?? {};
  const measured = [
    canary?.currentStepAnalysisRunStatus,
    blueGreen?.prePromotionAnalysisRunStatus,
    blueGreen?.postPromotionAnalysisRunStatus,
  ].find((run) => run?.status === 'Running' || run?.status === 'Pending');
  const step = currentStep(rollout);
  const experiment = step?.experiment ? canary?.currentExperiment : undefined;
  const waitsFor = measured
    ? runText(measured, runs)
    : experiment
      ? `Experiment ${experiment}`
      : message || 'the controller, which has not reported yet';
  const isTimed = !measured && !experiment && !step?.pause;
  const deadline = isTimed ? deadlineOf(rollout) : undefined;
  const aborts = rollout.spec?.progressDeadlineAbort ?? knativeOf(rollout) !== undefined;
  const late = aborts ? 'at the deadline it aborts' : 'at the deadline it is Degraded, and goes on trying';
  return {
    waitsFor,
    until: deadline,
    next: deadline === undefined ? nextOf(rollout, 1) : `${nextOf(rollout, 1)}; ${late}`,
    verbs: isPromoted(rollout) ? [] : going,
  };
}

/** `AnalysisRun web-2-1 (Running; success-rate 2 of 5 measurements)`. */
function runText({ name, status }: RunStatus, runs: readonly AnalysisRun[]): string {
  const run = runs.find(({ metadata }) => metadata.name === name);
  const metrics = (run?.spec?.metrics ?? []).map((metric) => {
    const { count = 0 } = run?.status?.metricResults?.find((one) => one.name === metric.name) ?? {};
    const of = metric.count === undefined && metric.interval === undefined ? 1 : metric.count;
    return `${metric.name} ${count}${of === undefined ? '' : ` of ${of}`}`;
  });
  const taken = metrics.length > 0 ? `; measurements: ${metrics.join(', ')}` : '';
  return `AnalysisRun ${name} (${status}${taken})`;
}

/** compat rollouts RN-12: when the progress deadline passes. */
function deadlineOf({ spec, status }: Rollout): number | undefined {
  const { lastUpdateTime = '' } = conditionOf(status?.conditions ?? [], 'Progressing') ?? {};
  return valid(Date.parse(lastUpdateTime) + (spec?.progressDeadlineSeconds ?? 600) * 1000);
}
