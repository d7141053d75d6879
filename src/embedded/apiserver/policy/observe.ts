import type { BackgroundTasks } from '../background-tasks.ts';
import { type Core, peek } from '../core.ts';
import { type Item, nameOf } from '../item.ts';
import { internalWrite, resourceFor } from '../write/internal-write.ts';
import { patch } from '../write/patch.ts';

const collectionId = 'admissionregistration.k8s.io/validatingadmissionpolicies';

/** Sets observedGeneration in each policy's status, as the controller manager of a real cluster does. */
export function startPolicyStatus(core: Core, tasks: BackgroundTasks): void {
  const tend = (item: Item | undefined) => {
    if (item && !isObserved(item)) tasks.add(`policy ${nameOf(item)}`, () => observe(core, nameOf(item)));
  };
  for (const { item } of core.state.collection(collectionId).list()) tend(item);
  core.state.onCommit(({ collection, next }) => {
    if (collection.id === collectionId) tend(next?.item);
  });
}

const isObserved = ({ metadata, status }: Item): boolean =>
  (status as { observedGeneration?: number } | undefined)?.observedGeneration === metadata.generation;

function observe(core: Core, name: string): void {
  const policy = peek(core, collectionId, '', name);
  if (!policy || isObserved(policy)) return;
  const writing = internalWrite(core, resourceFor(core, policy), 'validatingadmissionpolicy-status', {
    subresource: 'status',
  });
  const { apiVersion, kind } = policy;
  const status = { observedGeneration: policy.metadata.generation, typeChecking: {} };
  patch(writing, name, { type: 'apply', body: { apiVersion, kind, metadata: { name }, status } }, true);
}
