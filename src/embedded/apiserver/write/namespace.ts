import { itemKey } from '../item.ts';
import { forbidden, notFound } from '../status.ts';
import type { Writing } from './writing.ts';

/** compat cluster 3.16: nothing can be created in a missing or terminating namespace. */
export function refuseWithoutNamespace({ core, resource, namespace }: Writing, name: string): void {
  if (!resource.namespaced) return;
  const found = core.state.collection('/namespaces').get(itemKey('', namespace));
  if (!found) throw notFound({ group: '', plural: 'namespaces', kind: 'Namespace' }, namespace);
  if (found.item.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(resource, name, why, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}
