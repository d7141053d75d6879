import { type KubeObject, parseDuration } from '#model';
import { configMapKind, serviceKind } from '../kinds.ts';
import { ownerKey } from '../replica-set.ts';
import { type Again, type Controller, keyOfObject, nowOf, type World } from '../world.ts';
import { all, change, controlled, discard, isDeleting, look, ownedMeta, writeStatus } from '../write.ts';
import { completed } from './admission.ts';
import { Conditions, livingSet } from './conditions.ts';
import { clusterDomain, domainConfig, domainOf, hostLabel, hostOf } from './domains.ts';
import { ensureIngress, gatewayDomain } from './ingress.ts';
import {
  configurationKind,
  knative,
  knativeIngressKind,
  label,
  note,
  revisionKind,
  routeKind,
} from './kinds.ts';
import {
  goalOf,
  isDone,
  nextStepAt,
  observeReady,
  parseRollout,
  printRollout,
  type Rollout,
  sharesOf,
  step,
} from './rollout.ts';
import { markRouted } from './routing-state.ts';
import { type Resolved, resolveTraffic } from './traffic.ts';
import { isCurrent, type KnativeIngress, type Route, readyOf, type TrafficTarget } from './view.ts';

const conditionSet = livingSet('AllTrafficAssigned', 'IngressReady', 'CertificateProvisioned');
const finalizer = 'routes.serving.knative.dev';
const component = 'route-controller';

/** A Route sends traffic to revisions: by name, or to the latest of a configuration. */
export const routeController: Controller = {
  type: routeKind,
  wakes: [
    { type: knativeIngressKind, keys: (_world, event) => ownerKey('Route', event) },
    { type: configurationKind, keys: (world, { object }) => routesTo(world, object) },
    { type: revisionKind, keys: (world, { object }) => routesTo(world, object) },
    {
      type: configMapKind,
      keys: (world, { object }) =>
        object.metadata.name === domainConfig.name && object.metadata.namespace === domainConfig.namespace
          ? all(world, routeKind).map(keyOfObject)
          : [],
    },
  ],
  async reconcile(world, object): Promise<Again | undefined> {
    if (isDeleting(object)) return release(world, object);
    const route = completed(await held(world, object)) as Route;
    const conditions = new Conditions(conditionSet, route.status?.conditions, world.clock.now());
    const { fields, again } = await assign(world, route, conditions);
    const { generation: observedGeneration } = route.metadata;
    await writeStatus(
      world,
      route,
      { ...route.status, ...fields, observedGeneration, conditions: conditions.list },
      knative,
    );
    await markRouted(world, route, fields.traffic ?? route.status?.traffic ?? []);
    return again;
  },
};

/** Routes that may care: those of the namespace that name the configuration or the revision. */
function routesTo(world: World, { kind, metadata }: KubeObject) {
  const { name, namespace = '', labels = {} } = metadata;
  const configuration = kind === 'Configuration' ? name : labels[label.configuration];
  const own =
    configuration === undefined ? undefined : look(world, routeKind, { namespace, name: configuration });
  const named = (all(world, routeKind, namespace) as Route[]).filter(({ spec }) =>
    spec?.traffic?.some(
      (target) => target.configurationName === configuration || target.revisionName === name,
    ),
  );
  return [...new Set([...(own ? [own as Route] : []), ...named])].map(keyOfObject);
}

async function held(world: World, route: KubeObject): Promise<KubeObject> {
  const { finalizers = [] } = route.metadata;
  if (finalizers.includes(finalizer)) return route;
  return change(world, route, { metadata: { finalizers: [...finalizers, finalizer] } }, knative);
}

async function release(world: World, route: KubeObject): Promise<undefined> {
  const left = (route.metadata.finalizers ?? []).filter((one) => one !== finalizer);
  await change(world, route, { metadata: { finalizers: left.length > 0 ? left : null } }, knative);
  return undefined;
}

type Fields = {
  readonly url?: string;
  readonly address?: { readonly url: string };
  readonly traffic?: readonly TrafficTarget[];
};
type Assigned = { readonly fields: Fields; readonly again?: Again | undefined };

