/**
 * store: what must survive a restart, kept in LMDB; the embedded cluster's objects and caches live here.
 *
 * A store holds named tables of key → value in key order. Reads are immediate and see what has been committed.
 * Writes are lists of changes: `store.write([objects.put(key, object), counters.put('rv', 7)])`.
 *
 * Invariants
 * (1) One write is one transaction: all of its changes or none, across tables.
 * (2) write() resolves when the changes are on disk, not before; `kill -9` loses nothing that has resolved.
 *     Writes made side by side share one commit. A full disk refuses a write and nothing else: the next one is tried.
 * (3) A damaged store is reported with the way out. It is never emptied, repaired or skipped in silence. Every page is
 *     checked before LMDB, which would die of a wrong one, sees the file; what is inside a value is its reader's to judge.
 *     So is a store of another program or of a newer version.
 * (4) One process owns a store at a time; a second one gets an error that names it. The kernel holds the lock.
 * (5) memoryStore() keeps the same promises but (2) and (4), and can be forked.
 *
 * Values belong to the store once written: whoever reads one must not change it.
 */

export { type MemoryStore, memoryStore } from './memory.ts';
export { openCache, openStore } from './open.ts';
export { bytes, type Codec, json, type KeyRange, type Store, type StoreChange, type Table } from './table.ts';
