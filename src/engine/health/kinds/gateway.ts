import type { Condition, Health, KubeObject } from '#base/model';
import {
  check,
  conditions,
  describeCondition,
  firstAnswer,
  fresh,
  isOutdated,
  on,
  sameFor,
  unless,
} from '../rules.ts';
import {
  type Checks,
  conditionsOf,
  degraded,
  type HealthCheck,
  healthy,
  progressing,
  waitingForSpec,
} from '../verdict.ts';

type Part = { name?: string; conditions?: Condition[]; parentRef?: Ref; ancestorRef?: Ref };
type Ref = { name?: string };
type GatewayView = KubeObject<
  unknown,
  { listeners?: Part[] | null; parents?: Part[] | null; ancestors?: Part[] | null }
>;

/** Refused or unresolved is Degraded; accepted but not programmed is on its way. */
function programmed(list: readonly Condition[], prefix = ''): Health | undefined {
  const bad = falseOf(list, 'ResolvedRefs') ?? falseOf(list, 'Accepted');
  if (bad) return degraded(prefix + describeCondition(bad));
  const open = list.find(({ type, status }) => type === 'Programmed' && status !== 'True');
  return open && progressing(prefix + describeCondition(open));
}

const falseOf = (list: readonly Condition[], wanted: string): Condition | undefined =>
  list.find(({ type, status }) => type === wanted && status === 'False');

function gatewayHealth(object: KubeObject): Health | undefined {
  const top = conditionsOf(object);
  const listeners = (object as GatewayView).status?.listeners ?? [];
  const found = programmed(top) ?? firstOf(listeners, (part) => programmed(of(part), nameOf(part)));
  return found ?? (top.length + listeners.length > 0 ? healthy() : undefined);
}

function listenerSetHealth(object: KubeObject): Health | undefined {
  const top = conditionsOf(object);
  if (top.some((condition) => isOutdated(condition, object))) return progressing(waitingForSpec);
  const early = programmed(top);
  if (early) return early;
  const conflict = firstOf((object as GatewayView).status?.listeners ?? [], (part) =>
    firstAnswer(of(part), object, [on('Conflicted', 'True', (message) => degraded(nameOf(part) + message))]),
  );
  const { listeners } = (object as GatewayView).status ?? {};
  return conflict ?? (listeners?.length ? gatewayHealth(object) : undefined);
}

/** compat engine §5.7: a parent that reports an older generation does not count, in either direction. */
function routeHealth(object: KubeObject): Health | undefined {
  const current = currentParts((object as GatewayView).status?.parents, object);
  return (
    firstOf(current, (part) => programmed(of(part), nameOf(part))) ??
    (current.length > 0 ? healthy() : undefined)
  );
}

/** A TLS route must have been taken and resolved in so many words; silence is not consent. */
function tlsRouteHealth(object: KubeObject): Health | undefined {
  const found = routeHealth(object);
  if (found?.status !== 'Healthy') return found;
  const parents = currentParts((object as GatewayView).status?.parents, object);
  return parents.some((part) => isTrue(part, 'Accepted') && isTrue(part, 'ResolvedRefs')) ? found : undefined;
}

const isTrue = (part: Part, type: string): boolean =>
  of(part).some((condition) => condition.type === type && condition.status === 'True');

/**
 * Attached policies: the first ancestor that rejects decides; one that reports at all is enough for Healthy.
 */
function attachedHealth(object: KubeObject): Health | undefined {
  const current = currentParts((object as GatewayView).status?.ancestors, object);
  return (
    firstOf(current, (part) => refused(part, 'Accepted')) ?? (current.length > 0 ? healthy() : undefined)
  );
}

function refused(part: Part, type: string): Health | undefined {
  const bad = falseOf(of(part), type);
  return bad && degraded(nameOf(part) + describeCondition(bad));
}

function outdatedAncestor(object: KubeObject): Health | undefined {
  const all = ((object as GatewayView).status?.ancestors ?? []).flatMap(of);
  return all.some((condition) => isOutdated(condition, object)) ? progressing(waitingForSpec) : undefined;
}

/** Policies that must be accepted and resolved by every ancestor, all of them speaking of this generation. */
function acceptedHealth(object: KubeObject): Health | undefined {
  const all = ((object as GatewayView).status?.ancestors ?? []).flatMap(of);
  const clauses = [unless('Accepted', 'True', degraded), unless('ResolvedRefs', 'True', degraded)];
  return firstAnswer(all, object, clauses) ?? firstAnswer(all, object, [on('Accepted', 'True', healthy)]);
}

function currentParts(parts: readonly Part[] | null | undefined, object: KubeObject): readonly Part[] {
  return (parts ?? []).filter(
    (part) => of(part).length > 0 && !of(part).some((condition) => isOutdated(condition, object)),
  );
}

const of = ({ conditions: list }: Part): readonly Condition[] => list ?? [];

function nameOf({ name, parentRef, ancestorRef }: Part): string {
  const reported = name ?? parentRef?.name ?? ancestorRef?.name;
  return reported ? `${reported}: ` : '';
}

function firstOf(parts: readonly Part[], judge: (part: Part) => Health | undefined): Health | undefined {
  for (const part of parts) {
    const found = judge(part);
    if (found) return found;
  }
  return undefined;
}

/** Airlock Microgateway: its policies are judged like any other, the rest only configures. */
export const airlockHealth: HealthCheck = (object) =>
  object.kind.endsWith('Policy') ? airlockPolicy(object) : healthy();

const airlockPolicy = check(
  outdatedAncestor,
  (object) => {
    const ancestors = (object as GatewayView).status?.ancestors ?? [];
    const unheard = ancestors.find((part) => !of(part).some(({ type }) => type === 'Accepted'));
    return unheard && degraded(`${nameOf(unheard)}the Accepted condition is missing`);
  },
  acceptedHealth,
);

const accepted = check(
  conditions(fresh(on('Accepted', 'True', healthy)), fresh(on('Accepted', 'False', degraded))),
);

/** The Gateway API and Envoy Gateway's additions to it. */
export const gateways: Checks = {
  'gateway.envoyproxy.io/Backend': check(
    conditions(fresh(on('Accepted', 'True', healthy)), fresh(unless('Accepted', 'True', degraded))),
  ),
  ...sameFor(
    'gateway.envoyproxy.io',
    [
      'BackendTrafficPolicy',
      'ClientTrafficPolicy',
      'EnvoyExtensionPolicy',
      'EnvoyPatchPolicy',
      'SecurityPolicy',
    ],
    check(attachedHealth),
  ),
  'gateway.networking.k8s.io/BackendTLSPolicy': check(outdatedAncestor, acceptedHealth),
  'gateway.networking.k8s.io/Gateway': check(gatewayHealth),
  'gateway.networking.k8s.io/GatewayClass': accepted,
  'gateway.networking.k8s.io/ListenerSet': check(listenerSetHealth),
  ...sameFor('gateway.networking.k8s.io', ['GRPCRoute', 'HTTPRoute'], check(routeHealth)),
  'gateway.networking.k8s.io/TLSRoute': check(tlsRouteHealth),
};
