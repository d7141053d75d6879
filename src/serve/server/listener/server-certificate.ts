import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { KubeObject } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { Informer } from '#control/live';
import { hasReason, type KubeClient } from '#kubernetes/client';
import { selfSigned } from '#platform/certificates';
import { secretName } from '../auth/accounts.ts';
import type { OwnSecret } from '../auth/live-credentials.ts';
import { ChangeSignal, sleepUntilAny } from '../change-signal.ts';

const ownName = 'argocd-server-tls';
const day = 24 * 3600_000;
/** compat server §1.5: a year, as the peer's. It is renewed a month before its end. */
const lifeMs = 365 * day;
const renewMs = 30 * day;
const checkMs = day / 2;
/** Of certificates that a server made: ours, and Argo CD's, whose installation may be ours now. */
const organizations = ['Fairlead', 'Argo CD'];

type Data = Readonly<Record<string, string>>;
type SecretView = KubeObject & { readonly data?: Data };
export type ServedPair = { readonly cert: string; readonly key: string };
type Held = ServedPair & { readonly secret: string; readonly read: X509Certificate };

type Deps = {
  readonly kube: Pick<KubeClient, 'find' | 'create' | 'patch' | 'list' | 'watch'>;
  readonly namespace: string;
  /** `argocd-secret`. */
  readonly secret: OwnSecret;
};

/**
 * The certificate of the port, always current (compat server §1.5): that of the Secret `argocd-server-tls`, else that of
 * `argocd-secret`, else one that we sign ourselves and keep there, for every replica the same. One that cannot be used is
 * reported, and the last usable one is served on.
 */
export class ServerCertificate {
  readonly #deps: Deps;
  readonly #tls: Informer<SecretView>;
  readonly #wanted = new ChangeSignal();
  #isWanted = false;
  #held: Held | undefined;
  #reported = '';

  constructor(deps: Deps) {
    const { kube, namespace } = deps;
    this.#deps = deps;
    const secrets = { apiVersion: 'v1', kind: 'Secret', namespace };
    this.#tls = new Informer(kube, { ...secrets, fieldSelector: `metadata.name=${ownName}` });
  }

  /** The same object for as long as it is the same certificate; undefined before `want`. */
  get current(): ServedPair | undefined {
    return this.#held;
  }

  /** TLS is spoken from now on: reads the certificate, and makes one where there is none. */
  async want(ctx: Ctx): Promise<void> {
    this.#isWanted = true;
    await this.#choose(ctx, await this.#data(ctx, ownName), await this.#data(ctx, secretName));
    this.#wanted.fire();
  }

  /** Follows both Secrets, and renews what we signed before it expires. */
  async run(ctx: Ctx): Promise<void> {
    const { secret } = this.#deps;
    const changed = new ChangeSignal();
    const follow = async (changes: AsyncIterable<unknown>): Promise<void> => {
      for await (const _change of changes) changed.fire();
    };
    const following = [follow(this.#tls.changes(ctx)), follow(secret.changes(ctx)), this.#tls.run(ctx)];
    const check = async (): Promise<void> => {
      await Promise.all([this.#tls.whenSynced(ctx), secret.whenSynced(ctx)]);
      while (!ctx.signal.aborted) {
        const next = [changed.next, this.#wanted.next];
        if (this.#isWanted) await this.#check(ctx);
        await sleepUntilAny(ctx, checkMs, next);
      }
    };
    await Promise.all([...following, check()]);
  }

  async #check(ctx: Ctx): Promise<void> {
    const { secret, namespace } = this.#deps;
    try {
      await this.#choose(ctx, this.#tls.get(namespace, ownName)?.data, secret.data());
    } catch (error) {
      if (ctx.signal.aborted) throw error;
      ctx.log.error('the certificate of the server cannot be renewed: the last one is served on', { error });
    }
  }

  async #choose(ctx: Ctx, tls: Data | undefined, shared: Data | undefined): Promise<void> {
    const found = this.#pairIn(ctx, ownName, tls) ?? this.#pairIn(ctx, secretName, shared);
    if (!found || (isOurs(found) && isDue(found.read, ctx.clock.now()))) await this.#make(ctx);
    else this.#serve(ctx, found);
    this.#warn(ctx);
  }

  /** What of a Secret can be served; undefined when there is nothing, or nothing usable beside what is served. */
  #pairIn(ctx: Ctx, secret: string, data: Data | undefined): Held | undefined {
    const [cert, key] = ['tls.crt', 'tls.key'].map((name) => textOf(data?.[name]));
    if (!cert && !key) return undefined;
    try {
      return { secret, ...checkedPair(cert ?? '', key ?? '') };
    } catch (error) {
      const { message } = FairleadError.from(error);
      const kept = this.#held?.secret === secret ? this.#held : undefined;
      this.#report(ctx, `the certificate in the Secret ${secret} cannot be used: ${message}`);
      return kept;
    }
  }

  #serve(ctx: Ctx, pair: Held): void {
    const before = this.#held;
    if (before?.cert === pair.cert && before.key === pair.key && before.secret === pair.secret) return;
    this.#held = pair;
    const { validTo, fingerprint256 } = pair.read;
    ctx.log.info('certificate of the server', { secret: pair.secret, validTo, fingerprint256 });
  }

  /** A certificate that a person put there is theirs to renew. */
  #warn(ctx: Ctx): void {
    const held = this.#held;
    if (!held || isOurs(held) || !isDue(held.read, ctx.clock.now())) return;
    this.#report(
      ctx,
      `the certificate in the Secret ${held.secret} expires at ${held.read.validTo}: renew it`,
    );
  }

