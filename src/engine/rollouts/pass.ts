import { type KubeObject, type LabelSelector, printTime } from '#base/model';
import { clone } from '#base/std';
import type { AnalysisRun, AnalysisTemplate } from './analysis/analysis.ts';
import type { KnativeFacts } from './knative/view.ts';
import type { Roles } from './replica-sets.ts';
import type { PauseReason, Rollout, RolloutStatus } from './rollout.ts';

export type RolloutService = KubeObject<{ selector?: Record<string, string> }>;
export type RolloutPod = KubeObject<unknown, { conditions?: { type: string; status: string }[] }>;

export type WriteRef = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
};

/** One write to the cluster. Every write is safe to repeat; the controller makes them in order. */
export type RolloutWrite =
  | { readonly verb: 'create'; readonly object: KubeObject }
  | { readonly verb: 'patch'; readonly ref: WriteRef; readonly body: object }
  /** Server-side apply of the fields that the Rollout owns. */
  | { readonly verb: 'apply'; readonly object: KubeObject }
  | { readonly verb: 'delete'; readonly ref: WriteRef; readonly uid?: string | undefined }
  | { readonly verb: 'evict'; readonly ref: WriteRef };

export type RolloutEvent = {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
};

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
  /** The runs that the Rollout owns. */
  readonly runs: readonly AnalysisRun[];
  readonly experiments: readonly KubeObject[];
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
export class Draft {
  readonly pass: RolloutState;
  readonly writes: RolloutWrite[] = [];
  readonly events: RolloutEvent[] = [];
  readonly status: RolloutStatus;
  readonly added = new Set<PauseReason>();
  readonly removed = new Set<PauseReason>();
  arePausesCleared = false;
  isResumeConsumed = false;
  abortMessage: string | undefined;
  isAbortRemoved = false;
  areRunsReconciled = false;
  /** Whether the new version needs no steps: it is one that was good before. */
  skipsSteps = false;
  /** What a Rollout of a Knative Service waits for; undefined: nothing. */
  waitsFor: string | undefined;
  wakeAt: number | undefined;

  constructor(pass: RolloutState) {
    this.pass = pass;
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

  write(write: RolloutWrite): void {
    this.writes.push(write);
  }

  patch(object: KubeObject, body: object): void {
    this.write({ verb: 'patch', ref: refTo(object), body });
  }

  event(reason: string, message: string, type: RolloutEvent['type'] = 'Normal'): void {
    this.events.push({ type, reason, message });
  }

  abort(message: string): void {
    this.abortMessage ??= message;
  }

  clearPauses(): void {
    this.arePausesCleared = true;
  }

  /** Requests a pass at a time; of several the earliest counts. */
  wake(at: number): void {
    if (Number.isFinite(at)) this.wakeAt = Math.min(at, this.wakeAt ?? at);
  }

  get nowText(): string {
    return printTime(this.pass.now);
  }
}

export const refTo = ({ apiVersion, kind, metadata }: KubeObject): WriteRef => ({
  apiVersion,
  kind,
  namespace: metadata.namespace,
  name: metadata.name,
});

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
