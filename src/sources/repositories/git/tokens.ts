import { createHash } from 'node:crypto';
import type { RepositoryCredentials } from '#base/model';
import { type Ctx, FairleadError, Lru, SingleFlight } from '#base/std';
import { decoded } from '#platform/http';
import type { Remote } from '../repository-url.ts';
import { jsonAnswer } from '../web/json-answer.ts';
import { fetchWeb, type Outside, type WebAnswer } from '../web/request.ts';
import {
  azureToken,
  googleToken,
  type TokenTerms,
  type WorkloadIdentity,
  workloadToken,
} from './cloud-token.ts';
import { signedToken } from './jwt.ts';
import type { GitRepository } from './repository.ts';

/** compat sources CRED-7: how long a discovered installation and a token are cached at most. */
const longestHeldMs = 60 * 60_000;
/** compat sources CRED-8: a minute less, for those of Azure. */
const azureHeldMs = 59 * 60_000;
/** A token is renewed this long before it expires. */
const marginMs = 5 * 60_000;
const answerBytes = 4 * 1024 * 1024;

type Held = { readonly value: string; readonly until: number };

/** A GitHub App and the account it acts for. `api` is the base URL of the API, without a slash at its end. */
export type GithubApp = {
  readonly id: number;
  readonly key: string;
  readonly installation: number | undefined;
  readonly api: string;
  readonly owner: string;
};

type Way = Pick<GitRepository, 'insecure' | 'proxy' | 'noProxy'>;

/** Short-lived tokens of hosts, each fetched once for all callers. */
export class Tokens {
  readonly #outside: () => Outside;
  readonly #held = new Lru<Held>({ capacity: 1000 });
  readonly #flights = new SingleFlight<string>();

  readonly #identity: WorkloadIdentity | undefined;

  constructor(outside: () => Outside, identity?: WorkloadIdentity) {
    this.#outside = outside;
    this.#identity = identity;
  }

  /**
   * A token of a GitHub App for the owner of this repository (sources CRED-7). Throws Auth when GitHub refuses the App.
   */
  async githubApp(ctx: Ctx, repository: GitRepository, remote: Remote & { kind: 'http' }): Promise<string> {
    return this.forApp(ctx, appOf(repository.credentials ?? {}, remote), repository);
  }

