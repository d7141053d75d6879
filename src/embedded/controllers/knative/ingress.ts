import type { KubeObject } from '#base/model';
import type { JsonObject } from '#kubernetes/schema';
import { serviceKind } from '../kinds.ts';
import {
  type Controller,
  keyOfObject,
  type NextPass,
  nowOf,
  type SimulationContext,
} from '../simulation-context.ts';
import { isDeleting, ownedMeta, storedObject, writeStatus } from '../write.ts';
import { Conditions, livingSet } from './conditions.ts';
import { clusterDomain, domainOf, hostOf } from './domains.ts';
import { ensure } from './ensure.ts';
import { knative, knativeIngressKind, label, note } from './kinds.ts';
import type { Direction, Share } from './rollout.ts';
import { isCurrent, type KnativeIngress, type KnativeRoute } from './view.ts';

const gatewayDomain = `embedded-gateway.knative-serving.${clusterDomain}`;
export const ingressClass = 'embedded.ingress.networking.knative.dev';

/** Creates or updates the ingress of a route, with these directions and this state of the rollout. */
export async function ensureIngress(
  context: SimulationContext,
  route: KnativeRoute,
  directions: readonly Direction[],
  rollout: string,
): Promise<KnativeIngress> {
  const { name, namespace = '', labels = {}, annotations = {} } = route.metadata;
  const { [note.lastApplied]: _applied, ...notes } = annotations;
  const wanted = {
    ...knativeIngressKind,
    metadata: ownedMeta(route, {
      name,
      labels: { ...labels, [label.route]: name, [label.routeNamespace]: namespace },
      annotations: {
        'networking.knative.dev/ingress.class': ingressClass,
        ...notes,
        ...tagNotes(context, route, directions),
        [note.rollout]: rollout,
      },
    }),
    spec: { httpOption: 'Enabled', rules: directions.flatMap((one) => rules(context, route, one)) },
  };
  const found = await ensure(context, route, wanted, { component: 'route-controller' });
  return (found ?? wanted) as KnativeIngress;
}

/** compat cluster 5.6: the hosts of each tag. */
function tagNotes(
  context: SimulationContext,
  route: KnativeRoute,
  directions: readonly Direction[],
): Record<string, string> {
  const domains = [...new Set([clusterDomain, domainOf(context, route)])];
  const hosts = directions
    .filter(({ tag }) => tag !== '')
    .map(({ tag }) => [tag, domains.map((domain) => hostOf(route, tag, domain))]);
  const name = 'networking.internal.knative.dev/tag-to-host';
  return hosts.length > 0 ? { [name]: JSON.stringify(Object.fromEntries(hosts)) } : {};
}

/** Inside the cluster and outside. */
function rules(context: SimulationContext, route: KnativeRoute, { tag, shares }: Direction): JsonObject[] {
  const domain = domainOf(context, route);
  const inside = ['', '.svc', `.${clusterDomain}`].map(
    (end) => hostOf(route, tag, '').replace(/\.$/, '') + end,
  );
  const http = { paths: [{ splits: shares.map((share) => split(context, route, share)) }] };
  const local = { hosts: inside, http, visibility: 'ClusterLocal' };
  if (domain === clusterDomain) return [local];
  return [local, { hosts: [hostOf(route, tag, domain)], http, visibility: 'ExternalIP' }];
}

function split(
  context: SimulationContext,
  route: KnativeRoute,
  { revisionName, percent }: Share,
): JsonObject {
  const { namespace = '' } = route.metadata;
  const service = storedObject(context, serviceKind, { namespace, name: revisionName });
  const ports = (service?.spec as { ports?: { port?: number }[] } | undefined)?.ports ?? [];
  return {
    appendHeaders: { 'Knative-Serving-Namespace': namespace, 'Knative-Serving-Revision': revisionName },
    percent,
    serviceName: revisionName,
    serviceNamespace: namespace,
    servicePort: ports[0]?.port ?? 80,
  };
}

const conditionSet = livingSet('LoadBalancerReady', 'NetworkConfigured');

/** Replaces a networking layer: an ingress becomes ready after a short delay. */
export function createKnativeIngressController(): Controller {
  const seen = new Map<string, { readonly generation: number; readonly at: number }>();
  const idOf = ({ namespace, name }: { namespace: string; name: string }) => `${namespace}/${name}`;
  return {
    type: knativeIngressKind,
    gone: (_context, key) => {
      seen.delete(idOf(key));
    },
    async reconcile(context, object): Promise<NextPass | undefined> {
      if (isDeleting(object) || isCurrent(object)) return undefined;
      const { generation = 1 } = object.metadata;
      const id = idOf(keyOfObject(object));
      const first = seen.get(id);
      const since = first?.generation === generation ? first.at : nowOf(context);
      seen.set(id, { generation, at: since });
      const at = since + networkMs;
      if (nowOf(context) < at) return { at };
      await configure(context, object);
      return undefined;
    },
  };
}

const networkMs = 10;

async function configure(context: SimulationContext, ingress: KubeObject): Promise<void> {
  const before = (ingress as KnativeIngress).status?.conditions;
  const conditions = new Conditions(conditionSet, before, context.clock.now());
  conditions.markTrue('NetworkConfigured');
  conditions.markTrue('LoadBalancerReady');
  const gateway = { ingress: [{ domainInternal: gatewayDomain }] };
  const { generation: observedGeneration } = ingress.metadata;
  await writeStatus(
    context,
    ingress,
    {
      observedGeneration,
      conditions: conditions.list,
      publicLoadBalancer: gateway,
      privateLoadBalancer: gateway,
    },
    knative,
  );
}
