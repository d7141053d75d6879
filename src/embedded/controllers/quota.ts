import { addQuantities, canonicalQuantity, type KubeObject, quantityOf } from '#base/model';
import type { TypeRef } from '#embedded/apiserver';
import {
  claimKind,
  configMapKind,
  cronJobKind,
  deploymentKind,
  jobKind,
  podKind,
  quotaKind,
  replicaSetKind,
  replicationControllerKind,
  secretKind,
  serviceKind,
  statefulSetKind,
} from './kinds.ts';
import { isActive, type Pod } from './pod/view.ts';
import { type Controller, keyOfObject, type SimulationContext } from './simulation-context.ts';
import { all, isDeleting, writeStatus } from './write.ts';

type Quota = KubeObject<{
  readonly hard?: Readonly<Record<string, string>>;
  readonly scopes?: readonly string[];
}>;

/** The countable resources, by their name in a quota. */
const countable: Readonly<Record<string, TypeRef>> = {
  pods: podKind,
  services: serviceKind,
  configmaps: configMapKind,
  secrets: secretKind,
  persistentvolumeclaims: claimKind,
  replicationcontrollers: replicationControllerKind,
  resourcequotas: quotaKind,
  'deployments.apps': deploymentKind,
  'replicasets.apps': replicaSetKind,
  'statefulsets.apps': statefulSetKind,
  'jobs.batch': jobKind,
  'cronjobs.batch': cronJobKind,
};

/** Reports how much of each quota is used. The API server refuses what exceeds it. */
export const quotaController: Controller = {
  type: quotaKind,
  wakes: [...new Set(Object.values(countable))]
    .filter((type) => type !== quotaKind)
    .map((type) => ({
      type,
      keys: (context, { object }) => all(context, quotaKind, object.metadata.namespace).map(keyOfObject),
    })),
  async reconcile(context, object) {
    const quota = object as Quota;
    if (isDeleting(quota)) return undefined;
    const { hard = {} } = quota.spec ?? {};
    const used = Object.keys(hard).map((name) => [name, usage(context, quota, name)]);
    await writeStatus(context, quota, { hard, used: Object.fromEntries(used) });
    return undefined;
  },
};

function usage(context: SimulationContext, quota: Quota, name: string): string {
  const { namespace } = keyOfObject(quota);
  const counted = countable[name.replace(/^count\//, '')];
  if (counted) {
    const found = all(context, counted, namespace);
    // compat cluster 3.20: `pods` counts unfinished pods, `count/pods` all of them
    return String(name === 'pods' ? found.filter(isOpen).length : found.length);
  }
  if (name.startsWith('services.')) return servicesOf(context, namespace, name);
  if (name === 'requests.storage') return total(all(context, claimKind, namespace).map(storageOf));
  const [, list = 'requests', resource = name] = /^(requests|limits)\.(.+)$/.exec(name) ?? [];
  const pods = all(context, podKind, namespace).filter(isOpen) as readonly Pod[];
  return total(pods.flatMap((pod) => requested(pod, list as 'requests' | 'limits', resource)));
}

const isOpen = (pod: KubeObject): boolean => isActive(pod) || isDeleting(pod);

function servicesOf(context: SimulationContext, namespace: string, name: string): string {
  const types = all(context, serviceKind, namespace).map(
    ({ spec }) => (spec as { type?: string } | undefined)?.type,
  );
  const wanted = name === 'services.loadbalancers' ? ['LoadBalancer'] : ['LoadBalancer', 'NodePort'];
  return String(types.filter((type) => type !== undefined && wanted.includes(type)).length);
}

const storageOf = ({ spec }: KubeObject): unknown =>
  (spec as { resources?: { requests?: { storage?: unknown } } } | undefined)?.resources?.requests?.storage;

const requested = ({ spec }: Pod, list: 'requests' | 'limits', resource: string): readonly unknown[] =>
  (spec?.containers ?? []).map(({ resources }) => resources?.[list]?.[resource]);

const total = (amounts: readonly unknown[]): string =>
  canonicalQuantity(
    amounts.flatMap((one) => quantityOf(one) ?? []).reduce((sum, one) => addQuantities(sum, one), zero),
  );

const zero = quantityOf('0') ?? addQuantities(0, 0);
