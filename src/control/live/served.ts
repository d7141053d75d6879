import { type KubeObject, parseKey, type ResourceKey } from '#base/model';
import { type Ctx, parseJson, printJson } from '#base/std';
import type { ApiResource, KubeClient } from '#kubernetes/client';

/** The kinds that define which other kinds are served. */
export const definitions = 'apiextensions.k8s.io/CustomResourceDefinition';
export const services = 'apiregistration.k8s.io/APIService';

type ApiService = KubeObject & {
  readonly spec?: { readonly service?: object };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
};

/** The Service behind an aggregated API, and whether it is available; empty for an API that the API server serves itself. */
export function servedBy(object: KubeObject | undefined): string {
  const { spec, status } = (object ?? {}) as Partial<ApiService>;
  if (!spec?.service) return '';
  const available = status?.conditions?.find(({ type }) => type === 'Available')?.status ?? 'Unknown';
  return `${printJson(spec.service)} ${available}`;
}

/** Items of a list may come without their own apiVersion and kind. */
export function named(object: KubeObject, { apiVersion, kind }: ApiResource): KubeObject {
  return object.kind ? object : { ...object, apiVersion, kind };
}

/** Every `group/version` and `group/version/Kind`. */
export function apiVersionsOf(resources: readonly ApiResource[]): string[] {
  const names = resources.flatMap(({ apiVersion, kind }) => [apiVersion, `${apiVersion}/${kind}`]);
  return [...new Set(names)].sort();
}

/** The server's version as it reports it; empty when it does not. */
export async function versionOf(ctx: Ctx, kube: Pick<KubeClient, 'raw'>): Promise<string> {
  const { text } = await kube.raw(ctx, { method: 'GET', path: '/version' });
  return (parseJson(text) as { gitVersion?: string }).gitVersion ?? '';
}

/** The keys in a namespace; undefined is all of them. */
export function* within(keys: Iterable<ResourceKey>, namespace: string | undefined): Generator<ResourceKey> {
  for (const key of keys) if (namespace === undefined || parseKey(key).namespace === namespace) yield key;
}

/** `group/Kind`. */
export function kindOf(key: ResourceKey): string {
  const { group, kind } = parseKey(key);
  return `${group}/${kind}`;
}
