import { groupOf, type KubeObject } from '#base/model';
import {
  type Controller,
  keyOfObject,
  type NextPass,
  type SimulationContext,
} from '../simulation-context.ts';
import { all, change, isDeleting, isReason, ownedMeta, storedObject, writeStatus } from '../write.ts';
import { Conditions, type KnativeCondition, livingSet } from './conditions.ts';
import { configOf, isTrue } from './config.ts';
import { clusterDomain } from './domains.ts';
import { ensure } from './ensure.ts';
import { failed } from './failed.ts';
import { ingressClass } from './ingress.ts';
import {
  domainClaimKind,
  domainMappingKind,
  knative,
  knativeIngressKind,
  knativeServiceKind,
  label,
  note,
} from './kinds.ts';
import { isCurrent, type KnativeIngress, readyOf } from './view.ts';

type Target = {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
};
type DomainMapping = KubeObject<
  { readonly ref?: Target; readonly tls?: { readonly secretName?: string } },
  { readonly observedGeneration?: number; readonly conditions?: readonly KnativeCondition[] }
>;

const conditionSet = livingSet(
  'ReferenceResolved',
  'IngressReady',
  'CertificateProvisioned',
  'DomainClaimed',
);
const component = 'domainmapping-controller';
const finalizer = 'domainmappings.serving.knative.dev';
const ingressPending = 'Ingress has not yet been reconciled.';

/** Maps a custom domain to a Knative Service. */
export const domainMappingController: Controller = {
  type: domainMappingKind,
  wakes: [
    {
      type: knativeServiceKind,
      keys: (context, { object }) =>
        (all(context, domainMappingKind, object.metadata.namespace) as DomainMapping[])
          .filter(({ spec }) => spec?.ref?.name === object.metadata.name)
          .map(keyOfObject),
    },
    {
      type: domainClaimKind,
      keys: (context, { object }) =>
        all(context, domainMappingKind)
          .filter(({ metadata }) => metadata.name === object.metadata.name)
          .map(keyOfObject),
    },
    {
      type: knativeIngressKind,
      keys: (_context, { object }) =>
        (object.metadata.ownerReferences ?? [])
          .filter(({ kind }) => kind === 'DomainMapping')
          .map(({ name }) => ({ ...keyOfObject(object), name })),
    },
  ],
  async reconcile(context, object): Promise<NextPass | undefined> {
    if (isDeleting(object)) return release(context, object);
    const mapping = (await held(context, object)) as DomainMapping;
    const conditions = new Conditions(conditionSet, mapping.status?.conditions, context.clock.now());
    const failure = await map(context, mapping, conditions);
    const { generation: observedGeneration, name } = mapping.metadata;
    const url = `${mapping.spec?.tls ? 'https' : 'http'}://${name}`;
    const status = { observedGeneration, conditions: conditions.list, url, address: { url } };
    await writeStatus(context, mapping, status, knative);
    if (failure !== undefined) await failed(context, mapping, component, failure);
    return undefined;
  },
};

async function held(context: SimulationContext, mapping: KubeObject): Promise<KubeObject> {
  const { finalizers = [], name } = mapping.metadata;
  if (finalizers.includes(finalizer)) return mapping;
  const body = { metadata: { finalizers: [...finalizers, finalizer] } };
  const next = await change(context, mapping, body, knative);
  const message = `Updated "${name}" finalizers`;
  await context.events.record(mapping, { type: 'Normal', reason: 'FinalizerUpdate', message, component });
  return next;
}

const mayClaim = (context: SimulationContext): boolean =>
  isTrue(configOf(context), 'config-network', 'autocreate-cluster-domain-claims', false);

type Claim = KubeObject<{ readonly namespace?: string }>;
const claimOf = (context: SimulationContext, { metadata }: KubeObject): Claim | undefined =>
  storedObject(context, domainClaimKind, { namespace: '', name: metadata.name }) as Claim | undefined;

async function release(context: SimulationContext, mapping: KubeObject): Promise<undefined> {
  const { finalizers = [], namespace } = mapping.metadata;
  const claim = claimOf(context, mapping);
  if (mayClaim(context) && claim && claim.spec?.namespace === namespace) {
    const { name } = claim.metadata;
    await context.objects.remove({ ...domainClaimKind, name }, {}, knative).catch(unlessGone);
  }
  const left = finalizers.filter((one) => one !== finalizer);
  await change(context, mapping, { metadata: { finalizers: left.length > 0 ? left : null } }, knative);
  return undefined;
}

function unlessGone(error: unknown): void {
  if (!isReason(error, 'NotFound')) throw error;
}

