import { equal } from '#base/std';
import { isObject } from '#kubernetes/schema';
import type { BackgroundTasks } from './background-tasks.ts';
import type { Core } from './core.ts';
import { type Item, nameOf, namespaceOf, specOf } from './item.ts';
import { internalWrite, resourceFor } from './write/internal-write.ts';
import { patch } from './write/patch.ts';
import { usedBy } from './write/quota.ts';

const collectionId = '/resourcequotas';

/** Keeps the status of every quota up to date: its limits and its usage (contract cluster 3.13). */
export function startQuotas(core: Core, tasks: BackgroundTasks): void {
  const reconcile = (namespace: string) => {
    if (namespace !== '' && core.state.collection(collectionId).list(namespace).length > 0) {
      tasks.add(`quotas ${namespace}`, () => count(core, namespace));
    }
  };
  core.state.onCommit(({ next, previous }) => {
    const { item } = next ?? previous ?? {};
    if (item) reconcile(namespaceOf(item));
  });
  for (const { item } of core.state.collection(collectionId).list()) reconcile(namespaceOf(item));
}

function count(core: Core, namespace: string): void {
  for (const { item } of core.state.collection(collectionId).list(namespace)) report(core, item, namespace);
}

function report(core: Core, quota: Item, namespace: string): void {
  const status = { hard: specOf(quota).hard ?? {}, used: usedBy(core, quota, namespace) };
  const before = isObject(quota.status) ? quota.status : {};
  if (equal(before.hard, status.hard) && equal(before.used, status.used)) return;
  const target = { namespace, subresource: 'status' };
  const writing = internalWrite(core, resourceFor(core, quota), 'kube-controller-manager', target);
  patch(writing, nameOf(quota), { type: 'merge', body: { status } });
}
