import { type KubeObject, parseDuration } from '#base/model';
import { configMapKind } from '../kinds.ts';
import { ownerKey } from '../replica-set.ts';
import {
  type Controller,
  keyOfObject,
  type NextPass,
  nowOf,
  type SimulationContext,
} from '../simulation-context.ts';
import { all, change, isDeleting, storedObject, writeStatus } from '../write.ts';
import { completed } from './admission.ts';
import { Conditions, livingSet } from './conditions.ts';
import { configOf, wholeNumber } from './config.ts';
import { clusterDomain, domainConfig, domainOf, hostOf } from './domains.ts';
import { ensureIngress } from './ingress.ts';
import {
  configurationKind,
  knative,
  knativeIngressKind,
  label,
  note,
  revisionKind,
  routeKind,
} from './kinds.ts';
import { ensurePlaceholders, pointPlaceholders } from './placeholder.ts';
import {
  directionsOf,
  type Floating,
  type GradualRollout,
  goalOf,
  isDone,
  nextStepAt,
  observeReady,
  parseRollout,
  printRollout,
  sharesOf,
  step,
} from './rollout.ts';
import { markRouted, unmarkRouted } from './routing-state.ts';
import { type ResolvedTraffic, resolveTraffic } from './traffic.ts';
import { rolloutNote } from './validate/annotations.ts';
import { isCurrent, type KnativeIngress, type KnativeRoute, readyOf, type TrafficTarget } from './view.ts';

const conditionSet = livingSet('AllTrafficAssigned', 'IngressReady', 'CertificateProvisioned');
const finalizer = 'routes.serving.knative.dev';
const component = 'route-controller';

/** Sends the traffic of a Route to revisions: by name, or to the latest of a configuration. */
export const routeController: Controller = {
  type: routeKind,
  wakes: [
    { type: knativeIngressKind, keys: (_context, event) => ownerKey('Route', event) },
    { type: configurationKind, keys: (context, { object }) => routesTo(context, object) },
    { type: revisionKind, keys: (context, { object }) => routesTo(context, object) },
    {
      type: configMapKind,
      keys: (context, { object }) =>
        object.metadata.name === domainConfig.name && object.metadata.namespace === domainConfig.namespace
          ? all(context, routeKind).map(keyOfObject)
          : [],
    },
  ],
  async reconcile(context, object): Promise<NextPass | undefined> {
    if (isDeleting(object)) return release(context, object);
    const route = completed(await held(context, object)) as KnativeRoute;
    const conditions = new Conditions(conditionSet, route.status?.conditions, context.clock.now());
    const { fields, again } = await assign(context, route, conditions);
    const { generation: observedGeneration } = route.metadata;
    await writeStatus(
      context,
      route,
      { ...route.status, ...fields, observedGeneration, conditions: conditions.list },
      knative,
    );
    await markRouted(context, route, fields.traffic ?? route.status?.traffic ?? []);
    return again;
  },
};

/** Routes that may be affected: those of the namespace that name the configuration or the revision. */
function routesTo(context: SimulationContext, { kind, metadata }: KubeObject) {
  const { name, namespace = '', labels = {} } = metadata;
  const configuration = kind === 'Configuration' ? name : labels[label.configuration];
  const own =
    configuration === undefined
      ? undefined
      : storedObject(context, routeKind, { namespace, name: configuration });
  const named = (all(context, routeKind, namespace) as KnativeRoute[]).filter(({ spec }) =>
    spec?.traffic?.some(
      (target) => target.configurationName === configuration || target.revisionName === name,
    ),
  );
  return [...new Set([...(own ? [own as KnativeRoute] : []), ...named])].map(keyOfObject);
}

async function held(context: SimulationContext, route: KubeObject): Promise<KubeObject> {
  const { finalizers = [] } = route.metadata;
  if (finalizers.includes(finalizer)) return route;
  const next = await change(
    context,
    route,
    { metadata: { finalizers: [...finalizers, finalizer] } },
    knative,
  );
  const message = `Updated "${route.metadata.name}" finalizers`;
  await context.events.record(route, { type: 'Normal', reason: 'FinalizerUpdate', message, component });
  return next;
}

async function release(context: SimulationContext, route: KubeObject): Promise<undefined> {
  await unmarkRouted(context, route as KnativeRoute);
  const left = (route.metadata.finalizers ?? []).filter((one) => one !== finalizer);
  await change(context, route, { metadata: { finalizers: left.length > 0 ? left : null } }, knative);
  return undefined;
}

type Fields = {
  readonly url?: string;
  readonly address?: { readonly url: string };
  readonly traffic?: readonly TrafficTarget[];
};
type Assigned = { readonly fields: Fields; readonly again?: NextPass | undefined };