  /** A token of a GitHub App for its owner (sources CRED-7). Throws Auth when GitHub refuses the App. */
  async forApp(ctx: Ctx, app: GithubApp, way: Way = {}): Promise<string> {
    const installation = String(
      app.installation ??
        (await this.#lent(ctx, ['installation', app.id, app.key, app.api, app.owner], (shared) =>
          this.#installationOf(shared, app, way),
        )),
    );
    return this.#lent(ctx, ['token', app.id, app.key, app.api, installation], async (shared) => {
      const url = `${app.api}/app/installations/${installation}/access_tokens`;
      const answer = await this.#requestToken(shared, app, url, { way, method: 'POST' });
      const { token, expires_at } = answer;
      if (typeof token !== 'string') throw refusal(app, 'it gave no token');
      const expires = Date.parse(String(expires_at)) - marginMs;
      return { value: token, until: Number.isNaN(expires) ? 0 : expires };
    });
  }

  /**
   * A token for Azure: of the machine's own identity where the repository selects it, else of a service principal
   * (sources CRED-8).
   */
  async azure(ctx: Ctx, repository: GitRepository, shown: string): Promise<string> {
    const { credentials = {} } = repository;
    const terms = this.#terms(repository, shown);
    return this.#lent(ctx, ['azure', credentials], async (shared) => {
      const { token, seconds } = await (credentials.useAzureWorkloadIdentity
        ? workloadToken(shared, this.#identity, terms)
        : azureToken(shared, credentials, terms));
      return {
        value: token,
        until: ctx.clock.now().getTime() + Math.min(seconds * 1000 - marginMs, azureHeldMs),
      };
    });
  }

  /** A login with a token of a Google service account, as `user:token`. */
  async google(ctx: Ctx, repository: GitRepository, shown: string): Promise<string> {
    const key = repository.credentials?.gcpServiceAccountKey ?? '';
    return this.#lent(ctx, ['google', key], async (shared) => {
      const { user, token, seconds } = await googleToken(shared, key, this.#terms(repository, shown));
      return { value: `${user}:${token}`, until: ctx.clock.now().getTime() + seconds * 1000 - marginMs };
    });
  }

  /** Whatever a repository sets for its own host, the certificate of the cloud's host is always verified. */
  #terms({ proxy, noProxy }: GitRepository, shown: string): TokenTerms {
    return { outside: this.#outside(), terms: { proxy, noProxy }, shown };
  }

  /** Valid tokens are reused, and concurrent requests share one fetch. The key of the App is never kept as text. */
  async #lent(ctx: Ctx, parts: readonly unknown[], fetch: (ctx: Ctx) => Promise<Held>): Promise<string> {
    const key = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
    const now = ctx.clock.now().getTime();
    const held = this.#held.get(key);
    if (held && held.until > now) return held.value;
    return this.#flights.run(ctx, key, async (shared) => {
      const { value, until } = await fetch(shared);
      this.#held.set(key, { value, until: Math.min(until, now + longestHeldMs) });
      return value;
    });
  }

  async #installationOf(ctx: Ctx, app: GithubApp, way: Way): Promise<Held> {
    for (const kind of ['orgs', 'users']) {
      const url = `${app.api}/${kind}/${encodeURIComponent(app.owner)}/installation`;
      const { id } = await this.#requestToken(ctx, app, url, { way, method: 'GET' });
      if (id !== undefined) return { value: String(id), until: Number.POSITIVE_INFINITY };
    }
    throw refusal(app, `it is not installed for ${app.owner}`);
  }

  /** The API's response; empty for a missing resource. */
  async #requestToken(
    ctx: Ctx,
    app: GithubApp,
    url: string,
    { way, method }: { way: Way; method: 'GET' | 'POST' },
  ): Promise<Record<string, unknown>> {
    const { insecure, proxy, noProxy } = way;
    const answer = await fetchWeb(ctx, this.#outside(), {
      url: new URL(url),
      method,
      headers: {
        accept: 'application/vnd.github+json',
        'user-agent': 'fairlead',
        authorization: `Bearer ${appToken(app, ctx.clock.now())}`,
      },
      terms: { insecure, proxy, noProxy },
      most: answerBytes,
      ms: 15_000,
    });
    return read(app, answer);
  }
}

function read(app: GithubApp, { status, body }: WebAnswer): Record<string, unknown> {
  if (status === 404) return {};
  if (status === 401 || status === 403) throw refusal(app, 'check githubAppID and githubAppPrivateKey');
  if (status >= 300) {
    throw new FairleadError('Unavailable', `the API of GitHub App ${app.id} answered with status ${status}`);
  }
  return jsonAnswer(body);
}

const refusal = ({ id }: GithubApp, why: string): FairleadError =>
  new FairleadError('Auth', `GitHub App ${id} gives us no access: ${why}`);

function appOf(credentials: RepositoryCredentials, { url, shown }: Remote & { kind: 'http' }): GithubApp {
  const { githubAppId: id = 0, githubAppPrivateKey: key = '', githubAppInstallationId } = credentials;
  const api = (credentials.githubAppEnterpriseBaseUrl || 'https://api.github.com').replace(/\/+$/, '');
  if (!/^https?:\/\/[^/]/i.test(api) || !URL.canParse(api)) {
    throw new FairleadError(
      'InvalidSpec',
      `githubAppEnterpriseBaseUrl of ${shown} is no https URL: correct it`,
    );
  }
  const owner = decoded(url.pathname.split('/')[1] ?? '');
  return { id, key, installation: githubAppInstallationId || undefined, api, owner };
}

/** The App's JWT: ten minutes at most, begun a minute ago because clocks differ. */
function appToken({ id, key }: GithubApp, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000);
  try {
    return signedToken({ iat: seconds - 60, exp: seconds + 540, iss: String(id) }, key);
  } catch {
    throw new FairleadError(
      'Auth',
      `githubAppPrivateKey of GitHub App ${id} is no private key in PEM: correct it`,
    );
  }
}
