import type { KubeObject } from '#base/model';
import { anyType, isObject, type TypeNode, typeFromCrd } from '#kubernetes/schema';

const known = new WeakMap<KubeObject, Map<string, TypeNode | undefined>>();

/**
 * The type a definition (CRD) gives to one version of its kind; undefined for a version it does not have.
 * Without any definition every field is allowed: aggregated API servers serve some kinds. Results are cached.
 */
export function definedType(definition: KubeObject | undefined, version: string): TypeNode | undefined {
  if (!definition) return anyType;
  const types = known.get(definition) ?? new Map<string, TypeNode | undefined>();
  known.set(definition, types);
  if (!types.has(version)) types.set(version, readType(definition, version));
  return types.get(version);
}

function readType({ spec }: KubeObject, version: string): TypeNode | undefined {
  if (!isObject(spec) || !Array.isArray(spec.versions)) return undefined;
  const found = spec.versions.find((one) => isObject(one) && one.name === version);
  if (!isObject(found)) return undefined;
  const schema = isObject(found.schema) ? found.schema.openAPIV3Schema : undefined;
  const preserveUnknownFields = spec.preserveUnknownFields === true;
  return typeFromCrd(isObject(schema) ? schema : undefined, { preserveUnknownFields });
}
