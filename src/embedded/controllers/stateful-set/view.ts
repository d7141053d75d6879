import type { KubeObject, LabelSelector, ObjectMeta } from '#base/model';
import { revisionLabel } from '../controller-revision.ts';
import type { PodTemplate } from '../pod/view.ts';

export type StatefulSet = KubeObject<
  StatefulSetSpec,
  { readonly currentRevision?: string; readonly collisionCount?: number }
>;

type StatefulSetSpec = {
  readonly replicas?: number;
  readonly selector?: LabelSelector;
  readonly serviceName?: string;
  readonly template?: PodTemplate;
  readonly minReadySeconds?: number;
  readonly podManagementPolicy?: 'OrderedReady' | 'Parallel';
  readonly revisionHistoryLimit?: number;
  readonly ordinals?: { readonly start?: number };
  readonly updateStrategy?: {
    readonly type?: string;
    readonly rollingUpdate?: { readonly partition?: number };
  };
  readonly volumeClaimTemplates?: readonly {
    readonly metadata?: Partial<ObjectMeta>;
    readonly spec?: object;
  }[];
  readonly persistentVolumeClaimRetentionPolicy?: {
    readonly whenDeleted?: 'Retain' | 'Delete';
    readonly whenScaled?: 'Retain' | 'Delete';
  };
};

/** The input of one pass. */
export type Plan = {
  readonly set: StatefulSet;
  /** The revision of all pods, or their revision before the rollout in progress. */
  readonly current: string;
  readonly update: string;
  readonly ordinals: readonly number[];
  readonly pods: readonly KubeObject[];
};

/** compat cluster 5.3: pods of a stateful set carry the revision's full name. */
export const hashOf = ({ metadata }: KubeObject): string =>
  /[^-]*$/.exec(metadata.labels?.[revisionLabel] ?? '')?.[0] ?? '';

export const ordinalOf = ({ metadata }: KubeObject): number =>
  Number(/-(\d+)$/.exec(metadata.name)?.[1] ?? -1);

export const partitionOf = ({ spec }: StatefulSet): number =>
  spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
export const isParallel = ({ spec }: StatefulSet): boolean => spec?.podManagementPolicy === 'Parallel';
export const isRolling = ({ spec }: StatefulSet): boolean => spec?.updateStrategy?.type !== 'OnDelete';
