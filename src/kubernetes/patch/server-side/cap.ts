import { type FieldOwners, identityOf } from './entries.ts';
import type { FieldOwner } from './ownership.ts';

const mostUpdaters = 10;

/**
 * compat cluster 3.9: at most ten updaters are recorded; the oldest of a version are merged into
 * `ancient-changes`.
 */
export function capUpdaters(managed: FieldOwners): FieldOwners {
  if (managed.owners.size <= mostUpdaters) return managed;
  const updaters = [...managed.owners].filter(([, { applied }]) => !applied).map(([id]) => id);
  if (updaters.length <= mostUpdaters) return managed;
  const age = (id: string): string => `${managed.times.get(id) ?? ''} ${id}`;
  updaters.sort((a, b) => (age(a) < age(b) ? -1 : 1));
  const owners = new Map(managed.owners);
  const times = new Map(managed.times);
  const firstOf = new Map<string, string>();
  let count = updaters.length;
  for (const id of updaters) {
    const owner = owners.get(id);
    if (count <= mostUpdaters) break;
    if (owner === undefined) continue;
    const first = firstOf.get(owner.apiVersion);
    if (first === undefined) firstOf.set(owner.apiVersion, id);
    else {
      absorb({ owners, times }, { id, owner, first });
      count -= 1;
    }
  }
  return { owners, times };
}

type Ledger = { readonly owners: Map<string, FieldOwner>; readonly times: Map<string, string> };
type Old = { readonly id: string; readonly owner: FieldOwner; readonly first: string };

function absorb({ owners, times }: Ledger, { id, owner, first }: Old): void {
  const bucket = identityOf({
    manager: 'ancient-changes',
    operation: 'Update',
    apiVersion: owner.apiVersion,
  });
  const oldest = owners.get(first);
  if (!owners.has(bucket) && oldest !== undefined) {
    owners.delete(first);
    owners.set(bucket, oldest);
  }
  const before = owners.get(bucket);
  owners.delete(id);
  owners.set(bucket, before === undefined ? owner : { ...owner, set: owner.set.union(before.set) });
  // the update that is merged in is the more recent one
  const time = times.get(id);
  if (time !== undefined) times.set(bucket, time);
}
