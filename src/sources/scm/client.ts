import { createHash } from 'node:crypto';
import { type Ctx, Lru } from '#base/std';
import { type GithubApp, KeptConnections, type Outside, Tokens } from '#sources/repositories';
import { HostApi, type HostShared, type HostSpec, type ScmLimits } from './host-api.ts';

type ScmClientConfig = {
  /** The settings of every outgoing connection, read again for each: which addresses, proxies and authorities. */
  readonly outside: () => Outside;
  readonly limits?: Partial<ScmLimits>;
  /** Origins that are requested instead of a provider's own (`https://api.github.com`): mirrors, or a test's servers. */
  readonly mirrors?: Readonly<Record<string, string>>;
};

const defaultLimits: ScmLimits = {
  responseBytes: 16 * 1024 * 1024,
  requestMs: 30_000,
  wholeMs: 300_000,
  requests: 20_000,
  pages: 1_000,
};
const cachedBytes = 64 * 1024 * 1024;
const cachedPaths = 100_000;

/**
 * Requests to the APIs of Git hosts, one for the process. It keeps what makes the next pass cheap: connections, responses
 * with an entity tag, which paths a commit has, the tokens of GitHub Apps, and until when a host refuses requests.
 */
export class ScmClient {
  readonly limits: ScmLimits;
  readonly #shared: HostShared;
  readonly #tokens: Tokens;
  readonly #mirrors: Readonly<Record<string, string>>;
  readonly #paths = new Lru<boolean>({ capacity: cachedPaths });

  constructor({ outside, limits = {}, mirrors = {} }: ScmClientConfig) {
    this.limits = { ...defaultLimits, ...limits };
    this.#mirrors = mirrors;
    this.#tokens = new Tokens(outside);
    this.#shared = {
      outside,
      limits: this.limits,
      connections: new KeptConnections(),
      responses: new Lru({ capacity: cachedBytes, weigh: ({ body }) => body.length + 1024 }),
      refusedUntil: new Lru({ capacity: 1_000 }),
    };
  }

  /** The API of one host for one generator; its requests count together against the limits. */
  connect(host: HostSpec): HostApi {
    const { base } = host;
    const mirror = this.#mirrors[base.origin];
    const to = mirror === undefined ? base : new URL(`${mirror.replace(/\/$/, '')}${base.pathname}`);
    return new HostApi({ ...host, base: to }, this.#shared);
  }

  /** A token of a GitHub App for an account. Throws Auth when GitHub refuses the App. */
  appToken(ctx: Ctx, app: GithubApp): Promise<string> {
    const mirror = this.#mirrors[new URL(app.api).origin];
    const api = mirror === undefined ? app.api : `${mirror}${new URL(app.api).pathname.replace(/\/$/, '')}`;
    return this.#tokens.forApp(ctx, { ...app, api });
  }

  /** Whether a commit has a path, which never changes: found out once for each host and credential. */
  async cachedPath(parts: readonly string[], find: () => Promise<boolean>): Promise<boolean> {
    const key = createHash('sha256').update(JSON.stringify(parts)).digest('base64');
    const known = this.#paths.get(key);
    if (known !== undefined) return known;
    const found = await find();
    this.#paths.set(key, found);
    return found;
  }

  /** Ends idle connections, and keeps no more. */
  close(): void {
    this.#shared.connections.close();
  }
}