async function assign(
  context: SimulationContext,
  route: KnativeRoute,
  conditions: Conditions,
): Promise<Assigned> {
  const domain = domainOf(context, route);
  const url = `http://${hostOf(route, undefined, domain)}`;
  if (conditions.get('IngressReady')?.reason === undefined && !conditions.is('IngressReady', 'True')) {
    conditions.markUnknown('IngressReady', 'IngressNotConfigured', ingressPending);
  }
  const targets = resolveTraffic(context, route, conditions);
  if (!targets) return { fields: { url } };
  conditions.markTrue('CertificateProvisioned', 'TLSNotEnabled', 'external-domain-tls is not enabled');
  const tags = targets.map(({ tag }) => tag);
  await ensurePlaceholders(context, route, tags);
  const { traffic, again, ingress } = await direct(context, route, targets, conditions);
  await pointPlaceholders(context, route, tags, ingress);
  const address = { url: `http://${hostOf(route, undefined, clusterDomain)}` };
  const tagged = traffic.map((target) =>
    target.tag ? { ...target, url: `http://${hostOf(route, target.tag, domain)}` } : target,
  );
  return { fields: { url, address, traffic: tagged }, again };
}

const ingressPending = 'Ingress has not yet been reconciled.';

/** Seconds. compat cluster 5.6: an annotation of zero counts as none, and the cluster's setting is a whole number. */
function durationOf(context: SimulationContext, { metadata }: KnativeRoute): number {
  const text = rolloutNote(metadata.annotations)?.value;
  const own = text ? Math.floor(parseDuration(text) / 1000) : 0;
  if (own !== 0) return own;
  const seconds = (name: string, otherwise: number): number =>
    wholeNumber(configOf(context), 'config-network', name, otherwise);
  return seconds('rollout-duration', seconds('rolloutDuration', 0));
}

type Directed = {
  readonly traffic: readonly TrafficTarget[];
  readonly ingress: KnativeIngress;
  readonly again?: NextPass | undefined;
};

/** Updates the ingress to the shares that are due now. */
async function direct(
  context: SimulationContext,
  route: KnativeRoute,
  targets: readonly ResolvedTraffic[],
  conditions: Conditions,
): Promise<Directed> {
  const floating = withConfigurations(route, targets);
  const live = storedObject(context, knativeIngressKind, keyOfObject(route)) as KnativeIngress | undefined;
  const seconds = durationOf(context, route);
  const before = seconds > 0 ? parseRollout(live?.metadata.annotations?.[note.rollout]) : undefined;
  let rollout = step(goalOf(floating), before, nowOf(context));
  const directions = directionsOf(rollout, floating);
  let ingress = await ensureIngress(context, route, directions, printRollout(rollout));
  const isReady = isCurrent(ingress) && readyOf(ingress)?.status === 'True';
  if (isReady && !isDone(rollout)) {
    rollout = observeReady(rollout, nowOf(context), seconds);
    ingress = await ensureIngress(context, route, directions, printRollout(rollout));
  }
  followIngress(ingress, rollout, conditions);
  const next = isReady ? nextStepAt(rollout) : undefined;
  // compat cluster 5.6: during a rollout, a target with a tag is reported with the shares of the tag, whatever its
  // share of the route
  const traffic = isDone(rollout) ? targets : floating.flatMap((target) => spread(rollout, target));
  return { traffic, ingress, again: next === undefined ? undefined : { at: next } };
}

const withConfigurations = ({ spec }: KnativeRoute, targets: readonly ResolvedTraffic[]): Floating[] =>
  targets.map((target, index) => {
    const { configurationName } = spec?.traffic?.[index] ?? {};
    return configurationName ? { ...target, configurationName } : target;
  });

function spread(rollout: GradualRollout, target: Floating): TrafficTarget[] {
  const { configurationName, ...rest } = target;
  if (configurationName === undefined) return [rest];
  return sharesOf(rollout, target, target.tag ?? '').map((share) => ({ ...rest, ...share }));
}

function followIngress(ingress: KnativeIngress, rollout: GradualRollout, conditions: Conditions): void {
  const ready = readyOf(ingress);
  if (!isDone(rollout)) {
    const message = 'A gradual rollout of the latest revision(s) is in progress.';
    conditions.markUnknown('IngressReady', 'RolloutInProgress', message);
  } else if (isCurrent(ingress) && ready) conditions.mirror('IngressReady', ready);
  else conditions.markUnknown('IngressReady', 'IngressNotConfigured', ingressPending);
}
