import { readFile } from 'node:fs/promises';
import { type Ctx, FairleadError, SingleFlight } from '#base/std';
import {
  type ClusterAccess,
  type ExecPlugin,
  type Pem,
  serverUrl,
  type UserAccess,
} from './cluster-access.ts';
import { type PluginCredentials, runPlugin } from './exec-plugin.ts';

/** Our current credentials: headers for each request, key material for each connection. */
export type ClientIdentity = {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly ca: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
};

/** Files are rotated by others, so what we read of them is good for a minute. */
const fileMs = 60_000;
/** Credentials are renewed a little early, since the server's clock may run ahead of ours. */
const earlyMs = 10_000;

/** Keeps our credentials current: reads files again and runs plugins again before they expire. */
export class IdentitySource {
  readonly #access: ClusterAccess;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #flight = new SingleFlight<ClientIdentity>();
  #held: { identity: ClientIdentity; until: number } | undefined;
  #plugin: { credentials: PluginCredentials; until: number } | undefined;

  constructor(access: ClusterAccess, environment: Readonly<Record<string, string>>) {
    this.#access = access;
    this.#environment = environment;
  }

  async current(ctx: Ctx): Promise<ClientIdentity> {
    const held = this.#held;
    if (held && ctx.clock.now().getTime() < held.until) return held.identity;
    return this.#flight.run(ctx, 'identity', (inner) => this.#renew(inner));
  }

  /**
   * The API server rejected this identity. True when a newer one may exist; the next `current` fetches it.
   */
  refused(identity: ClientIdentity): boolean {
    const { user } = this.#access;
    if (!user.exec && !user.tokenFile) return false;
    if (this.#held?.identity === identity) {
      this.#held = undefined;
      this.#plugin = undefined;
    }
    return true;
  }

  /**
   * A file that is read in the middle of its rotation is no reason to stop: its previous content may still be
   * valid.
   */
  async #renew(ctx: Ctx): Promise<ClientIdentity> {
    const held = this.#held;
    try {
      return await this.#load(ctx);
    } catch (error) {
      if (!held || this.#access.user.exec || ctx.signal.aborted) throw error;
      ctx.log.warn('credentials cannot be read again, so the last ones are used', { error });
      this.#held = { identity: held.identity, until: ctx.clock.now().getTime() + earlyMs };
      return held.identity;
    }
  }

  async #load(ctx: Ctx): Promise<ClientIdentity> {
    const { tls, user } = this.#access;
    const now = ctx.clock.now().getTime();
    const ca = await textOf(tls.ca, 'certificate authority');
    const requested = user.exec && (await this.#requestCredentials(ctx, user.exec, ca));
    const files = [tls.ca, user.certificate, user.key].some((pem) => pem && 'file' in pem) || user.tokenFile;
    const token = requested?.token ?? (await tokenOf(ctx, user));
    const identity: ClientIdentity = {
      headers: this.#headers(token),
      ca,
      certificate: requested?.certificate ?? (await textOf(user.certificate, 'client certificate')),
      key: requested?.key ?? (await textOf(user.key, 'client key')),
    };
    const until = Math.min(files ? now + fileMs : Infinity, this.#plugin?.until ?? Infinity);
    this.#held = { identity, until };
    return identity;
  }

  async #requestCredentials(
    ctx: Ctx,
    plugin: ExecPlugin,
    ca: string | undefined,
  ): Promise<PluginCredentials> {
    const now = ctx.clock.now().getTime();
    if (!this.#plugin || now >= this.#plugin.until) {
      const question = { plugin, cluster: clusterInfo(this.#access, ca), environment: this.#environment };
      const credentials = await runPlugin(ctx, question);
      this.#plugin = { credentials, until: (credentials.expiresAt ?? Number.POSITIVE_INFINITY) - earlyMs };
    }
    return this.#plugin.credentials;
  }

  #headers(token: string | undefined): Record<string, string | readonly string[]> {
    // compat: kubectl sends no credentials over plain http, where anyone could read them
    if (serverUrl(this.#access).protocol === 'http:') return {};
    const { username, password = '', impersonate } = this.#access.user;
    const basic =
      username === undefined ? undefined : Buffer.from(`${username}:${password}`).toString('base64');
    const authorization = token ? `Bearer ${token}` : basic && `Basic ${basic}`;
    return {
      ...(authorization && { authorization }),
      ...(impersonate && impersonation(impersonate)),
    };
  }
}

function clusterInfo(
  { server, tls, proxyUrl, disableCompression }: ClusterAccess,
  ca: string | undefined,
): Record<string, unknown> {
  return {
    server,
    'tls-server-name': tls.serverName,
    'insecure-skip-tls-verify': tls.insecure,
    'certificate-authority-data': ca && Buffer.from(ca).toString('base64'),
    'proxy-url': proxyUrl,
    'disable-compression': disableCompression,
  };
}

function impersonation(
  who: NonNullable<UserAccess['impersonate']>,
): Record<string, string | readonly string[]> {
  const extra = Object.entries(who.extra ?? {}).map(
    ([name, values]) => [`impersonate-extra-${encodeURIComponent(name).toLowerCase()}`, values] as const,
  );
  return {
    'impersonate-user': who.user,
    ...(who.groups?.length && { 'impersonate-group': who.groups }),
    ...(who.uid && { 'impersonate-uid': who.uid }),
    ...Object.fromEntries(extra),
  };
}

async function tokenOf(ctx: Ctx, { token, tokenFile }: UserAccess): Promise<string | undefined> {
  if (!tokenFile) return token;
  try {
    const text = (await readFile(tokenFile, 'utf8')).trim();
    if (text) return text;
  } catch (error) {
    if (!token) throw new FairleadError('Auth', 'the token file cannot be read', error);
  }
  if (!token) throw new FairleadError('Auth', 'the token file is empty');
  ctx.log.warn('the token file gave no token; the one in the configuration is used instead');
  return token;
}

async function textOf(pem: Pem | undefined, what: string): Promise<string | undefined> {
  if (!pem) return undefined;
  if ('pem' in pem) return pem.pem;
  try {
    return await readFile(pem.file, 'utf8');
  } catch (error) {
    throw new FairleadError('Auth', `the file of the ${what} cannot be read`, error);
  }
}
