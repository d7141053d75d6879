import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { FairleadError } from '#base/std';
import { Commits, type Encoded } from './commits.ts';
import { DiskReserve } from './disk-reserve.ts';
import { damage, inspect } from './inspect.ts';
import { acquire, type Release } from './lock.ts';
import { type Codec, checkedKey, type KeyRange, type Store, type StoreChange, type Table } from './table.ts';

type Raw = Database<Uint8Array, string>;

/**
 * Opens the store in `dir`, creating it when there is none. Throws Unavailable when another process has it, Internal when it
 * is damaged; the message says what to do.
 */
export async function openStore(dir: string): Promise<Store> {
  return locked(dir, (release) => openLocked(dir, release));
}

/**
 * Opens a store that can be rebuilt: one that is damaged, or of another format, is emptied, and `isNew` is true then. That
 * happens under the lock: of two processes that find the same damage one empties it and the other gets an error.
 */
export async function openCache(dir: string): Promise<{ readonly store: Store; readonly isNew: boolean }> {
  return locked(dir, async (release) => {
    try {
      return { store: await openLocked(dir, release), isNew: false };
    } catch {
      for (const file of files) await rm(join(dir, file), { force: true });
      return { store: await openLocked(dir, release), isNew: true };
    }
  });
}

async function locked<T>(dir: string, work: (release: Release) => Promise<T>): Promise<T> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await chmod(dir, 0o700);
  const release = await acquire(dir);
  try {
    return await work(release);
  } catch (error) {
    await release();
    throw error instanceof FairleadError ? error : damage(error);
  }
}

/** LMDB's files in the folder. */
const files = ['data.mdb', 'lock.mdb'];

async function openLocked(dir: string, release: Release): Promise<Store> {
  await inspect(join(dir, 'data.mdb'));
  const { open } = await import('lmdb'); // native code: loaded only when a store is opened
  const root: RootDatabase<Uint8Array, string> = open({
    path: dir,
    noSubdir: false,
    encoding: 'binary',
    maxDbs: 64,
    // a commit returns with its data flushed; overlapping sync returns sooner and costs more per write
    overlappingSync: false,
    // batching the writes of a tick creates a promise of its own, whose rejection no caller can handle when a commit fails
    eventTurnBatching: false,
  });
  try {
    // LMDB creates its files readable for the group and for others, as far as the umask permits
    for (const file of files) await chmod(join(dir, file), 0o600);
    const room = new DiskReserve(root, join(dir, 'data.mdb'));
    try {
      room.reserve([]); // opening a table writes as well, and outside of our commits
      const store = new LmdbStore(root, room, release);
      await store.checkFormat();
      return store;
    } catch (error) {
      room.close();
      throw error;
    }
  } catch (error) {
    await root.close();
    throw error;
  }
}

class LmdbStore implements Store {
  readonly #root: RootDatabase<Uint8Array, string>;
  readonly #release: Release;
  readonly #tables = new Map<string, { readonly raw: Raw; readonly codec: Codec<unknown> }>();
  readonly #commits: Commits;
  readonly #room: DiskReserve;
  #closing: Promise<void> | undefined;

  constructor(root: RootDatabase<Uint8Array, string>, room: DiskReserve, release: Release) {
    this.#root = root;
    this.#room = room;
    this.#commits = new Commits(root, room);
    this.#release = release;
  }

  table<Value>(name: string, codec: Codec<Value>): Table<Value> {
    this.#mustBeOpen();
    const raw = this.#rawTable(name, codec as Codec<unknown>);
    return {
      get: (key) => {
        this.#mustBeOpen();
        const found = guarded(() => raw.get(key));
        return found === undefined ? undefined : decoded(codec, found, name, key);
      },
      range: (range = {}) => {
        this.#mustBeOpen();
        return scan(raw, codec, name, range);
      },
      put: (key, value) => ({ table: name, key: checkedKey(key), value }),
      remove: (key) => ({ table: name, key: checkedKey(key), value: undefined }),
    };
  }

  async write(changes: readonly StoreChange[]): Promise<void> {
    this.#mustBeOpen();
    const encoded = changes.map((change) => this.#encoded(change));
    await this.#commits.write(encoded);
  }

  close(): Promise<void> {
    this.#closing ??= this.#commits
      .settled()
      .then(() => this.#room.close())
      .then(() => this.#root.close())
      .then(this.#release);
    return this.#closing;
  }

  /** Throws when these are not our tables, or not in a format this version knows. Marks a new store as ours. */
  async checkFormat(): Promise<void> {
    const names = guarded(() => [...this.#root.getKeys()].map(String));
    if (names.includes(formatTable)) {
      refuseFormat(this.#formatOf());
      return;
    }
    if (names.some((name) => !/^(?:cluster|render)-/.test(name))) throw foreign();
    const raw = guarded(() =>
      this.#root.openDB<Uint8Array, string>({ name: formatTable, encoding: 'binary' }),
    );
    await this.#commits.write([{ raw, key: 'format', value: Buffer.from(String(format)) }]);
  }

  #formatOf(): number {
    return guarded(() => {
      const raw = this.#root.openDB<Uint8Array, string>({ name: formatTable, encoding: 'binary' });
      return Number(Buffer.from(raw.get('format') ?? []).toString());
    });
  }

  #rawTable(name: string, codec: Codec<unknown>): Raw {
    const known = this.#tables.get(name);
    if (known) return known.raw;
    const raw = guarded(() => this.#root.openDB<Uint8Array, string>({ name, encoding: 'binary' }));
    this.#tables.set(name, { raw, codec });
    return raw;
  }

  #encoded({ table, key, value }: StoreChange): Encoded {
    const known = this.#tables.get(table);
    if (!known)
      throw new FairleadError('Internal', `a change for table ${table}, which this store did not make`);
    return { raw: known.raw, key, value: value === undefined ? undefined : known.codec.encode(value) };
  }

  #mustBeOpen(): void {
    if (this.#closing !== undefined) throw new FairleadError('Internal', 'the store is closed');
  }
}

/** The format version; raised when an older program could no longer read the store. */
const format = 1;
const formatTable = 'fairlead';

function refuseFormat(found: number): void {
  if (found === format) return;
  if (!(found > format)) throw damage(undefined, 'it does not say in which form it is kept');
  throw new FairleadError(
    'InvalidSpec',
    `the store was written by a newer version of fairlead (form ${found}, this one reads ${format}); start that version, or choose another data directory`,
  );
}

const foreign = (): FairleadError =>
  new FairleadError(
    'InvalidSpec',
    'the store folder holds a database of another program; choose another data directory',
  );

function* scan<Value>(
  raw: Raw,
  codec: Codec<Value>,
  name: string,
  range: KeyRange,
): Generator<readonly [string, Value]> {
  const { from = '', before, prefix = '', limit = Number.POSITIVE_INFINITY } = range;
  const entries = guarded(() => raw.getRange({ start: isBefore(from, prefix) ? prefix : from }));
  let given = 0;
  for (const { key, value } of entries) {
    if (given >= limit || !key.startsWith(prefix) || (before !== undefined && !isBefore(key, before))) return;
    yield [key, decoded(codec, value, name, key)];
    given += 1;
  }
}

const isBefore = (key: string, limit: string): boolean =>
  Buffer.compare(Buffer.from(key), Buffer.from(limit)) < 0;

function decoded<Value>(codec: Codec<Value>, raw: Uint8Array, table: string, key: string): Value {
  try {
    return codec.decode(raw);
  } catch (error) {
    throw damage(error, `the entry ${key} of table ${table} cannot be read`);
  }
}

function guarded<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw damage(error);
  }
}
