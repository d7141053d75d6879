import type { Condition, KubeObject, LabelSelector } from '#base/model';
import type { PodTemplate } from '../pod/view.ts';
import type { ReplicaSet } from '../replica-set.ts';

export type Deployment = KubeObject<DeploymentSpec, DeploymentStatus>;

export type DeploymentSpec = {
  readonly replicas?: number;
  readonly selector?: LabelSelector;
  readonly template?: PodTemplate;
  readonly strategy?: {
    readonly type?: 'RollingUpdate' | 'Recreate';
    readonly rollingUpdate?: {
      readonly maxSurge?: number | string;
      readonly maxUnavailable?: number | string;
    };
  };
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly progressDeadlineSeconds?: number;
  readonly paused?: boolean;
};

export type DeploymentStatus = {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly Condition[];
};

/** The replica sets of a deployment: the one for the current template, and the others, oldest first. */
export type Sets = { readonly current: ReplicaSet | undefined; readonly old: readonly ReplicaSet[] };

export const everySet = ({ current, old }: Sets): readonly ReplicaSet[] =>
  current ? [...old, current] : old;

export const isRecreated = ({ spec }: Deployment): boolean => spec?.strategy?.type === 'Recreate';
export const wantedOf = ({ spec }: Deployment): number => spec?.replicas ?? 1;
export const wanted = (set: ReplicaSet): number => set.spec?.replicas ?? 0;
export const existing = (set: ReplicaSet): number => set.status?.replicas ?? 0;
export const available = (set: ReplicaSet): number => set.status?.availableReplicas ?? 0;

export const sum = (sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number =>
  sets.reduce((total, set) => total + count(set), 0);

/** How far a rolling update may go above and below the desired number. */
export function bounds({ replicas = 1, strategy }: DeploymentSpec): { surge: number; unavailable: number } {
  if (strategy?.type === 'Recreate') return { surge: 0, unavailable: 0 };
  const { maxSurge = '25%', maxUnavailable = '25%' } = strategy?.rollingUpdate ?? {};
  const surge = amount(maxSurge, replicas, Math.ceil);
  const unavailable = amount(maxUnavailable, replicas, Math.floor);
  // compat cluster 5.2: two zeros would allow no step at all
  return { surge, unavailable: Math.min(surge === 0 && unavailable === 0 ? 1 : unavailable, replicas) };
}

/** A number, or a percentage of the total. */
export function amount(value: number | string, total: number, round: (n: number) => number): number {
  if (typeof value === 'number') return value;
  return value.endsWith('%') ? round((Number(value.slice(0, -1)) * total) / 100) : Number(value) || 0;
}
