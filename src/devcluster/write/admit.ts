import type { KubeObject } from '#model';
import { isObject, type JsonObject } from '#schema';
import { printJson } from '#std';
import { peek } from '../core.ts';
import { completeDefinition } from '../crd/definition.ts';
import { type Item, specOf, withField, withMeta } from '../item.ts';
import { allocateService } from './allocate.ts';
import { refuseWithoutNamespace } from './namespace.ts';
import type { Writing } from './writing.ts';

type Admit = (writing: Writing, item: Item, live: Item | undefined) => Item;

/** What the cluster itself adds to a new object, after defaults and before validation; nobody owns these fields. */
export function admitNew(writing: Writing, item: Item): Item {
  refuseWithoutNamespace(writing, item.metadata.name ?? '');
  return throughWebhooks(
    writing,
    admission[writing.resource.shelf]?.(writing, item, undefined) ?? item,
    undefined,
  );
}

/** The same for an object that replaces `live`. */
export function admitChanged(writing: Writing, live: Item, item: Item): Item {
  if (writing.subresource !== '') return item;
  return throughWebhooks(writing, admission[writing.resource.shelf]?.(writing, item, live) ?? item, live);
}

function throughWebhooks({ core, options }: Writing, item: Item, live: Item | undefined): Item {
  const object = item as unknown as KubeObject;
  return core.webhooks({
    object,
    live: live as unknown as KubeObject | undefined,
    user: options.user.name,
  }) as unknown as Item;
}

const admission: Readonly<Record<string, Admit>> = {
  '/namespaces': admitNamespace,
  '/pods': admitPod,
  '/services': allocateService,
  '/secrets': foldStringData,
  'batch/jobs': admitJob,
  '/persistentvolumeclaims': admitClaim,
  'networking.k8s.io/ingresses': admitIngress,
  'apiextensions.k8s.io/customresourcedefinitions': admitDefinition,
};

function admitNamespace(_writing: Writing, item: Item, live: Item | undefined): Item {
  const labels = { ...item.metadata.labels, 'kubernetes.io/metadata.name': item.metadata.name ?? '' };
  const finalizers = live ? specOf(live).finalizers : ['kubernetes'];
  return withField(withMeta(item, { labels }), 'spec', { ...specOf(item), finalizers });
}

/** compat 3.12: text given for convenience becomes data; it is never kept or shown. */
function foldStringData(_writing: Writing, item: Item): Item {
  if (!isObject(item.stringData)) return item;
  const folded = Object.entries(item.stringData).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString('base64'),
  ]);
  const data = { ...(isObject(item.data) && item.data), ...Object.fromEntries(folded) };
  return withField(withField(item, 'stringData', undefined), 'data', data);
}

/** compat 3.12: the selector a Job is not given is made from its uid, which the template's pods carry as a label. */
function admitJob(writing: Writing, item: Item, live: Item | undefined): Item {
  if (live || specOf(item).manualSelector === true) return item;
  const uid = writing.core.ids.uuid();
  const name = item.metadata.name ?? '';
  const template = isObject(specOf(item).template) ? (specOf(item).template as JsonObject) : {};
  const metadata = isObject(template.metadata) ? template.metadata : {};
  const labels = {
    ...(isObject(metadata.labels) && metadata.labels),
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
  const spec = { ...specOf(item), selector, template: { ...template, metadata: { ...metadata, labels } } };
  return withField(withMeta(item, { uid }), 'spec', spec);
}

const defaultClass = (writing: Writing, shelf: string, annotation: string): string | undefined =>
  writing.core.state
    .shelf(shelf)
    .list()
    .find(({ item }) => item.metadata.annotations?.[annotation] === 'true')?.item.metadata.name;

function admitClaim(writing: Writing, item: Item, live: Item | undefined): Item {
  if (live || specOf(item).storageClassName !== undefined) return item;
  const annotation = 'storageclass.kubernetes.io/is-default-class';
  const storageClassName = defaultClass(writing, 'storage.k8s.io/storageclasses', annotation);
  return storageClassName === undefined
    ? item
    : withField(item, 'spec', { ...specOf(item), storageClassName });
}

function admitIngress(writing: Writing, item: Item, live: Item | undefined): Item {
  const named = specOf(item).ingressClassName ?? item.metadata.annotations?.['kubernetes.io/ingress.class'];
  if (live || named !== undefined) return item;
  const annotation = 'ingressclass.kubernetes.io/is-default-class';
  const ingressClassName = defaultClass(writing, 'networking.k8s.io/ingressclasses', annotation);
  return ingressClassName === undefined
    ? item
    : withField(item, 'spec', { ...specOf(item), ingressClassName });
}

function admitDefinition({ options }: Writing, item: Item): Item {
  if (printJson(item.spec).includes('"x-kubernetes-validations"')) {
    options.warn('the rules in x-kubernetes-validations are kept, but this server does not enforce them yet');
  }
  return completeDefinition(item);
}

/** compat 3.12: account, token volume, patience with sick nodes, priority. */
function admitPod(writing: Writing, item: Item, live: Item | undefined): Item {
  if (live) return item;
  const given = specOf(item);
  const account = String(given.serviceAccountName || 'default');
  const spec = {
    ...given,
    serviceAccountName: account,
    serviceAccount: account,
    tolerations: withPatience(Array.isArray(given.tolerations) ? given.tolerations : []),
    ...priority(writing, given),
  };
  return withField(item, 'spec', wantsToken(writing, spec, account) ? withToken(writing, spec) : spec);
}

type Toleration = { key?: string; operator?: string; effect?: string };

function withPatience(tolerations: readonly Toleration[]): Toleration[] {
  const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
    (key) =>
      !tolerations.some(
        (one) => (one.key === key || !one.key) && (one.effect ?? 'NoExecute') === 'NoExecute',
      ),
  );
  const added = missing.map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  }));
  return [...tolerations, ...added];
}

function priority(writing: Writing, spec: JsonObject): JsonObject {
  const name = spec.priorityClassName;
  const found =
    typeof name === 'string' ? peek(writing.core, 'scheduling.k8s.io/priorityclasses', '', name) : undefined;
  const { value = 0, preemptionPolicy = 'PreemptLowerPriority' }: JsonObject = found ?? {};
  return { priority: value, preemptionPolicy };
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
    return { ...container, volumeMounts: [...mounts, mount] };
  };
  const all = (field: string) => (Array.isArray(spec[field]) ? { [field]: spec[field].map(mounted) } : {});
  const volumes = Array.isArray(spec.volumes) ? spec.volumes : [];
  return {
    ...spec,
    ...all('containers'),
    ...all('initContainers'),
    volumes: [...volumes, tokenVolume(name)],
  };
}

const tokenVolume = (name: string): JsonObject => ({
  name,
  projected: {
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
  },
});
