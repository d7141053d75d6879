import type { Application, KubeObject } from '#base/model';
import { printAll } from '#lang/yaml';
import { nameOf } from './words.ts';

/**
 * dev server §8.2: Applications as YAML, one document each, with what they declare and nothing that a cluster adds.
 * In one order, so that what an ApplicationSet generates and what is stored can be compared line by line.
 */
export const printDeclared = (apps: readonly Application[]): string =>
  printAll(apps.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b))).map(declared));

function declared({ metadata, spec }: Application): KubeObject {
  const { name, namespace, labels, annotations, finalizers } = metadata;
  const kept = { name, namespace, labels, annotations, finalizers };
  const some = Object.entries(kept).filter(([, value]) => value && Object.keys(value).length > 0);
  return sorted({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: Object.fromEntries(some),
    spec,
  }) as KubeObject;
}

/** With the keys of every object in the order of the alphabet. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}
