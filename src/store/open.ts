import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { FairleadError } from '#std';
import { Commits, type Encoded } from './commits.ts';
import { damage, inspect } from './inspect.ts';
import { acquire } from './lock.ts';
import { type Change, type Codec, checkedKey, type Range, type Store, type Table } from './table.ts';

type Raw = Database<Uint8Array, string>;

/**
 * Opens the store kept in `dir`, making it when there is none. Throws Unavailable when another process has it,
 * Internal when it is damaged; the message says what to do.
 */
export async function openStore(dir: string): Promise<Store> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const release = await acquire(join(dir, 'owner'));
  try {
    await inspect(join(dir, 'data.mdb'));
    const { open } = await import('lmdb'); // native code: loaded only when something is to be kept
    const root: RootDatabase<Uint8Array, string> = open({
      path: dir,
      noSubdir: false,
      encoding: 'binary',
      maxDbs: 64,
      // a commit returns with its data flushed; the overlapping kind answers sooner and costs more per write
      overlappingSync: false,
      // joining all writes of a turn makes a promise of its own, which nobody can answer for when a commit fails
      eventTurnBatching: false,
    });
    const store = new LmdbStore(root, release);
    try {
      await store.checkFormat();
    } catch (error) {
      await root.close();
      throw error;
    }
    return store;
  } catch (error) {
    await release();
    throw error instanceof FairleadError ? error : damage(error);
  }
}

/**
 * Opens a store of which nothing is missed when it is lost: one that is damaged, or of another form, begins anew, and `isAnew` says so.
 */
export async function openCache(dir: string): Promise<{ readonly store: Store; readonly isAnew: boolean }> {
  try {
    return { store: await openStore(dir), isAnew: false };
  } catch (error) {
    // another process that has it is no damage
    if (!(error instanceof FairleadError) || error.code === 'Unavailable') throw error;
    await rm(dir, { recursive: true, force: true });
    return { store: await openStore(dir), isAnew: true };
  }
}

class LmdbStore implements Store {
  readonly #root: RootDatabase<Uint8Array, string>;
  readonly #release: () => Promise<void>;
  readonly #tables = new Map<string, { readonly raw: Raw; readonly codec: Codec<unknown> }>();
  readonly #commits: Commits;
  #closing: Promise<void> | undefined;

  constructor(root: RootDatabase<Uint8Array, string>, release: () => Promise<void>) {
    this.#root = root;
    this.#commits = new Commits(root);
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

  async write(changes: readonly Change[]): Promise<void> {
    this.#mustBeOpen();
    const encoded = changes.map((change) => this.#encoded(change));
    await this.#commits.write(encoded);
  }

  close(): Promise<void> {
    this.#closing ??= this.#commits
      .settled()
      .then(() => this.#root.close())
      .then(this.#release);
    return this.#closing;
  }

  /** Throws when these are not our tables, or not in a form this version knows. Marks a new store as ours. */
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
    await raw.put('format', Buffer.from(String(format)));
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

  #encoded({ table, key, value }: Change): Encoded {
    const known = this.#tables.get(table);
    if (!known)
      throw new FairleadError('Internal', `a change for table ${table}, which this store did not make`);
    return { raw: known.raw, key, value: value === undefined ? undefined : known.codec.encode(value) };
  }

  #mustBeOpen(): void {
    if (this.#closing !== undefined) throw new FairleadError('Internal', 'the store is closed');
  }
}

/** The form of what is kept here; it grows when an older program could no longer read it. */
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
  range: Range,
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