  #report(ctx: Ctx, text: string): void {
    if (this.#reported !== text) ctx.log.warn(text);
    this.#reported = text;
  }

  /**
   * Written before it is served; of several replicas the first one's counts. What a person put there is not overwritten: a
   * certificate of ours is then served without being kept.
   */
  async #make(ctx: Ctx): Promise<void> {
    const { kube, namespace } = this.#deps;
    const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: secretName };
    const secret = (await kube.find(ctx, ref)) as SecretView | undefined;
    if (!secret) return; // created again in a moment, which is a change
    const there = this.#pairIn(ctx, secretName, secret.data);
    if (there && !(isOurs(there) && isDue(there.read, ctx.clock.now()))) return this.#serve(ctx, there);
    const name = { user: 'fairlead-server', groups: ['Fairlead'] };
    const made = selfSigned(name, { hosts: hostsIn(namespace), from: ctx.clock.now(), lifeMs });
    const isFree = there !== undefined || !secret.data?.['tls.crt'];
    const data = { 'tls.crt': encoded(made.certificate), 'tls.key': encoded(made.key) };
    try {
      const body = { metadata: { resourceVersion: secret.metadata.resourceVersion }, data };
      if (isFree) await kube.patch(ctx, ref, { type: 'merge', body });
    } catch (error) {
      if (!hasReason(error, 'Conflict')) throw error;
      return this.#make(ctx); // another writer was faster
    }
    this.#serve(ctx, { secret: secretName, ...checkedPair(made.certificate, made.key) });
  }

  async #data(ctx: Ctx, name: string): Promise<Data | undefined> {
    const { kube, namespace } = this.#deps;
    const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name };
    return ((await kube.find(ctx, ref)) as SecretView | undefined)?.data;
  }
}

/** compat server §1.5 */
function hostsIn(namespace: string): readonly string[] {
  const names = ['argocd-server', 'fairlead-server'].flatMap((name) =>
    ['', `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`].map((rest) => name + rest),
  );
  return ['localhost', '127.0.0.1', '::1', ...names];
}

/** Throws InvalidSpec for what no server can be served with. */
function checkedPair(cert: string, key: string): ServedPair & { readonly read: X509Certificate } {
  if (!cert || !key) throw new FairleadError('InvalidSpec', `${cert ? 'tls.key' : 'tls.crt'} is missing`);
  const read = parsed('tls.crt is not a certificate in PEM', () => new X509Certificate(cert));
  const own = parsed('tls.key is not a private key in PEM', () => createPrivateKey(key));
  if (!read.checkPrivateKey(own)) throw new FairleadError('InvalidSpec', 'tls.key is not the key of tls.crt');
  return { cert, key, read };
}

/** The parser's own words may repeat what it was given. */
function parsed<T>(problem: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new FairleadError('InvalidSpec', problem);
  }
}

const isDue = ({ validTo }: X509Certificate, now: Date): boolean =>
  new Date(validTo).getTime() - now.getTime() < renewMs;

const isOurs = ({ secret, read }: Held): boolean =>
  secret === secretName &&
  read.subject === read.issuer &&
  organizations.some((one) => read.subject.split('\n').includes(`O=${one}`));

const textOf = (value: string | undefined): string | undefined =>
  value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');

const encoded = (text: string): string => Buffer.from(text).toString('base64');
