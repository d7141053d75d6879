import { readFile } from 'node:fs/promises';
import type { RepositoryCredentials } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { jsonAnswer } from '../web/json-answer.ts';
import { fetchWeb, type Outside, type Terms, type WebAnswer } from '../web/request.ts';
import { signedToken } from './jwt.ts';

/** The token of a token endpoint, and its lifetime in seconds. */
export type Lent = { readonly token: string; readonly seconds: number };

/** How to connect to the endpoint. */
export type TokenTerms = { readonly outside: Outside; readonly terms: Terms; readonly shown: string };

/** compat sources CRED-8: the resource id of Azure DevOps. */
const azureDevOps = '499b84ac-1321-427f-aa17-267ca6975798/.default';

/**
 * The machine's Azure workload identity: a token that its cluster renews in a file, and the application it represents.
 */
export type WorkloadIdentity = {
  readonly clientId: string;
  readonly tenantId: string;
  readonly tokenFile: string;
  readonly authorityHost?: string;
};

/** compat sources CRED-5: a token by the machine's own identity. Throws Auth when it has none, or Azure rejects it. */
export async function workloadToken(
  ctx: Ctx,
  identity: WorkloadIdentity | undefined,
  by: TokenTerms,
): Promise<Lent> {
  const assertion = identity && (await readFile(identity.tokenFile, 'utf8').catch(() => '')).trim();
  if (!identity || !assertion) {
    throw new FairleadError(
      'Auth',
      `repository ${by.shown} goes by the workload identity of this machine, which has none: set AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_FEDERATED_TOKEN_FILE, as the webhook of Azure Workload Identity does`,
    );
  }
  const form = {
    grant_type: 'client_credentials',
    client_id: identity.clientId,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
    scope: azureDevOps,
  };
  return requestToken(ctx, tokenUrl(identity.authorityHost, identity.tenantId), form, by);
}

const tokenUrl = (host: string | undefined, tenant: string): string => {
  const endpoint = (host || 'https://login.microsoftonline.com').replace(/\/+$/, '');
  return `${endpoint}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;
};

/** A token of an Azure service principal. Throws Auth when Azure rejects it. */
export async function azureToken(
  ctx: Ctx,
  credentials: RepositoryCredentials,
  by: TokenTerms,
): Promise<Lent> {
  const {
    azureServicePrincipalTenantId: tenant = '',
    azureServicePrincipalClientId: client = '',
    azureServicePrincipalClientSecret: secret = '',
  } = credentials;
  if (!tenant || !client || !secret) {
    throw new FairleadError(
      'Auth',
      `the service principal of repository ${by.shown} is incomplete: give azureServicePrincipalTenantId, azureServicePrincipalClientId and azureServicePrincipalClientSecret`,
    );
  }
  const form = {
    grant_type: 'client_credentials',
    client_id: client,
    client_secret: secret,
    scope: azureDevOps,
  };
  return requestToken(ctx, tokenUrl(credentials.azureActiveDirectoryEndpoint, tenant), form, by);
}

/** A token of a Google service account, and its user name. Throws Auth when Google rejects it. */
export async function googleToken(
  ctx: Ctx,
  key: string,
  by: TokenTerms,
): Promise<Lent & { readonly user: string }> {
  const account = accountIn(key);
  if (!account) throw wrongKey(by);
  const { email, privateKey, endpoint } = account;
  const now = Math.floor(ctx.clock.now().getTime() / 1000);
  const scope = 'https://www.googleapis.com/auth/cloud-platform';
  const claims = { iss: email, scope, aud: endpoint, iat: now, exp: now + 3600 };
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: asserted(claims, privateKey, by),
  };
  return { ...(await requestToken(ctx, endpoint, form, by)), user: email };
}

function asserted(claims: Record<string, unknown>, key: string, by: TokenTerms): string {
  try {
    return signedToken(claims, key);
  } catch {
    throw wrongKey(by);
  }
}

const wrongKey = ({ shown }: TokenTerms): FairleadError =>
  new FairleadError(
    'Auth',
    `gcpServiceAccountKey of repository ${shown} is not the JSON key of a service account: correct it`,
  );

function accountIn(key: string): { email: string; privateKey: string; endpoint: string } | undefined {
  const { client_email, private_key, token_uri = 'https://oauth2.googleapis.com/token' } = jsonAnswer(key);
  const isWhole = [client_email, private_key, token_uri].every(
    (part) => typeof part === 'string' && part !== '',
  );
  return isWhole
    ? { email: String(client_email), privateKey: String(private_key), endpoint: String(token_uri) }
    : undefined;
}

async function requestToken(
  ctx: Ctx,
  url: string,
  form: Record<string, string>,
  by: TokenTerms,
): Promise<Lent> {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new FairleadError(
      'InvalidSpec',
      `the token endpoint of repository ${by.shown} is no https URL: correct it`,
    );
  }
  const answer = await fetchWeb(ctx, by.outside, {
    url: new URL(url),
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(form).toString(),
    terms: by.terms,
    most: 1024 * 1024,
    ms: 15_000,
  });
  return lentIn(answer, by);
}

/** The endpoint's error text may repeat our secrets; the error reports only that it refused. */
function lentIn({ status, body }: WebAnswer, { shown }: TokenTerms): Lent {
  if (status >= 500 || status === 429) {
    throw new FairleadError(
      'Unavailable',
      `the token endpoint of repository ${shown} answered with status ${status}`,
    );
  }
  const { access_token: token, expires_in: seconds } = status === 200 ? jsonAnswer(body) : {};
  if (typeof token === 'string') return { token, seconds: Number(seconds) || 0 };
  throw new FairleadError(
    'Auth',
    `the token endpoint of repository ${shown} gave us no token (status ${status}): check the credentials in its Secret`,
  );
}
