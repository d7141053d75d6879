import type { KubeObject } from '#model';
import type { JsonObject } from '#schema';
import { serviceKind } from '../kinds.ts';
import { type Again, type Controller, keyOfObject, nowOf, type World } from '../world.ts';
import { isDeleting, look, ownedMeta, writeStatus } from '../write.ts';
import { Conditions, livingSet } from './conditions.ts';
import { clusterDomain, domainOf, hostOf } from './domains.ts';
import { ensure } from './ensure.ts';
import { knative, knativeIngressKind, label, note } from './kinds.ts';
import { isCurrent, type KnativeIngress, type Route, type TrafficTarget } from './view.ts';

export const gatewayDomain = `embedded-gateway.knative-serving.${clusterDomain}`;
const ingressClass = 'embedded.ingress.networking.knative.dev';

/** The ingress of a route, with these shares and this state of the rollout. */
export async function ensureIngress(
  world: World,
  route: Route,
  shares: readonly TrafficTarget[],
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
        ...tagNotes(world, route, shares),
        [note.rollout]: rollout,
      },
    }),
    spec: { httpOption: 'Enabled', rules: rulesFor(world, route, shares) },
  };
  const found = await ensure(world, route, wanted, 'route-controller');
  return (found ?? wanted) as KnativeIngress;
}

const tagsOf = (shares: readonly TrafficTarget[]): string[] =>
  [...new Set(shares.flatMap(({ tag }) => (tag ? [tag] : [])))].sort();

/** compat 5.6: under which hosts each tag is found. */
function tagNotes(world: World, route: Route, shares: readonly TrafficTarget[]): Record<string, string> {
  const domains = [...new Set([clusterDomain, domainOf(world, route)])];
  const hosts = tagsOf(shares).map((tag) => [tag, domains.map((domain) => hostOf(route, tag, domain))]);
  const name = 'networking.internal.knative.dev/tag-to-host';
  return hosts.length > 0 ? { [name]: JSON.stringify(Object.fromEntries(hosts)) } : {};
}

/** Everything for the route's own hosts, then each tag for its own, inside the cluster and outside. */
function rulesFor(world: World, route: Route, shares: readonly TrafficTarget[]): JsonObject[] {
  const main = shares.filter(({ percent = 0 }) => percent > 0);
  return ['', ...tagsOf(shares)].flatMap((tag) => {
    const splits = tag === '' ? main : whole(shares.filter((share) => share.tag === tag));
    return rules(world, route, tag, splits);
  });
}

/** A tag's hosts get all of it, whatever share of the route it has. */
function whole(shares: readonly TrafficTarget[]): TrafficTarget[] {
  const newest = shares.at(-1);
  return newest ? [{ ...newest, percent: 100 }] : [];
}

function rules(world: World, route: Route, tag: string, shares: readonly TrafficTarget[]): JsonObject[] {
  const domain = domainOf(world, route);
  const inside = ['', '.svc', `.${clusterDomain}`].map(
    (end) => hostOf(route, tag, '').replace(/\.$/, '') + end,
  );
  const http = { paths: [{ splits: shares.map((share) => split(world, route, share)) }] };
  const local = { hosts: inside, http, visibility: 'ClusterLocal' };
  if (domain === clusterDomain) return [local];
  return [local, { hosts: [hostOf(route, tag, domain)], http, visibility: 'ExternalIP' }];
}

function split(world: World, route: Route, { revisionName = '', percent = 0 }: TrafficTarget): JsonObject {
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

/** Stands in for a networking layer: what it is told takes effect after a moment. */
export function createKnativeIngressController(): Controller {
  const seen = new Map<string, { readonly generation: number; readonly at: number }>();
  const idOf = ({ namespace, name }: { namespace: string; name: string }) => `${namespace}/${name}`;
  return {
    type: knativeIngressKind,
    gone: (_world, key) => {
      seen.delete(idOf(key));
    },
    async reconcile(world, object): Promise<Again | undefined> {
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

async function configure(world: World, ingress: KubeObject): Promise<void> {
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
