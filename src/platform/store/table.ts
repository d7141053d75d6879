import { FairleadError, parseJson, printJson } from '#base/std';

/** Data that must survive a restart. See index.ts for its promises. */
export type Store = {
  /** The same name must always be used with the same codec. Creates the table when it is new. */
  table<Value>(name: string, codec: Codec<Value>): Table<Value>;
  /** All or nothing. Resolves when it is on disk; throws Unavailable when the write to disk fails. */
  write(changes: readonly StoreChange[]): Promise<void>;
  /** Waits for writes under way. Safe to repeat; afterwards every other call throws. */
  close(): Promise<void>;
};

export type Table<Value> = {
  /** Undefined when there is no such key. */
  get(key: string): Value | undefined;
  /** Entries in byte order of their keys. */
  range(range?: KeyRange): Iterable<readonly [key: string, value: Value]>;
  put(key: string, value: Value): StoreChange;
  /** Removing a missing key is no error. */
  remove(key: string): StoreChange;
};

export type KeyRange = {
  readonly from?: string;
  /** Exclusive. */
  readonly before?: string;
  readonly prefix?: string;
  readonly limit?: number;
};

/** A change of one entry, created by a table. `value` undefined removes. */
export type StoreChange = { readonly table: string; readonly key: string; readonly value: unknown };

export type Codec<Value> = {
  readonly name: string;
  encode(value: Value): Uint8Array;
  decode(raw: Uint8Array): Value;
};

const text = { encoder: new TextEncoder(), decoder: new TextDecoder('utf-8', { fatal: true }) };

/** JSON that preserves integers of any size. */
export function json<Value>(): Codec<Value> {
  return {
    name: 'json',
    encode: (value) => text.encoder.encode(printJson(value)),
    decode: (raw) => parseJson(text.decoder.decode(raw)) as Value,
  };
}

/** Bytes unchanged. */
export const bytes: Codec<Uint8Array> = {
  name: 'bytes',
  encode: (value) => value,
  decode: (raw) => raw,
};

const longestKey = 1500; // bytes; LMDB's own limit on a 4 KiB page is a little higher

/** Throws when LMDB could not hold the key, in either kind of store, so that tests see it too. */
export function checkedKey(key: string): string {
  if (key === '') throw new FairleadError('Internal', 'a store key may not be empty');
  if (key.length * 3 > longestKey && text.encoder.encode(key).length > longestKey) {
    throw new FairleadError(
      'LimitExceeded',
      `store key of more than ${longestKey} bytes: ${key.slice(0, 80)}…`,
    );
  }
  return key;
}
