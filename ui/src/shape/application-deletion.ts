import type { Application, ApplicationSet } from '#base/model';
import { counted } from './span.ts';

/** How the resources of an application are deleted; `keep`: not at all. */
export type DeletionChoice = 'foreground' | 'background' | 'keep';

export const deletionChoices: readonly { readonly value: DeletionChoice; readonly label: string }[] = [
  { value: 'foreground', label: 'delete, and wait for what they own' },
  { value: 'background', label: 'delete, without waiting' },
  { value: 'keep', label: 'leave in the cluster' },
];

/** What the deletion does, before it is confirmed. */
export function deletionEffect({ status }: Application, choice: DeletionChoice): string {
  const count = (status?.resources ?? []).length;
  if (count === 0) return 'It has no resources in the cluster.';
  if (choice === 'keep')
    return `${counted(count, 'resource')} will stay in the cluster, and nothing manages them any more.`;
  return `${counted(count, 'resource')} will be deleted from the cluster. This cannot be undone.`;
}

/** What the deletion of a set does, before it is confirmed. */
export function setDeletionEffect({ spec }: ApplicationSet, applications: number): string {
  if (applications === 0) return 'It has no applications.';
  const all = `${counted(applications, 'application')} of it will be deleted`;
  return spec.syncPolicy?.preserveResourcesOnDeletion
    ? `${all}. Their resources stay in the cluster, and nothing manages them any more.`
    : `${all}, with their resources in the cluster. This cannot be undone.`;
}
