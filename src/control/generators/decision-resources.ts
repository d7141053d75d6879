import { type KubeObject, type LabelSelector, printSelector, selectorOf } from '#base/model';
import { type Ctx, FairleadError, isObject } from '#base/std';
import type { GeneratorDeps } from './generator-deps.ts';

/** What a clusterDecisionResource generator names. */
type DecisionRequest = {
  readonly configMapRef: string;
  readonly name?: string | undefined;
  readonly labelSelector?: LabelSelector | undefined;
};

/** What the ConfigMap says about the resources, and their objects. */
type DecisionReading = {
  readonly statusListKey: string;
  /** Empty: the ConfigMap has none, and nothing matches. */
  readonly matchKey: string;
  readonly objects: readonly KubeObject[];
};

/** compat sources ASD-1: ConfigMap and objects are those of the control plane's namespace. */
export async function readDecisions(
  ctx: Ctx,
  { kube, namespace }: Pick<GeneratorDeps, 'kube' | 'namespace'>,
  { configMapRef, name, labelSelector }: DecisionRequest,
): Promise<DecisionReading> {
  const data = await configMapData(ctx, kube, namespace, configMapRef);
  const { apiVersion = '', kind: plural = '', statusListKey = 'clusters', matchKey = '' } = data;
  if (apiVersion === '' || plural === '')
    throw invalid(`ConfigMap ${namespace}/${configMapRef} needs the keys apiVersion and kind`);
  if (Boolean(name) === Boolean(labelSelector))
    throw invalid('clusterDecisionResource needs either name or labelSelector: set one of them');
  const kind = await kindOf(ctx, kube, apiVersion, plural);
  const from = { apiVersion, kind, namespace };
  if (name) {
    const found = await kube.find(ctx, { ...from, name });
    return { statusListKey, matchKey, objects: found ? [found] : [] };
  }
  const selector = printSelector(selectorOf(labelSelector ?? {}));
  const { items } = await kube.list(ctx, from, { labelSelector: selector });
  return { statusListKey, matchKey, objects: items };
}

/** The data of a ConfigMap. Throws InvalidSpec when there is none. */
export async function configMapData(
  ctx: Ctx,
  kube: GeneratorDeps['kube'],
  namespace: string,
  name: string,
): Promise<Readonly<Record<string, string>>> {
  const found = await kube.find(ctx, { apiVersion: 'v1', kind: 'ConfigMap', namespace, name });
  if (!found) throw invalid(`ConfigMap ${namespace}/${name} does not exist: create it`);
  const { data } = found as KubeObject & { readonly data?: unknown };
  return isObject(data) ? (data as Readonly<Record<string, string>>) : {};
}

/** The peer takes `kind` for the plural name of the resource; the name of the kind is accepted too. */
async function kindOf(
  ctx: Ctx,
  kube: GeneratorDeps['kube'],
  apiVersion: string,
  name: string,
): Promise<string> {
  const isMeant = (one: { readonly apiVersion: string; readonly plural: string; readonly kind: string }) =>
    one.apiVersion === apiVersion && (one.plural === name.toLowerCase() || one.kind === name);
  const known = (await kube.catalog(ctx)).resources.find(isMeant);
  if (known) return known.kind;
  kube.invalidate(); // its definition may have been created since
  const found = (await kube.catalog(ctx)).resources.find(isMeant);
  if (found) return found.kind;
  throw invalid(
    `the cluster serves no resource ${name} of ${apiVersion}: install it or correct the ConfigMap`,
  );
}

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);
