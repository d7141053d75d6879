import { decodeText, secretText } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { configMapData } from './decision-resources.ts';
import { findSecret, type GeneratorDeps } from './generator-deps.ts';

/** What a plugin generator sends. */
export type PluginRequest = {
  readonly set: string;
  readonly configMapRef: string;
  readonly parameters: Readonly<Record<string, unknown>>;
};

const mostBytes = 16 * 1024 * 1024;
const defaultSeconds = 30;
const mostSeconds = 300;
const path = '/api/v1/getparams.execute';

/** compat sources ASX-1: what a plugin answers, parsed. No error contains the token. */
export async function callPlugin(
  ctx: Ctx,
  deps: Pick<GeneratorDeps, 'kube' | 'namespace' | 'request'>,
  { set, configMapRef, parameters }: PluginRequest,
): Promise<unknown> {
  const { kube, namespace } = deps;
  const data = await configMapData(ctx, kube, namespace, configMapRef);
  const shown = `plugin ${configMapRef}`;
  const url = urlOf(data.baseUrl ?? '', shown);
  const token = await tokenOf(ctx, deps, data.token ?? '', shown);
  const { status, body } = await deps.request(ctx, {
    url,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      'user-agent': 'fairlead',
    },
    body: JSON.stringify({ applicationSetName: set, input: { parameters } }),
    most: mostBytes,
    ms: secondsOf(data.requestTimeout, shown) * 1000,
  });
  if (status === 401 || status === 403)
    throw new FairleadError('Auth', `${shown} refused our token (status ${status}): check its token`);
  if (status !== 200)
    throw new FairleadError('Unavailable', `${shown} at ${url.origin} answered with status ${status}`);
  return replyIn(body, shown);
}

function urlOf(baseUrl: string, shown: string): URL {
  const text = `${baseUrl.replace(/\/+$/, '')}${path}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw invalid(`${shown}: baseUrl of its ConfigMap is no http or https URL`);
}

function secondsOf(text: string | undefined, shown: string): number {
  if (text === undefined || text.trim() === '') return defaultSeconds;
  if (!/^\d+$/.test(text.trim())) throw invalid(`${shown}: requestTimeout must be a number of seconds`);
  return Math.min(Math.max(Number(text), 1), mostSeconds);
}

/** `$key` is in the main Secret of the control plane, `$secret:key` in another one of its namespace. */
async function tokenOf(
  ctx: Ctx,
  { kube, namespace }: Pick<GeneratorDeps, 'kube' | 'namespace'>,
  reference: string,
  shown: string,
): Promise<string> {
  if (!reference.startsWith('$'))
    throw invalid(`${shown}: token of its ConfigMap must refer to a Secret: write $key or $secret:key`);
  const [first = '', second] = reference.slice(1).split(':', 2);
  const [name, key] = second === undefined ? ['argocd-secret', first] : [first, second];
  const secret = await findSecret(ctx, kube, namespace, name);
  const token = secret && secretText(secret)[key];
  if (token) return token.trim();
  throw invalid(`${shown}: Secret ${namespace}/${name} has no key ${key}, which its token refers to`);
}

function replyIn(body: Uint8Array, shown: string): unknown {
  try {
    return JSON.parse(decodeText(body));
  } catch {
    throw new FairleadError('RenderFailed', `${shown} did not answer with JSON`);
  }
}

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);
