import { decline } from './decline.ts';
import type { ReplicaEntry } from './entries.ts';
import { type FieldSpec, isSelected, specs, visitField } from './field-path.ts';
import { idsOf, type KustomizeResource } from './resource.ts';

/** Fields that contain a number of replicas (sources KT-8). */
export const replicaFields: readonly FieldSpec[] = specs(
  ['Deployment', 'StatefulSet', 'ReplicaSet', 'ReplicationController'].map((kind) => ({ kind })),
  '+spec/replicas',
);

/** Sets the replicas of the objects that have, or had, the name (sources KT-8). */
export function setReplicas(
  resources: readonly KustomizeResource[],
  { name, count }: ReplicaEntry,
  fields: readonly FieldSpec[],
): void {
  let isFound = false;
  for (const field of fields) {
    const chosen = resources.filter((resource) => wasCalled(resource, name, field));
    isFound ||= chosen.length > 0;
    for (const resource of chosen) if (isSelected(resource, field)) setCount(resource, field, count);
  }
  if (!isFound) decline('replicas of nothing'); // compat: kustomize reports an error
}

function setCount(resource: KustomizeResource, { path, create }: FieldSpec, count: number): void {
  visitField(resource, {
    path,
    create: create ? 'text' : undefined,
    found: ({ holder, key }) => {
      const before = holder[key];
      // compat: the quotes of an existing text would stay
      const isOdd = before !== undefined && before !== null && typeof before !== 'number';
      if (isOdd) decline('replicas that are no number');
      holder[key] = count;
    },
  });
}

const wasCalled = (resource: KustomizeResource, called: string, field: FieldSpec): boolean =>
  idsOf(resource).some(({ kind, name }) => name === called && isSelected({ ...resource, kind }, field));
