import type { KubeObject } from '#base/model';
import { clone } from '#base/std';
import type { AnalysisRun, AnalysisTemplate } from '../analysis/analysis.ts';
import type { RolloutService } from '../pass.ts';
import { PlanDraft, type RolloutEvent, type RolloutWrite } from '../plan-draft.ts';
import { type RolloutReplicaSet, rolloutKey } from '../rollout.ts';
import {
  type Experiment,
  type ExperimentStatus,
  type ExperimentTemplate,
  endOf,
  isEnding,
} from './experiment.ts';

/** What one pass over an Experiment reads. */
export type ExperimentState = {
  readonly experiment: Experiment;
  readonly now: Date;
  /** The ReplicaSets, Services and runs that the Experiment owns. */
  readonly replicaSets: readonly RolloutReplicaSet[];
  readonly services: readonly RolloutService[];
  readonly runs: readonly AnalysisRun[];
  /** Whether the namespace has a run of this name, whatever owns it. */
  hasRun(name: string): boolean;
  template(name: string, isClusterWide: boolean): AnalysisTemplate | undefined;
};

/** What a pass decides. The status is written last; undefined: nothing of it changed. */
export type ExperimentPlan = {
  readonly writes: readonly RolloutWrite[];
  readonly status: ExperimentStatus | undefined;
  readonly events: readonly RolloutEvent[];
  /** Events about the runs, for the Rollout whose step the Experiment is. */
  readonly ownerEvents: readonly RolloutEvent[];
  readonly wakeAt: number | undefined;
};

/** The plan of an Experiment while it is drawn up. */
export class ExperimentDraft extends PlanDraft {
  readonly state: ExperimentState;
  readonly status: ExperimentStatus;
  readonly ownerEvents: RolloutEvent[] = [];
  readonly isEnding: boolean;
  /** Whether the Experiment has run for its duration. */
  readonly isOver: boolean;

  constructor(state: ExperimentState) {
    super(state.now);
    const { experiment } = state;
    this.state = state;
    this.status = clone(experiment.status ?? {});
    this.isEnding = isEnding(experiment);
    const end = endOf(experiment);
    this.isOver = end !== undefined && end <= state.now.getTime();
    if (end !== undefined && !this.isOver) this.wake(end);
  }

  get experiment(): Experiment {
    return this.state.experiment;
  }
}

/** compat rollouts RX-1: the annotations by which an object is matched to a template. */
export const templateAnnotations = ({ metadata }: Experiment, { name }: ExperimentTemplate) => ({
  [rolloutKey.experimentName]: metadata.name,
  [rolloutKey.experimentTemplate]: name,
});

/** Whether the object was made for this template of its Experiment. */
export const isOfTemplate = ({ metadata }: KubeObject, name: string): boolean =>
  metadata.annotations?.[rolloutKey.experimentTemplate] === name;
