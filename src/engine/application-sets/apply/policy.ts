import type { ApplicationSet, ApplicationsSyncPolicy, Settings } from '#base/model';

/** What the controller's settings say about all sets. */
export type SetSettings = Pick<
  Settings['applicationSet'],
  'policy' | 'policyOverride' | 'preservedAnnotations' | 'preservedLabels' | 'progressiveSyncs'
>;

/** What a set may do to its applications. */
type SetRights = { readonly create: boolean; readonly update: boolean; readonly delete: boolean };

const rights: Readonly<Record<ApplicationsSyncPolicy, SetRights>> = {
  sync: { create: true, update: true, delete: true },
  'create-only': { create: true, update: false, delete: false },
  'create-update': { create: true, update: true, delete: false },
  'create-delete': { create: true, update: false, delete: true },
};

/** compat sources ASA-3: the set's own policy where the controller lets it choose, else the controller's. */
export function rightsOf({ spec }: ApplicationSet, { policy, policyOverride }: SetSettings): SetRights {
  const own = policyOverride ? spec.syncPolicy?.applicationsSync : undefined;
  return rights[own || policy || 'sync'] ?? rights.sync;
}
