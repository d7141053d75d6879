/**
 * patch: the algebra of change. The four patch formats Kubernetes accepts, and how kubectl makes them.
 *
 * Invariants
 * (1) Nothing here changes its arguments. Results may share parts with them, so treat both as frozen.
 * (2) applyMergePatch(a, createMergePatch(a, b)) = b, whenever b holds no nulls.
 * (3) applyStrategicPatch(a, createStrategicPatch(a, b)) = b, up to the order of lists merged by key.
 * (4) Applying the same configuration twice changes nothing the second time, managedFields included. (A field that an
 *     apply empties is null in its result until the caller's decoder drops it, as in Kubernetes.)
 * (5) An apply removes a field from an object only when its last owner gives it up.
 * (6) Time is a string that the caller passes in; nothing here reads a clock.
 *
 * A conflict is a result, not an exception: applyServerSide() returns it. A patch that cannot be applied at
 * all throws FairleadError('InvalidSpec') with the API server's message.
 */
export { applyJsonPatch, type JsonPatchOperation } from './json-patch.ts';
export { applyMergePatch, createMergePatch } from './merge-patch.ts';
export { compareFields } from './server-side/compare.ts';
export { describeConflicts } from './server-side/conflict.ts';
export { FieldSet } from './server-side/field-set.ts';
export { fieldSetOf } from './server-side/field-set-of.ts';
export { applyServerSide, recordUpdate } from './server-side/managed-fields.ts';
export { ownChanges } from './server-side/own-changes.ts';
export { removeFields } from './server-side/remove.ts';
export { applyStrategicPatch } from './strategic/apply.ts';
export { createStrategicPatch } from './strategic/create.ts';
export { goText } from './strategic/directives.ts';
export { createThreeWayStrategicPatch } from './strategic/three-way.ts';
export { createThreeWayMergePatch } from './three-way.ts';
