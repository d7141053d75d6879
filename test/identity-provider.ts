import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type Asking, Provider } from 'oidc-provider';
import { type IssuedCertificates, issueCertificates } from './certificates.ts';

type Account = {
  readonly email: string;
  readonly groups: readonly string[];
  /** Its groups are at the userinfo endpoint only. */
  readonly isBrief?: boolean;
};

export type IdentityProviderOptions = {
  /** Where Fairlead is: callbacks of the client `fairlead` come there. */
  readonly url: string;
  readonly accounts: Readonly<Record<string, Account>>;
  /** How long an ID token is valid. */
  readonly seconds?: number;
};

/** A real OpenID Connect provider over TLS on loopback. Any password will do. */
export type IdentityProvider = {
  readonly issuer: string;
  /** PEM of the authority that its certificate is of. */
  readonly authority: string;
  readonly clientSecret: string;
  /** The key that it signs with now, and its id. */
  signingKey(): { readonly key: KeyObject; readonly id: string };
  /** Stops answering; `start` goes on at the same address, `rotate` with another key. */
  stop(): Promise<void>;
  start(): Promise<void>;
  rotate(): Promise<void>;
};

const clientSecret = 'canary-client-secret-0123456789';

export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const certificates = await issueCertificates(['localhost', '127.0.0.1']);
  let [key, generation, port] = [newKey(), 1, 0];
  let server: Server | undefined;
  const issuer = () => `https://localhost:${port}`;
  const start = async (): Promise<void> => {
    server = await listen(certificates, port);
    port = (server.address() as AddressInfo).port;
    const provider = providerAt(issuer(), options, { key, id: `key-${generation}` });
    server.on('request', provider.callback());
  };
  const stop = async (): Promise<void> => {
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  };
  await start();
  return {
    issuer: issuer(),
    authority: certificates.authority,
    clientSecret,
    signingKey: () => ({ key, id: `key-${generation}` }),
    stop,
    start,
    rotate: async () => {
      await stop();
      [key, generation] = [newKey(), generation + 1];
      await start();
    },
  };
}

const newKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

async function listen({ server: { certificate, key } }: IssuedCertificates, port: number): Promise<Server> {
  const server = createServer({ cert: certificate, key }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function providerAt(
  issuer: string,
  { url, accounts, seconds = 3600 }: IdentityProviderOptions,
  signing: { readonly key: KeyObject; readonly id: string },
): Provider {
  const grants = ['authorization_code', 'refresh_token'];
  const client = (id: string, more: object) => ({ client_id: id, grant_types: grants, ...more });
  const provider = new Provider(issuer, {
    clients: [
      client('fairlead', { client_secret: clientSecret, redirect_uris: [`${url}/auth/callback`] }),
      client('other', { client_secret: clientSecret, redirect_uris: [`${url}/auth/callback`] }),
      client('fairlead-cli', {
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://localhost/auth/callback'],
      }),
    ],
    jwks: { keys: [{ ...signing.key.export({ format: 'jwk' }), kid: signing.id, use: 'sig', alg: 'RS256' }] },
    claims: { openid: ['sub'], email: ['email'], groups: ['groups'] },
    scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
    conformIdTokenClaims: false,
    cookies: { keys: ['a key of the tests'] },
    features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
    pkce: { required: () => true },
    ttl: {
      IdToken: seconds,
      AccessToken: 3600,
      RefreshToken: 86_400,
      Grant: 86_400,
      Session: 86_400,
      Interaction: 600,
    },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    findAccount: async (_ctx: unknown, id: string) => {
      const { isBrief = false, ...known } = accounts[id] ?? { email: '', groups: [] };
      const claims = async (use: string) => ({
        sub: id,
        ...known,
        groups: isBrief && use === 'id_token' ? [] : known.groups,
      });
      return accounts[id] && { accountId: id, claims };
    },
    // every client may know what it requests: no page of consent
    loadExistingGrant: async ({ oidc }: Asking) => {
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope(oidc.params.scope ?? '');
      await grant.save();
      return grant;
    },
  });
  return provider;
}
