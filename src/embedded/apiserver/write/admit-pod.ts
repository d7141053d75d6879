import type { JsonObject } from '#kubernetes/schema';
import { peek } from '../core.ts';
import { type Item, itemKey, nameOf, specOf, withField } from '../item.ts';
import { forbidden } from '../status.ts';
import { withDefaultLimits } from './limits.ts';
import type { Writing } from './writing.ts';

/** compat cluster 3.12: service account, token volume, tolerations for failing nodes, priority. */
export function admitPod(writing: Writing, item: Item, live: Item | undefined): Item {
  const patient = withTolerations(item);
  if (live) return withPriorityOf(live, patient);
  const limited = withDefaultLimits(writing, patient);
  const given = specOf(limited);
  const account = String(given.serviceAccountName || 'default');
  refuseWithoutAccount(writing, item, account);
  const spec = {
    ...given,
    serviceAccountName: account,
    serviceAccount: account,
    ...priority(writing, item, given),
  };
  return withField(limited, 'spec', wantsToken(writing, spec, account) ? withToken(writing, spec) : spec);
}

/** compat cluster 3.12: an update of a pod may leave out the priority that the pod was assigned. */
function withPriorityOf(live: Item, next: Item): Item {
  const [{ priority, preemptionPolicy }, spec] = [specOf(live), specOf(next)];
  if (spec.priority !== undefined && spec.preemptionPolicy !== undefined) return next;
  return withField(next, 'spec', {
    ...(priority !== undefined && { priority }),
    ...(preemptionPolicy !== undefined && { preemptionPolicy }),
    ...spec,
  });
}

/** compat cluster 3.12: pods tolerate a failing node for five minutes, whatever an update contains. */
function withTolerations(item: Item): Item {
  const { tolerations } = specOf(item);
  const given = (Array.isArray(tolerations) ? tolerations : []) as Toleration[];
  const patient = tolerating(given);
  if (patient.length === given.length) return item;
  return withField(item, 'spec', { ...specOf(item), tolerations: patient });
}

type Toleration = { key?: string; operator?: string; effect?: string; tolerationSeconds?: number };

/** Shared by all pods that get them. */
const usualTolerations: readonly Toleration[] = [
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
].map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));

function tolerating(tolerations: readonly Toleration[]): readonly Toleration[] {
  if (tolerations.length === 0) return usualTolerations;
  const missing = usualTolerations.filter(
    ({ key }) =>
      !tolerations.some(
        (one) => (one.key === key || !one.key) && (one.effect ?? 'NoExecute') === 'NoExecute',
      ),
  );
  return [...tolerations, ...missing];
}

/** compat cluster 3.12: a pod's account must exist; the default account of a new namespace may not exist yet. */
function refuseWithoutAccount({ core, namespace, resource }: Writing, item: Item, account: string): void {
  if (account === 'default' || peek(core, '/serviceaccounts', namespace, account)) return;
  const why = `error looking up service account ${namespace}/${account}: serviceaccount "${account}" not found`;
  throw forbidden(resource, nameOf(item), why);
}

type PriorityClass = { readonly value?: number; readonly preemptionPolicy?: string };

/** compat cluster 3.12: the priority of a pod comes from its class. */
function priority(writing: Writing, item: Item, spec: JsonObject): JsonObject {
  const { core, resource } = writing;
  const classes = core.state.collection('scheduling.k8s.io/priorityclasses');
  const usual = spec.priorityClassName
    ? undefined
    : classes.list().find(({ item: one }) => one.globalDefault === true)?.item;
  const name = spec.priorityClassName || usual?.metadata.name;
  const found = name === undefined ? undefined : classes.get(itemKey('', String(name)))?.item;
  if (name !== undefined && !found) {
    throw forbidden(resource, nameOf(item), `no PriorityClass with name ${String(name)} was found`);
  }
  const { value = 0, preemptionPolicy = 'PreemptLowerPriority' } = (found ?? {}) as PriorityClass;
  const own = 'must not be provided in pod spec; priority admission controller computed';
  const from = 'from the given PriorityClass name';
  if (spec.priority !== undefined && spec.priority !== value) {
    const why = `the integer value of priority (${String(spec.priority)}) ${own} ${value} ${from}`;
    throw forbidden(resource, nameOf(item), why);
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    const why = `the string value of PreemptionPolicy (${String(spec.preemptionPolicy)}) ${own} ${preemptionPolicy} ${from}`;
    throw forbidden(resource, nameOf(item), why);
  }
  return { ...(name !== undefined && { priorityClassName: name }), priority: value, preemptionPolicy };
}

function wantsToken({ core, namespace }: Writing, spec: JsonObject, account: string): boolean {
  if (spec.automountServiceAccountToken !== undefined) return spec.automountServiceAccountToken === true;
  return peek(core, '/serviceaccounts', namespace, account)?.automountServiceAccountToken !== false;
}

const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount';

function withToken(writing: Writing, spec: JsonObject): JsonObject {
  const name = `kube-api-access-${writing.core.ids.suffix(5)}`;
  const mount = { name, readOnly: true, mountPath: tokenPath };
  const mounted = (container: JsonObject) => {
    const mounts = Array.isArray(container.volumeMounts) ? container.volumeMounts : [];
    if (mounts.some((one: { mountPath?: string }) => one.mountPath === tokenPath)) return container;
    return { ...container, volumeMounts: mounts.concat(mount) }; // a spread array takes more memory
  };
  const all = (field: string) => (Array.isArray(spec[field]) ? { [field]: spec[field].map(mounted) } : {});
  const volumes = Array.isArray(spec.volumes) ? spec.volumes : [];
  return {
    ...spec,
    ...all('containers'),
    ...all('initContainers'),
    volumes: volumes.concat(tokenVolume(name)),
  };
}

const tokenVolume = (name: string): JsonObject => ({ name, projected: tokenSources });

/** Shared by all pods that get it. */
const tokenSources = {
  sources: [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ],
  defaultMode: 420,
};
