import { createHmac } from 'node:crypto';
import { type Ctx, equal, type Records } from '#base/std';
import { json, type Store, type Table } from '#platform/store';

type Entry<Value> = { readonly at: number; readonly value: Value };

const dayMs = 24 * 3_600_000;
/** As long as rendered manifests are kept. A record that holds is written again every day. */
const [keepMs, againMs] = [7 * dayMs, dayMs];

export type RestartRecordsConfig = {
  readonly store: Store;
  readonly table: string;
  /** Keys are recorded under their HMAC: they are made from credentials. Undefined: nothing is recorded. */
  secret(): string | undefined;
};

/** Records in the cache of rendered manifests, which has the same lifetime. An error in it costs the record, never more. */
export class RestartRecords<Value> implements Records<Value> {
  readonly #store: Store;
  readonly #table: Table<Entry<Value>>;
  readonly #secret: () => string | undefined;

  constructor({ store, table, secret }: RestartRecordsConfig) {
    this.#store = store;
    this.#table = store.table(table, json<Entry<Value>>());
    this.#secret = secret;
  }

  get(ctx: Ctx, key: string): Value | undefined {
    const name = this.#nameOf(key);
    const entry = name === undefined ? undefined : this.#entry(ctx, name);
    return entry && ageOf(ctx, entry) < keepMs ? entry.value : undefined;
  }

  put(ctx: Ctx, key: string, value: Value): void {
    const name = this.#nameOf(key);
    if (name === undefined) return;
    const entry = this.#entry(ctx, name);
    if (entry && ageOf(ctx, entry) < againMs && equal(entry.value, value)) return;
    this.#write(ctx, this.#table.put(name, { at: ctx.clock.now().getTime(), value }));
  }

  delete(ctx: Ctx, key: string): void {
    const name = this.#nameOf(key);
    if (name !== undefined && this.#entry(ctx, name)) this.#write(ctx, this.#table.remove(name));
  }

  /** Deletes the records that are too old to be used. */
  async sweep(ctx: Ctx): Promise<void> {
    const old = [...this.#table.range()].filter(([, entry]) => ageOf(ctx, entry) >= keepMs);
    await this.#store.write(old.map(([name]) => this.#table.remove(name)));
  }

  #entry(ctx: Ctx, name: string): Entry<Value> | undefined {
    try {
      return this.#table.get(name);
    } catch (error) {
      ctx.log.debug('record of an earlier process unreadable', { error });
      return undefined;
    }
  }

  #write(ctx: Ctx, change: ReturnType<Table<Entry<Value>>['put']>): void {
    this.#store.write([change]).catch((error: unknown) => {
      ctx.log.debug('record for the next process not written', { error });
    });
  }

  #nameOf(key: string): string | undefined {
    const secret = this.#secret();
    return secret ? createHmac('sha256', secret).update(key).digest('base64url') : undefined;
  }
}

/** A record of the future is of another clock, and counts as too old. */
function ageOf<Value>({ clock }: Ctx, { at }: Entry<Value>): number {
  const age = clock.now().getTime() - at;
  return age < 0 ? Number.POSITIVE_INFINITY : age;
}
