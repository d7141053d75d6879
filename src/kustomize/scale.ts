import { decline } from './decline.ts';
import { visitField } from './field-path.ts';
import { nameOf, type Resource } from './resource.ts';

const kinds = new Set(['Deployment', 'ReplicationController', 'ReplicaSet', 'StatefulSet']);

/** Sets the replicas of the objects that are, or were, called so (KT-8). */
export function setReplicas(resources: readonly Resource[], name: string, count: number): void {
  const found = resources.filter(
    (resource) => kinds.has(resource.kind) && (nameOf(resource) === name || wasCalled(resource, name)),
  );
  if (found.length === 0) decline('replicas of nothing'); // compat: an error there
  for (const resource of found) {
    visitField(resource, {
      path: ['spec', 'replicas'],
      create: 'text',
      found: ({ holder, key }) => {
        const before = holder[key];
        // compat: the quotes of a text that was there would stay
        const isOdd = before !== undefined && before !== null && typeof before !== 'number';
        if (isOdd) decline('replicas that are no number');
        holder[key] = count;
      },
    });
  }
}

const wasCalled = ({ former }: Resource, name: string): boolean => former.some((id) => id.name === name);
