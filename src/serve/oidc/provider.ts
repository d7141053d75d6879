import * as client from 'openid-client';
import { FairleadError } from '#base/std';

/** Sends one request and reads the whole response, without following redirects. Throws FairleadError without a response. */
export type OidcRequest = (request: {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}) => Promise<{
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}>;

type Options = {
  readonly issuer: string;
  readonly clientId: string;
  /** Empty: a public client. */
  readonly clientSecret?: string;
  /** Instead of a secret: a token that says who the client is, new for each request (RFC 7523). */
  readonly clientAssertion?: () => Promise<string>;
  readonly request: OidcRequest;
};

/** The tokens of a login. Never printed, never logged. */
export type OidcTokens = {
  readonly idToken: string;
  readonly accessToken?: string;
  readonly refreshToken?: string;
};

/** What binds the answer of the provider to the login that requested it: 256 random bits each. */
export type LoginSecrets = { readonly state: string; readonly nonce: string; readonly verifier: string };

export const newLoginSecrets = (): LoginSecrets => ({
  state: client.randomState(),
  nonce: client.randomNonce(),
  verifier: client.randomPKCECodeVerifier(),
});

export type AuthorizationRequest = LoginSecrets & {
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** Further parameters; empty ones are left out. */
  readonly more?: Readonly<Record<string, string>>;
};

/** Clocks of providers differ from ours; when a session ends is decided by the caller, to the second. */
const toleranceSeconds = 300;

/** A provider, as its discovery document describes it. */
export class OidcProvider {
  readonly #config: client.Configuration;
  readonly #request: OidcRequest;
  readonly issuer: string;

  private constructor(config: client.Configuration, request: OidcRequest) {
    this.#config = config;
    this.#request = request;
    this.issuer = config.serverMetadata().issuer;
  }

  /** Throws Unavailable when the provider cannot be reached, InvalidSpec when it is not the one that the issuer names. */
  static async discover({ issuer, clientId, request, ...by }: Options): Promise<OidcProvider> {
    const isPlain = issuer.startsWith('http://'); // only where the operator writes it so
    const metadata = { [client.clockTolerance]: toleranceSeconds };
    const authentication = authenticationBy(by);
    try {
      const config = await client.discovery(new URL(issuer), clientId, metadata, authentication, {
        [client.customFetch]: fetchOver(request),
        ...(isPlain && { execute: [client.allowInsecureRequests] }),
      });
      return new OidcProvider(config, request);
    } catch (error) {
      throw problemOf(error, `the identity provider ${issuer} cannot be used`);
    }
  }

  /** Whether the provider grants refresh tokens when they are requested by a scope. */
  get hasOfflineAccess(): boolean {
    return this.#config.serverMetadata().scopes_supported?.includes('offline_access') === true;
  }

  /** The address that a browser is sent to. */
  async authorizationUrl(requested: AuthorizationRequest): Promise<string> {
    const { state, nonce, verifier, redirectUri, scopes, more = {} } = requested;
    const given = Object.entries(more).filter(([, value]) => value !== '');
    return client.buildAuthorizationUrl(this.#config, {
      ...Object.fromEntries(given),
      ...{ state, nonce, redirect_uri: redirectUri, scope: scopes.join(' ') },
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).href;
  }

