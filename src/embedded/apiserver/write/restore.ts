import {
  isObject,
  type JsonObject,
  type ScalarKind,
  type StructType,
  type TypeNode,
} from '#kubernetes/schema';
import { unmarshalProblem } from './unmarshal.ts';

/**
 * The first error of Kubernetes when it converts a merged object back into a struct, in its words, which differ
 * from those of its JSON decoder (compat cluster 3.14); undefined when there is none.
 */
export function restoreProblem(value: unknown, type: TypeNode): string | undefined {
  if (value === null || value === undefined || type.kind === 'any') return undefined;
  if (type.kind === 'scalar') return scalarProblem(value, type.scalar);
  if (type.kind === 'list') {
    if (Array.isArray(value)) return first(value, () => type.items);
    return `cannot restore slice from ${goKind(value)}`;
  }
  if (type.kind === 'struct') {
    if (isObject(value)) return firstField(value, type);
    return `cannot restore struct from: ${goKind(value)}`;
  }
  return isObject(value)
    ? first(Object.values(value), () => type.values)
    : `cannot restore map from ${goKind(value)}`;
}

function first(values: readonly unknown[], typeOf: () => TypeNode): string | undefined {
  for (const value of values) {
    const problem = restoreProblem(value, typeOf());
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function firstField(object: JsonObject, type: StructType): string | undefined {
  for (const { name, type: declared } of type.fields.values()) {
    const value = object[name];
    const problem = value === undefined ? undefined : restoreProblem(value, declared);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'object') return 'map';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'int64' : 'string';
}

const goScalars: Partial<Readonly<Record<ScalarKind, string>>> = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  number: 'float64',
};

function scalarProblem(value: unknown, scalar: ScalarKind): string | undefined {
  const wanted = goScalars[scalar];
  if (wanted === undefined) return selfMade(value, scalar);
  const found = goKind(value);
  const isInteger = scalar === 'int32' || scalar === 'int64';
  if (found === wanted || (found === 'int64' && (isInteger || scalar === 'number'))) {
    return scalar === 'int32' && isTooLarge(value) ? `value ${String(value)} overflows int32` : undefined;
  }
  const isNumber = found === 'int64' || found === 'float64';
  return isNumber && wanted !== 'bool'
    ? `cannot convert ${found} to ${wanted}`
    : `unrecognized type: ${wanted}`;
}

const isTooLarge = (value: unknown): boolean => Number(value) >= 2 ** 31 || Number(value) < -(2 ** 31);

/** Types with their own JSON decoder report the same errors as there. */
function selfMade(value: unknown, scalar: ScalarKind): string | undefined {
  const holder: StructType = {
    kind: 'struct',
    name: '',
    atomic: false,
    open: true,
    fields: new Map([['it', fieldOf(scalar)]]),
  };
  const problem = unmarshalProblem({ it: value }, holder);
  if (problem === undefined) return undefined;
  const plain = problem.replace('Go struct field .it', 'Go value');
  return scalar === 'bytes' ? `error decoding from json: ${plain}` : plain;
}

const fieldOf = (scalar: ScalarKind) => ({
  name: 'it',
  type: { kind: 'scalar', scalar } as const,
  required: false,
  pointer: false,
  omitEmpty: true,
  patch: 'default' as const,
  retainKeys: false,
  proto: [],
});
