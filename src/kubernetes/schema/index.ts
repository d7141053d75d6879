/**
 * schema: what Kubernetes types are. Fields, list keys, merge keys, quantities, defaults.
 *
 * One TypeNode describes a kind for every use: strict decoding and pruning, protobuf, strategic merge patch,
 * server-side apply, OpenAPI, the differ. Built-in kinds come from the tables in facts/, custom kinds from
 * their CRD's structural schema through typeFromCrd().
 *
 * Invariants
 * (1) Nothing here changes its arguments. Results may share parts with them, so treat both as frozen.
 * (2) Two lookups of a built-in type return the same node: it can be compared by identity and key a cache.
 * (3) applyDefaults ∘ applyDefaults = applyDefaults.
 * (4) roundTrip() drops exactly what validateStrict() calls unknown.
 * (5) An integer beyond 2^53 passes through every walk as the bigint it came as.
 *
 * It does not validate values: the API server decides which values a field may have. It has names, shapes and
 * spellings only.
 */
export { applyDefaults } from './defaults/defaults.ts';
export { normalizeBuiltin } from './normalize.ts';
export { type Published, publishedFacts } from './published.ts';
export {
  type BuiltinResource,
  builtinResources,
  findNamedType,
  findType,
  type Subresource,
} from './resources.ts';
export { roundTrip } from './round-trip.ts';
export { applySchemaDefaults } from './schema-defaults.ts';
export { type FieldProblem, prune, validateStrict } from './strict.ts';
export { type CrdSchema, typeFromCrd } from './structural.ts';
export {
  anyType,
  isObject,
  type JsonObject,
  type ListType,
  type ScalarKind,
  type SchemaField,
  type SchemaGvk,
  type StructType,
  type TypeNode,
} from './type-node.ts';