  /** The tokens for the code in a callback. Throws Auth when the provider or the check of its answer refuses. */
  async exchange(callback: URL, { state, nonce, verifier }: LoginSecrets): Promise<OidcTokens> {
    const checks = {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    };
    try {
      return tokensOf(await client.authorizationCodeGrant(this.#config, callback, checks), {});
    } catch (error) {
      throw problemOf(error, `the login with ${this.issuer} was refused`);
    }
  }

  /** New tokens. The refresh token may be replaced by another one; the old one is then no longer valid. */
  async refresh(refreshToken: string): Promise<OidcTokens> {
    try {
      return tokensOf(await client.refreshTokenGrant(this.#config, refreshToken), { refreshToken });
    } catch (error) {
      throw problemOf(error, `the session with ${this.issuer} was not renewed`);
    }
  }

  /** The claims of the userinfo endpoint, at the address that the provider announces, or at another one of the settings. */
  async userInfo(accessToken: string, subject: string, at?: URL): Promise<Record<string, unknown>> {
    try {
      if (at) return await this.#userInfoAt(at, accessToken, subject);
      return { ...(await client.fetchUserInfo(this.#config, accessToken, subject)) };
    } catch (error) {
      throw problemOf(error, `${this.issuer} did not answer who the user is`);
    }
  }

  /** Notifies the provider that a token is no longer used; nothing where it has no endpoint for that. */
  async revoke(token: string): Promise<void> {
    if (!this.#config.serverMetadata().revocation_endpoint) return;
    try {
      await client.tokenRevocation(this.#config, token);
    } catch (error) {
      throw problemOf(error, `${this.issuer} did not revoke a token`);
    }
  }

  /** The keys that the provider signs with now: a JSON Web Key Set. */
  async keys(): Promise<{ keys: Record<string, unknown>[] }> {
    const { jwks_uri: at } = this.#config.serverMetadata();
    if (!at) throw new FairleadError('InvalidSpec', `the identity provider ${this.issuer} announces no keys`);
    const set = (await this.#json(new URL(at), {})) as { keys?: unknown };
    if (!Array.isArray(set.keys)) throw new FairleadError('Unavailable', `${this.issuer} sent no key set`);
    return { keys: set.keys as Record<string, unknown>[] };
  }

  async #userInfoAt(at: URL, accessToken: string, subject: string): Promise<Record<string, unknown>> {
    const claims = await this.#json(at, { authorization: `Bearer ${accessToken}` });
    if (claims.sub !== subject) throw new FairleadError('Auth', 'it answered about another user');
    return claims;
  }

  async #json(url: URL, headers: Record<string, string>): Promise<Record<string, unknown>> {
    const request = { url, method: 'GET', headers: { accept: 'application/json', ...headers } } as const;
    const { status, body } = await this.#request(request);
    if (status !== 200) throw new FairleadError('Unavailable', `${url.origin} answered ${status}`);
    return JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>;
  }
}

function authenticationBy({
  clientSecret,
  clientAssertion,
}: Pick<Options, 'clientSecret' | 'clientAssertion'>): client.ClientAuth {
  if (clientAssertion) return assertionAuthentication(clientAssertion);
  return clientSecret ? secretAuthentication(clientSecret) : client.None();
}

function assertionAuthentication(assertion: () => Promise<string>): client.ClientAuth {
  return async (_server, { client_id: id }, body) => {
    body.set('client_id', id);
    body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    body.set('client_assertion', await assertion());
  };
}

/** In the body, where providers accept that; most take either. */
function secretAuthentication(secret: string): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

type Granted = Awaited<ReturnType<typeof client.refreshTokenGrant>>;

function tokensOf(granted: Granted, before: { readonly refreshToken?: string }): OidcTokens {
  const { id_token: idToken, access_token: accessToken, refresh_token: refreshToken } = granted;
  if (!idToken) throw new FairleadError('Auth', 'it sent no ID token');
  return { ...before, idToken, accessToken, ...(refreshToken && { refreshToken }) };
}

/** What the library sends is sent by the caller's means. */
function fetchOver(request: OidcRequest): client.CustomFetch {
  return async (url, { method, headers, body }) => {
    const text = body === undefined || body === null ? undefined : String(body);
    const sent = { url: new URL(url), method: method === 'POST' ? 'POST' : 'GET', headers } as const;
    const answer = await request({ ...sent, ...(text !== undefined && { body: text }) });
    const given = Object.entries(answer.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    );
    const isEmpty = answer.status === 204 || answer.status === 304;
    const content = isEmpty ? null : Buffer.from(answer.body);
    return new Response(content, { status: answer.status, headers: given });
  };
}

/** A connection that failed is Unavailable, anything that the provider or a check says no to is Auth. */
function problemOf(error: unknown, what: string): FairleadError {
  const own = [error, (error as Error).cause].find((one) => one instanceof FairleadError);
  if (own) return new FairleadError(own.code, `${what}: ${own.message}`, own);
  const { error: code, code: kind, message } = error as { error?: string; code?: string; message?: string };
  const reason = code ?? (message && /^[\w ",.'()/:-]{1,120}$/.test(message) ? message : kind);
  return new FairleadError('Auth', `${what}: ${reason ?? 'its answer is not valid'}`, error);
}
