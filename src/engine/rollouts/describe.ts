import { setWeightAt, stepIndexOf } from './canary-replicas.ts';
import { type Experiment, runStatus, templateStatus, templatesOf } from './experiment/experiment.ts';
import { phaseOf } from './phase.ts';
import { availableOf, byNewestRevision, hashOf, revisionOf, sizeOf } from './replica-sets.ts';
import {
  blueGreenOf,
  canaryOf,
  type Rollout,
  type RolloutReplicaSet,
  replicasOf,
  stepsOf,
} from './rollout.ts';

/** What people see of a Rollout. */
export type RolloutView = {
  readonly phase: string;
  readonly message: string;
  readonly strategy: string;
  readonly step: string | undefined;
  readonly setWeight: string | undefined;
  readonly actualWeight: string | undefined;
  readonly images: readonly string[];
  readonly desired: number;
  readonly current: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
  /** The newest first. */
  readonly revisions: readonly {
    readonly revision: number;
    readonly name: string;
    readonly pods: number;
    readonly available: number;
    readonly roles: readonly string[];
  }[];
};

export function describeRollout(rollout: Rollout, sets: readonly RolloutReplicaSet[]): RolloutView {
  const status = rollout.status ?? {};
  const { phase, message } = shownPhase(rollout);
  return {
    phase,
    message,
    strategy: blueGreenOf(rollout) ? 'BlueGreen' : 'Canary',
    ...weightsOf(rollout),
    images: imagesOf(rollout),
    desired: replicasOf(rollout),
    current: status.replicas ?? 0,
    updated: status.updatedReplicas ?? 0,
    ready: status.readyReplicas ?? 0,
    available: status.availableReplicas ?? 0,
    revisions: sets.toSorted(byNewestRevision).map((set) => ({
      revision: revisionOf(set),
      name: set.metadata.name,
      pods: sizeOf(set),
      available: availableOf(set),
      roles: rolesIn(rollout, set),
    })),
  };
}

/** compat rollouts RS-3: what clients show while the controller has not seen a change yet. */
export function shownPhase(rollout: Rollout): { readonly phase: string; readonly message: string } {
  const { observedGeneration, controllerPause, pauseConditions = [] } = rollout.status ?? {};
  if (observedGeneration !== String(rollout.metadata.generation ?? 0))
    return { phase: 'Progressing', message: 'waiting for rollout spec update to be observed' };
  if (controllerPause && pauseConditions.length === 0 && !rollout.status?.abort)
    return { phase: 'Progressing', message: 'waiting for rollout to unpause' };
  const { phase, message = '' } = rollout.status ?? {};
  return phaseOf(rollout, rollout.status ?? {}, phase === 'Progressing' ? message : undefined);
}

function weightsOf(rollout: Rollout): Pick<RolloutView, 'step' | 'setWeight' | 'actualWeight'> {
  const none = { step: undefined, setWeight: undefined, actualWeight: undefined };
  if (!canaryOf(rollout)) return none;
  const { length } = stepsOf(rollout);
  const { canary, updatedReplicas = 0, availableReplicas = 0 } = rollout.status ?? {};
  const share = availableReplicas > 0 ? Math.floor((updatedReplicas * 100) / availableReplicas) : 0;
  const isStable = rollout.status?.stableRS === rollout.status?.currentPodHash;
  const routed = isStable ? 100 : canary?.weights?.canary.weight;
  return {
    step: length > 0 ? `${stepIndexOf(rollout) ?? 0}/${length}` : undefined,
    setWeight: String(rollout.status?.abort ? 0 : setWeightAt(rollout)),
    actualWeight: String(canaryOf(rollout)?.trafficRouting ? (routed ?? 0) : Math.min(share, 100)),
  };
}

function imagesOf({ spec }: Rollout): string[] {
  const { containers } = spec?.template?.spec ?? {};
  return Array.isArray(containers) ? containers.map(({ image = '' }: { image?: string }) => image) : [];
}

function rolesIn(rollout: Rollout, set: RolloutReplicaSet): string[] {
  const { stableRS, currentPodHash, blueGreen } = rollout.status ?? {};
  const hash = hashOf(set);
  if (blueGreenOf(rollout)) {
    const roles = {
      stable: stableRS,
      active: blueGreen?.activeSelector,
      preview: blueGreen?.previewSelector,
    };
    return Object.entries(roles).flatMap(([role, of]) => (of === hash ? [role] : []));
  }
  if (hash === stableRS) return ['stable'];
  return hash === currentPodHash ? ['canary'] : [];
}

/** What people see of an Experiment. */
export type ExperimentView = {
  readonly name: string;
  /** The revision of the Rollout whose step it is; 0: it stands alone. */
  readonly revision: number;
  readonly phase: string;
  readonly message: string;
  readonly templates: readonly { readonly name: string; readonly pods: number; readonly available: number }[];
  readonly analyses: readonly { readonly name: string; readonly phase: string }[];
};

export function describeExperiment(experiment: Experiment): ExperimentView {
  const { metadata, spec, status } = experiment;
  const invalid = status?.conditions?.find((one) => one.type === 'InvalidSpec' && one.status === 'True');
  return {
    name: metadata.name,
    revision: revisionOf(experiment),
    phase: invalid ? 'InvalidSpec' : (status?.phase ?? 'Pending'),
    message: invalid?.message ?? status?.message ?? '',
    templates: templatesOf(experiment).map(({ name }) => {
      const { replicas = 0, availableReplicas = 0 } = templateStatus(status, name) ?? {};
      return { name, pods: replicas, available: availableReplicas };
    }),
    analyses: (spec?.analyses ?? []).map(({ name }) => ({
      name,
      phase: runStatus(status, name)?.phase || 'Pending',
    })),
  };
}
