/**
 * store: data that must survive a restart, kept in LMDB; the embedded cluster's objects and caches are here.
 *
 * A store holds named tables of key → value in key order. Reads are immediate and see committed data.
 * Writes are lists of changes: `store.write([objects.put(key, object), counters.put('rv', 7)])`.
 *
 * Invariants
 * (1) One write is one transaction: all of its changes or none, across tables.
 * (2) write() resolves when the changes are on disk, not before; `kill -9` loses nothing that has resolved.
 *     Concurrent writes share one commit. A full disk rejects a write and nothing else: the next one is tried.
 * (3) The error for a damaged store says what to do. A store is never silently emptied, repaired or skipped. Every page is
 *     checked before LMDB, which would crash on a wrong one, opens the file; the content of a value is for its reader to
 *     check. The same holds for a store of another program or of a newer version.
 * (4) One process owns a store at a time; a second one gets an error that names it. The kernel holds the lock.
 * (5) memoryStore() keeps the same promises but (2) and (4), and can be forked.
 *
 * Values belong to the store once written: a reader must not change them.
 */

export { type MemoryStore, memoryStore } from './memory.ts';
export { openCache, openStore } from './open.ts';
export { bytes, type Codec, json, type KeyRange, type Store, type StoreChange, type Table } from './table.ts';
