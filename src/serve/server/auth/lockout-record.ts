import { type KubeObject, label } from '#base/model';
import type { Ctx } from '#base/std';
import { hasReason, type KubeClient } from '#kubernetes/client';
import { untilAny } from '../change-signal.ts';
import type { FailureCount, Lockout } from './lockout.ts';

const recordName = 'fairlead-login-failures';
/** A flood of failures costs one write a second. */
const pauseMs = 1_000;

type SecretView = KubeObject & { readonly data?: Readonly<Record<string, string>> };
type Deps = { readonly kube: Pick<KubeClient, 'find' | 'create' | 'patch'>; readonly namespace: string };

/**
 * Keeps the failed logins of accounts in a Secret, so that a restart gives an attacker no new guesses. Keys are hashes of account and
 * address, values the count and when it began; entries leave with their window. What fails to be written is still counted by
 * this process.
 */
export class LockoutRecord {
  readonly #deps: Deps;
  readonly #lockout: Lockout;
  readonly #written = new Map<string, string>();

  private constructor(deps: Deps, lockout: Lockout) {
    this.#deps = deps;
    this.#lockout = lockout;
  }

  /** Reads what was counted before the first login is checked. */
  static async open(ctx: Ctx, deps: Deps, lockout: Lockout): Promise<LockoutRecord> {
    const record = new LockoutRecord(deps, lockout);
    const found = (await deps.kube.find(ctx, record.#ref())) as SecretView | undefined;
    const entries = Object.entries(found?.data ?? {});
    for (const [key, value] of entries) record.#written.set(key, value);
    lockout.restore(new Map(entries.flatMap(([key, value]) => entryOf(key, value))));
    return record;
  }

  async run(ctx: Ctx): Promise<void> {
    while (!ctx.signal.aborted) {
      const changed = this.#lockout.nextChange; // before it is read: no change in between is missed
      await this.#save(ctx).catch((error: unknown) => {
        if (!ctx.signal.aborted)
          ctx.log.warn('failed logins not recorded: a restart would not know them', { error });
      });
      await untilAny(ctx.signal, changed);
      await ctx.clock.sleep(pauseMs, ctx.signal).catch(() => {}); // stopped
    }
  }

  async #save(ctx: Ctx): Promise<void> {
    const counts = this.#lockout.counts(ctx.clock.now().getTime());
    const next = new Map([...counts].map(([key, count]) => [key, encode(count)]));
    const gone = [...this.#written.keys()].filter((key) => !next.has(key));
    const added = [...next].filter(([key, value]) => this.#written.get(key) !== value);
    if (gone.length === 0 && added.length === 0) return;
    await this.#write(ctx, Object.fromEntries([...gone.map((key) => [key, null] as const), ...added]));
    this.#written.clear();
    for (const [key, value] of next) this.#written.set(key, value);
  }

  async #write(ctx: Ctx, data: Readonly<Record<string, string | null>>): Promise<void> {
    const { kube, namespace } = this.#deps;
    try {
      await kube.patch(ctx, this.#ref(), { type: 'merge', body: { data } });
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
      const kept = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
      const labels = { 'app.kubernetes.io/name': recordName, [label.partOf]: 'argocd' };
      const metadata = { name: recordName, namespace, labels };
      await kube.create(ctx, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata,
        type: 'Opaque',
        data: kept,
      } as KubeObject);
    }
  }

  #ref() {
    return { apiVersion: 'v1', kind: 'Secret', namespace: this.#deps.namespace, name: recordName };
  }
}

const encode = ({ count, since }: FailureCount): string =>
  Buffer.from(`${count} ${since}`).toString('base64');

function entryOf(key: string, value: string): [string, FailureCount][] {
  const [count = Number.NaN, since = Number.NaN] = Buffer.from(value, 'base64')
    .toString('utf8')
    .split(' ')
    .map(Number);
  return Number.isFinite(count) && Number.isFinite(since) ? [[key, { count, since }]] : [];
}
