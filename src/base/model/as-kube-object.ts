import { FairleadError, isObject, type JsonObject } from '#base/std';
import type { KubeObject } from './kube-object.ts';

/**
 * Reads foreign data as an object, or throws InvalidSpec naming everything that is wrong with it. `where`
 * names the origin: a file, a list position. An object with only a generateName gets name ''.
 */
export function asKubeObject(value: unknown, where: string): KubeObject {
  if (!isObject(value)) {
    throw new FairleadError(
      'InvalidSpec',
      `${where}: expected a Kubernetes object, found ${describe(value)}`,
    );
  }
  const problems = [...textProblems(value), ...metadataProblems(value.metadata)];
  if (problems.length > 0) throw new FairleadError('InvalidSpec', `${where}: ${problems.join('; ')}`);
  return settled(value);
}

function textProblems(value: JsonObject): string[] {
  return ['apiVersion', 'kind'].flatMap((field) => textProblem(value[field], field));
}

function textProblem(value: unknown, field: string): string[] {
  if (value === undefined || value === null || value === '') return [`${field} is missing`];
  return typeof value === 'string' ? [] : [`${field} must be a string, found ${describe(value)}`];
}

function metadataProblems(metadata: unknown): string[] {
  if (metadata === undefined || metadata === null) return ['metadata.name is missing'];
  if (!isObject(metadata)) return [`metadata must be an object, found ${describe(metadata)}`];
  const generated = typeof metadata.generateName === 'string' && metadata.generateName !== '';
  return [
    ...(generated && !metadata.name ? [] : textProblem(metadata.name, 'metadata.name')),
    ...(metadata.namespace ? textProblem(metadata.namespace, 'metadata.namespace') : []),
    ...['labels', 'annotations'].flatMap((field) => mapProblems(metadata[field], `metadata.${field}`)),
  ];
}

function mapProblems(map: unknown, field: string): string[] {
  if (map === undefined || map === null) return [];
  if (!isObject(map)) return [`${field} must be a map, found ${describe(map)}`];
  return Object.entries(map)
    .filter(([, value]) => typeof value !== 'string')
    .map(([key, value]) => `${field}["${key}"] must be a string, found ${describe(value)}; put it in quotes`);
}

/** The same object when it already keeps every promise of its type, else a copy that does. */
function settled(value: JsonObject): KubeObject {
  const metadata = value.metadata as JsonObject;
  const nulls = Object.keys(metadata).filter((field) => metadata[field] === null);
  if (typeof metadata.name === 'string' && nulls.length === 0) return value as KubeObject;
  const kept = Object.fromEntries(Object.entries(metadata).filter(([, field]) => field !== null));
  return { ...value, metadata: { ...kept, name: metadata.name ?? '' } } as KubeObject;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  return typeof value === 'string' ? 'text' : `${typeof value} ${String(value)}`;
}
