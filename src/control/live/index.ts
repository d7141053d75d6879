/**
 * live: the live state of clusters, kept in memory by watches.
 *
 * Invariants
 * (1) Reads never wait for a cluster; `whenSynced` resolves when they may first be trusted.
 * (2) Nothing moves backwards: an older event or list never replaces a newer object, and the next read returns a write
 *     of ours that was `put`.
 * (3) After a gap a full list of a kind replaces the cached objects: no deleted object stays.
 * (4) A kind that cannot be watched does not affect the others.
 * (5) A reader of changes that is too slow gets an error; it never sees a history with holes.
 *
 * It writes nothing to any cluster.
 */
export type { OnBatch } from './batches.ts';
export { ClusterCache, type ClusterChange } from './cluster-cache.ts';
export { type ClusterMember, Clusters, type LiveCluster } from './clusters.ts';
export { atDeclaredVersions } from './declared-version.ts';
export { Informer } from './informer.ts';
export { managedBy } from './managed.ts';
export type { ObjectChange } from './object-store.ts';
export { Pushes } from './pushes.ts';
export { Repositories, type RepositoriesChange } from './repositories.ts';
export { SecretValues } from './secret-values.ts';
export { type DataChange, type SettingsChange, SettingsWatch } from './settings-watch.ts';
export { isSlim } from './slim.ts';
export { definedOnly, findUnwatched } from './unwatched.ts';
export type { Outage } from './watch-health.ts';
export type { NeedsKind } from './watched.ts';
