import type { KubeObject, LabelSelector } from '#base/model';
import { clone } from '#base/std';
import type { AnalysisRun, AnalysisTemplate } from './analysis/analysis.ts';
import type { Experiment } from './experiment/experiment.ts';
import type { KnativeFacts } from './knative/view.ts';
import { PlanDraft, type RolloutEvent, type RolloutWrite } from './plan-draft.ts';
import { type Roles, revisionOf } from './replica-sets.ts';
import type { PauseReason, Rollout, RolloutStatus } from './rollout.ts';

export type RolloutService = KubeObject<{
  selector?: Record<string, string>;
  ports?: { name?: string; port?: number }[];
}>;
export type RolloutPod = KubeObject<unknown, { conditions?: { type: string; status: string }[] }>;

/** What one pass over a Rollout reads. */
export type RolloutState = {
  /** With the template of the workload that it refers to, if it does. */
  readonly rollout: Rollout;
  readonly roles: Roles;
  readonly now: Date;
  service(name: string): RolloutService | undefined;
  /** Any other object in the namespace of the Rollout. */
  find(apiVersion: string, kind: string, name: string): KubeObject | undefined;
  template(name: string, isClusterWide: boolean): AnalysisTemplate | undefined;
  /** The runs and the experiments that the Rollout owns. */
  readonly runs: readonly AnalysisRun[];
  readonly experiments: readonly Experiment[];
  /** The pods of the Rollout, where the pass needs them. */
  readonly pods: readonly RolloutPod[];
  /** The workload that the Rollout refers to. */
  readonly workload?: (KubeObject<{ replicas?: number; selector?: LabelSelector }> & object) | undefined;
  /** Of a Rollout that moves the traffic of a Knative Service. */
  readonly knative?: KnativeFacts | undefined;
};

/** What a pass decides. The status is written last; undefined: nothing of it changed. */
export type RolloutPlan = {
  readonly writes: readonly RolloutWrite[];
  readonly status: RolloutStatus | undefined;
  readonly events: readonly RolloutEvent[];
  /** When something is due although nothing changes, in milliseconds of the clock. */
  readonly wakeAt: number | undefined;
};

/** The plan while it is drawn up. */
export class Draft extends PlanDraft {
  readonly pass: RolloutState;
  readonly status: RolloutStatus;
  /** The number of the current template; the Rollout carries that of the pass before. */
  revision: number;
  readonly added = new Set<PauseReason>();
  readonly removed = new Set<PauseReason>();
  arePausesCleared = false;
  isResumeConsumed = false;
  abortMessage: string | undefined;
  isAbortRemoved = false;
  areRunsReconciled = false;
  /** Whether the routes that steps request were brought to the routers in this pass. */
  areRoutesSet = false;
  /** Whether the new version needs no steps: it is one that was good before. */
  skipsSteps = false;
  /** What a Rollout of a Knative Service waits for; undefined: nothing. */
  waitsFor: string | undefined;

  constructor(pass: RolloutState) {
    super(pass.now);
    this.pass = pass;
    this.revision = revisionOf(pass.rollout);
    this.status = clone(pass.rollout.status ?? {});
    this.status.canary ??= {};
    this.status.blueGreen ??= {};
  }

  get rollout(): Rollout {
    return this.pass.rollout;
  }

  get isAborted(): boolean {
    return !this.isAbortRemoved && (this.abortMessage !== undefined || this.rollout.status?.abort === true);
  }

  abort(message: string): void {
    this.abortMessage ??= message;
  }

  clearPauses(): void {
    this.arePausesCleared = true;
  }
}

export const pauseOf = ({ status }: Rollout, reason: PauseReason) =>
  status?.pauseConditions?.find((one) => one.reason === reason);

/** Whether the controller paused and a person lifted the pause. */
export const isResumed = (rollout: Rollout): boolean =>
  rollout.status?.controllerPause === true && (rollout.status.pauseConditions ?? []).length === 0;

/** compat rollouts RW-12: what freezes scaling, Services and steps; undefined: nothing does. */
export function haltReason({ rollout }: Draft): string | undefined {
  if (rollout.spec?.paused) return 'user paused';
  if (pauseOf(rollout, 'InconclusiveAnalysisRun')) return 'inconclusive analysis';
  if (pauseOf(rollout, 'InconclusiveExperiment')) return 'inconclusive experiment';
  return undefined;
}
