import {
  type Application,
  type ApplicationSet,
  controllerOf,
  controllerReference,
  groupOf,
  type KubeObject,
  type OwnerReference,
} from '#base/model';

const refersToSet = (reference: OwnerReference, name: string): boolean =>
  reference.kind === 'ApplicationSet' && groupOf(reference) === 'argoproj.io' && reference.name === name;

/** compat sources ASA-9: controlled by a set of this name in the same namespace. */
export function isOwnedBySet(app: KubeObject, { metadata }: ApplicationSet): boolean {
  const controller = controllerOf(app);
  return (
    controller !== undefined &&
    app.metadata.namespace === metadata.namespace &&
    refersToSet(controller, metadata.name)
  );
}

/** compat sources ASA-6: the error where another object controls the application; undefined: the set may own it. */
export function ownershipProblem(app: Application, { metadata }: ApplicationSet): string | undefined {
  const controller = controllerOf(app);
  if (!controller || refersToSet(controller, metadata.name)) return undefined;
  return (
    `application ${app.metadata.name} is already owned by ${controller.kind} ${controller.name}; ` +
    'give it another name in one of the two templates'
  );
}

/** The live references, with this set as the controller; the very same list when it is that already. */
export function ownedReferences(
  live: readonly OwnerReference[] | undefined,
  set: ApplicationSet,
): readonly OwnerReference[] {
  const own = controllerReference(set);
  const present = live?.find((reference) => refersToSet(reference, set.metadata.name));
  if (live && present && present.uid === own.uid && present.controller === true) return live;
  return [...(live ?? []).filter((reference) => reference !== present), own];
}
