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
import { isDeleting, look, ownedMeta, writeStatus } from '../write.ts';
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
  world: SimulationContext,
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
        ...tagNotes(world, route, directions),
        [note.rollout]: rollout,
      },
    }),
    spec: { httpOption: 'Enabled', rules: directions.flatMap((one) => rules(world, route, one)) },
  };
  const found = await ensure(world, route, wanted, { component: 'route-controller' });
  return (found ?? wanted) as KnativeIngress;
}

/** compat cluster 5.6: the hosts of each tag. */
function tagNotes(
  world: SimulationContext,
  route: KnativeRoute,
  directions: readonly Direction[],
): Record<string, string> {
  const domains = [...new Set([clusterDomain, domainOf(world, route)])];
  const hosts = directions
    .filter(({ tag }) => tag !== '')
    .map(({ tag }) => [tag, domains.map((domain) => hostOf(route, tag, domain))]);
  const name = 'networking.internal.knative.dev/tag-to-host';
  return hosts.length > 0 ? { [name]: JSON.stringify(Object.fromEntries(hosts)) } : {};
}

/** Inside the cluster and outside. */
function rules(world: SimulationContext, route: KnativeRoute, { tag, shares }: Direction): JsonObject[] {
  const domain = domainOf(world, route);
  const inside = ['', '.svc', `.${clusterDomain}`].map(
    (end) => hostOf(route, tag, '').replace(/\.$/, '') + end,
  );
  const http = { paths: [{ splits: shares.map((share) => split(world, route, share)) }] };
  const local = { hosts: inside, http, visibility: 'ClusterLocal' };
  if (domain === clusterDomain) return [local];
  return [local, { hosts: [hostOf(route, tag, domain)], http, visibility: 'ExternalIP' }];
}

function split(world: SimulationContext, route: KnativeRoute, { revisionName, percent }: Share): JsonObject {
  const { namespace = '' } = route.metadata;
  const service = look(world, serviceKind, { namespace, name: revisionName });
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
    gone: (_world, key) => {
      seen.delete(idOf(key));
    },
    async reconcile(world, object): Promise<NextPass | undefined> {
      if (isDeleting(object) || isCurrent(object)) return undefined;
      const { generation = 1 } = object.metadata;
      const id = idOf(keyOfObject(object));
      const first = seen.get(id);
      const since = first?.generation === generation ? first.at : nowOf(world);
      seen.set(id, { generation, at: since });
      const at = since + networkMs;
      if (nowOf(world) < at) return { at };
      await configure(world, object);
      return undefined;
    },
  };
}

const networkMs = 10;

async function configure(world: SimulationContext, ingress: KubeObject): Promise<void> {
  const before = (ingress as KnativeIngress).status?.conditions;
  const conditions = new Conditions(conditionSet, before, world.clock.now());
  conditions.markTrue('NetworkConfigured');
  conditions.markTrue('LoadBalancerReady');
  const gateway = { ingress: [{ domainInternal: gatewayDomain }] };
  const { generation: observedGeneration } = ingress.metadata;
  await writeStatus(
    world,
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
