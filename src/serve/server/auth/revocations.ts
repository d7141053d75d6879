import { type KubeObject, label } from '#base/model';
import { type Ctx, sha256 } from '#base/std';
import { Informer } from '#control/live';
import { hasReason, type KubeClient } from '#kubernetes/client';

const revokedName = 'fairlead-revoked-tokens';
/** A Secret may have a mebibyte; this many entries are half of it. */
const most = 5_000;
/** Instead of an entry each: every token that was issued up to this second is revoked. */
const allUpTo = 'all-issued-up-to';

type SecretView = KubeObject & { readonly data?: Readonly<Record<string, string>> };
export type RevocationsKube = Pick<KubeClient, 'find' | 'create' | 'patch' | 'list' | 'watch'>;
type Deps = { readonly kube: RevocationsKube; readonly namespace: string };
/** The identity of a token, from its claims; times in seconds, `expires` undefined: never. */
type TokenIdentity = {
  readonly id: string;
  readonly issued: number;
  readonly expires?: number | undefined;
};

/**
 * The tokens that were signed out, kept in a Secret until they would have expired: a restart does not bring them back, and every
 * replica follows the same Secret (dev server §4.6). Keys are hashes of token ids, values the second of expiry (0: never).
 */
export class Revocations {
  readonly #deps: Deps;
  readonly #informer: Informer<SecretView>;
  /** The last content of the Secret. */
  #shared: ReadonlyMap<string, number>;
  /** Revoked by this process: effective before the watch shows it, and if the Secret is deleted. */
  readonly #own = new Map<string, number>();

  private constructor(deps: Deps, shared: ReadonlyMap<string, number>) {
    this.#deps = deps;
    this.#shared = shared;
    const { kube, namespace } = deps;
    const secrets = { apiVersion: 'v1', kind: 'Secret', namespace };
    this.#informer = new Informer(kube, { ...secrets, fieldSelector: `metadata.name=${revokedName}` });
  }

  /** Reads them before the first request is served; `run` keeps them current. */
  static async open(ctx: Ctx, deps: Deps): Promise<Revocations> {
    const found = (await deps.kube.find(ctx, refIn(deps.namespace))) as SecretView | undefined;
    return new Revocations(deps, entriesOf(found));
  }

  isRevoked({ id, issued }: TokenIdentity): boolean {
    const key = keyOf(id);
    return this.#shared.has(key) || this.#own.has(key) || issued <= (this.#shared.get(allUpTo) ?? -1);
  }

  /** Returns when the cluster has stored it: a confirmed sign-out survives a crash. */
  async revoke(ctx: Ctx, { id, expires }: TokenIdentity): Promise<void> {
    const now = Math.floor(ctx.clock.now().getTime() / 1000);
    const isOver = (end: number): boolean => end > 0 && end <= now;
    for (const [key, end] of this.#own) if (isOver(end)) this.#own.delete(key);
    this.#own.set(keyOf(id), expires ?? 0);
    const held = [...this.#shared].filter(([key]) => key !== allUpTo);
    const isFull = held.filter(([, end]) => !isOver(end)).length >= most;
    const gone = held.filter(([, end]) => isFull || isOver(end)).map(([key]) => [key, null] as const);
    const added = isFull ? [allUpTo, now] : [keyOf(id), expires ?? 0];
    if (isFull) ctx.log.warn('too many revoked tokens to keep: all sessions end', { tokens: held.length });
    await this.#write(ctx, { ...Object.fromEntries(gone), [String(added[0])]: encode(Number(added[1])) });
  }

  /** Watches the Secret; calls `onChange` each time it has changed. */
  async run(ctx: Ctx, onChange: () => void): Promise<void> {
    const changes = this.#informer.changes(ctx);
    const follow = async () => {
      for await (const { after } of changes) {
        this.#shared = entriesOf(after as SecretView | undefined);
        onChange();
      }
    };
    await Promise.all([this.#informer.run(ctx), follow()]);
  }

  async #write(ctx: Ctx, data: Readonly<Record<string, string | null>>): Promise<void> {
    const { kube, namespace } = this.#deps;
    try {
      await kube.patch(ctx, refIn(namespace), { type: 'merge', body: { data } });
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
      await this.#create(ctx, data);
    }
  }

  async #create(ctx: Ctx, data: Readonly<Record<string, string | null>>): Promise<void> {
    const { kube, namespace } = this.#deps;
    const kept = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
    const labels = { 'app.kubernetes.io/name': revokedName, [label.partOf]: 'argocd' };
    const metadata = { name: revokedName, namespace, labels };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data: kept };
    try {
      await kube.create(ctx, secret as KubeObject);
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
      await this.#write(ctx, data); // another replica created it meanwhile
    }
  }
}

const refIn = (namespace: string) => ({ apiVersion: 'v1', kind: 'Secret', namespace, name: revokedName });
const keyOf = (id: string): string => sha256(id);
const encode = (seconds: number): string => Buffer.from(String(seconds)).toString('base64');

function entriesOf(secret: SecretView | undefined): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(secret?.data ?? {}).map(([key, value]) => {
      const seconds = Number(Buffer.from(value, 'base64').toString('utf8'));
      return [key, Number.isFinite(seconds) ? seconds : 0];
    }),
  );
}