async function assign(world: World, route: Route, conditions: Conditions): Promise<Assigned> {
  const domain = domainOf(world, route);
  const url = `http://${hostOf(route, undefined, domain)}`;
  if (conditions.get('IngressReady')?.reason === undefined && !conditions.is('IngressReady', 'True')) {
    conditions.markUnknown('IngressReady', 'IngressNotConfigured', ingressPending);
  }
  const targets = resolveTraffic(world, route, conditions);
  if (!targets) return { fields: { url } };
  const isLocal = domain === clusterDomain && route.metadata.labels?.[label.visibility] === 'cluster-local';
  const tls = isLocal ? 'TLS is not enabled for cluster-local' : 'external-domain-tls is not enabled';
  conditions.markTrue('CertificateProvisioned', 'TLSNotEnabled', tls);
  const { traffic, again } = await direct(world, route, targets, conditions);
  await placeholders(world, route, targets);
  const address = { url: `http://${hostOf(route, undefined, clusterDomain)}` };
  const tagged = traffic.map((target) =>
    target.tag ? { ...target, url: `http://${hostOf(route, target.tag, domain)}` } : target,
  );
  return { fields: { url, address, traffic: tagged }, again };
}

const ingressPending = 'Ingress has not yet been reconciled.';

const durationOf = ({ metadata }: Route): number => {
  const text = metadata.annotations?.[note.rolloutDuration];
  return text ? parseDuration(text) / 1000 : 0;
};

type Directed = { readonly traffic: readonly TrafficTarget[]; readonly again?: Again | undefined };

/** Brings the ingress to the shares that are due now. */
async function direct(
  world: World,
  route: Route,
  targets: readonly Resolved[],
  conditions: Conditions,
): Promise<Directed> {
  const floating = withConfigurations(route, targets);
  const live = look(world, knativeIngressKind, keyOfObject(route)) as KnativeIngress | undefined;
  const seconds = durationOf(route);
  const before = seconds > 0 ? parseRollout(live?.metadata.annotations?.[note.rollout]) : undefined;
  let rollout = step(goalOf(floating), before, nowOf(world));
  const shares = floating.flatMap((target) => spread(rollout, target));
  let ingress = await ensureIngress(world, route, shares, printRollout(rollout));
  const isReady = isCurrent(ingress) && readyOf(ingress)?.status === 'True';
  if (isReady && !isDone(rollout)) {
    rollout = observeReady(rollout, nowOf(world), seconds);
    ingress = await ensureIngress(world, route, shares, printRollout(rollout));
  }
  followIngress(ingress, rollout, conditions);
  const next = isReady ? nextStepAt(rollout) : undefined;
  return { traffic: shares, again: next === undefined ? undefined : { at: next } };
}

type Floating = Resolved & { readonly configurationName?: string };

const withConfigurations = ({ spec }: Route, targets: readonly Resolved[]): Floating[] =>
  targets.map((target, index) => {
    const { configurationName } = spec?.traffic?.[index] ?? {};
    return configurationName ? { ...target, configurationName } : target;
  });

function spread(rollout: Rollout, target: Floating): TrafficTarget[] {
  const { configurationName: _name, ...rest } = target;
  return sharesOf(rollout, target).map((share) => ({ ...rest, ...share }));
}

function followIngress(ingress: KnativeIngress, rollout: Rollout, conditions: Conditions): void {
  if (!isCurrent(ingress) || !readyOf(ingress)) {
    if (isDone(rollout)) conditions.markUnknown('IngressReady', 'IngressNotConfigured', ingressPending);
    return;
  }
  conditions.mirror('IngressReady', readyOf(ingress));
  if (isDone(rollout) || !conditions.is('IngressReady', 'True')) return;
  const message = 'A gradual rollout of the latest revision(s) is in progress.';
  conditions.markUnknown('IngressReady', 'RolloutInProgress', message);
}

/** A name in the cluster for the route and for each of its tags; those of tags that are gone go too. */
async function placeholders(world: World, route: Route, targets: readonly Resolved[]): Promise<void> {
  const tags = new Set(targets.map(({ tag }) => tag ?? ''));
  const names = new Set(['', ...tags].map((tag) => hostLabel(route, tag)));
  for (const name of names) await placeholder(world, route, name);
  const surplus = controlled(world, route, serviceKind).filter(({ metadata }) => !names.has(metadata.name));
  await Promise.all(surplus.map((service) => discard(world, service, knative)));
}

async function placeholder(world: World, route: Route, name: string): Promise<void> {
  const live = look(world, serviceKind, { ...keyOfObject(route), name });
  if (live) return;
  const { labels, annotations = {} } = route.metadata;
  await world.objects.create(
    {
      ...serviceKind,
      metadata: ownedMeta(route, {
        name,
        labels: { ...labels, [label.route]: route.metadata.name },
        annotations,
      }),
      spec: {
        type: 'ExternalName',
        externalName: gatewayDomain,
        sessionAffinity: 'None',
        ports: [
          { name: 'http2', port: 80, protocol: 'TCP', targetPort: 80, appProtocol: 'kubernetes.io/h2c' },
        ],
      },
    },
    knative,
  );
  const message = `Created placeholder service "${name}"`;
  await world.events.tell(route, { type: 'Normal', reason: 'Created', message, component });
}