/** Returns the reason why the domain cannot be mapped. */
async function map(
  context: SimulationContext,
  mapping: DomainMapping,
  conditions: Conditions,
): Promise<string | undefined> {
  const { generation } = mapping.metadata;
  if (generation !== mapping.status?.observedGeneration) {
    conditions.markUnknown('IngressReady', 'IngressNotConfigured', ingressPending);
  }
  const unclaimed = await claim(context, mapping);
  if (unclaimed !== undefined) {
    const message = 'The domain name is already in use by another DomainMapping';
    conditions.markFalse('DomainClaimed', 'DomainAlreadyClaimed', message);
    return unclaimed;
  }
  conditions.markTrue('DomainClaimed');
  if (mapping.spec?.tls) {
    const reason = 'TLSCertificateProvidedExternally';
    conditions.markTrue('CertificateProvisioned', reason, 'TLS certificate was provided externally');
  } else conditions.markTrue('CertificateProvisioned', 'TLSNotEnabled', 'external-domain-tls is not enabled');
  const { host, failure } = resolve(context, mapping);
  if (host === undefined) {
    conditions.markFalse('ReferenceResolved', 'ResolveFailed', failure);
    return `resolving reference: ${failure}`;
  }
  conditions.markTrue('ReferenceResolved');
  followIngress(await ensureIngress(context, mapping, host), conditions);
  return undefined;
}

/** compat cluster 5.6: a domain belongs to the namespace that an administrator, or the first mapping, has claimed it for. */
async function claim(context: SimulationContext, mapping: DomainMapping): Promise<string | undefined> {
  const { name, namespace = '' } = mapping.metadata;
  const live = claimOf(context, mapping);
  if (live) {
    const isOurs = live.spec?.namespace === namespace;
    return isOurs ? undefined : `namespace "${namespace}" does not own ClusterDomainClaim for "${name}"`;
  }
  if (!mayClaim(context)) {
    return `no ClusterDomainClaim found for domain "${name}" (and autocreate-cluster-domain-claims property is not true)`;
  }
  await context.objects.create({ ...domainClaimKind, metadata: { name }, spec: { namespace } }, knative);
  return undefined;
}

type Resolution = { readonly host?: string; readonly failure?: string };

function resolve(context: SimulationContext, mapping: DomainMapping): Resolution {
  const { kind = '', apiVersion = '', name = '' } = mapping.spec?.ref ?? {};
  const { namespace = '' } = mapping.metadata;
  const target = storedObject(context, { apiVersion, kind }, { namespace, name });
  if (!target) {
    const group = groupOf({ apiVersion } as KubeObject);
    const resource = `${kind.toLowerCase()}s${group ? `.${group}` : ''}`;
    return { failure: `failed to get object ${namespace}/${name}: ${resource} "${name}" not found` };
  }
  if (apiVersion === 'v1' && kind === 'Service') return { host: `${name}.${namespace}.${clusterDomain}` };
  const { address } = (target.status ?? {}) as { address?: { url?: string } };
  if (!address?.url) {
    const ref = `Kind = ${kind}, Namespace = ${namespace}, Name = ${name}, APIVersion = ${apiVersion}, Group = , Address = `;
    return { failure: `address not set for ${ref}` };
  }
  return { host: new URL(address.url).host };
}

async function ensureIngress(
  context: SimulationContext,
  mapping: DomainMapping,
  host: string,
): Promise<KnativeIngress> {
  const { name, namespace = '', uid = '', annotations = {}, labels } = mapping.metadata;
  const { [note.lastApplied]: _applied, ...notes } = annotations;
  const { secretName } = mapping.spec?.tls ?? {};
  const split = {
    appendHeaders: { 'K-Original-Host': name },
    percent: 100,
    serviceName: host.split('.', 1)[0],
    serviceNamespace: namespace,
    servicePort: 80,
  };
  const wanted = {
    ...knativeIngressKind,
    metadata: ownedMeta(mapping, {
      name,
      labels: { ...labels, [label.domainMappingUid]: uid, [label.domainMappingNamespace]: namespace },
      annotations: { ...notes, 'networking.knative.dev/ingress.class': ingressClass },
    }),
    spec: {
      httpOption: 'Enabled',
      rules: [
        {
          hosts: [name],
          http: { paths: [{ rewriteHost: host, splits: [split] }] },
          visibility: 'ExternalIP',
        },
      ],
      ...(secretName && { tls: [{ hosts: [name], secretName, secretNamespace: namespace }] }),
    },
  };
  return ((await ensure(context, mapping, wanted, { component })) ?? wanted) as KnativeIngress;
}

function followIngress(ingress: KnativeIngress, conditions: Conditions): void {
  const ready = readyOf(ingress);
  if (!isCurrent(ingress) || !ready)
    conditions.markUnknown('IngressReady', 'IngressNotConfigured', ingressPending);
  else conditions.mirror('IngressReady', ready);
}
