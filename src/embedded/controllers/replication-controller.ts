import type { KubeObject } from '#base/model';
import { podKind, replicationControllerKind } from './kinds.ts';
import { ownerKey, type ReplicaSet, syncReplicas } from './replica-set.ts';
import type { Controller } from './simulation-context.ts';

type ReplicationController = KubeObject<
  Omit<NonNullable<ReplicaSet['spec']>, 'selector'> & { readonly selector?: Readonly<Record<string, string>> }
>;

/** The predecessor of the replica set: the same behaviour, with a plain selector. */
export const replicationController: Controller = {
  type: replicationControllerKind,
  wakes: [{ type: podKind, keys: (_context, event) => ownerKey('ReplicationController', event) }],
  reconcile(context, object) {
    const { spec = {}, ...rest } = object as ReplicationController;
    const { selector: matchLabels = {}, ...others } = spec;
    return syncReplicas(context, { ...rest, spec: { ...others, selector: { matchLabels } } } as ReplicaSet);
  },
};
