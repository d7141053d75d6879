import { controllerOf, groupOf, type KubeObject } from '#base/model';

/** The object of a kind of Argo Rollouts that owns another, as `namespace/name`; undefined: none of this kind does. */
export const ownerKeyOf =
  (kind: string) =>
  (object: KubeObject): string | undefined => {
    const owner = controllerOf(object);
    if (owner?.kind !== kind || groupOf(owner) !== 'argoproj.io') return undefined;
    return `${object.metadata.namespace ?? ''}/${owner.name}`;
  };
