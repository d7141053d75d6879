import type { KubeObject } from '#base/model';
import { equal, isObject } from '#base/std';
import { experimentServices } from '../experiment-weights.ts';
import type { Draft } from '../pass.ts';
import type { WriteRef } from '../plan-draft.ts';
import { canaryOf, type Rollout } from '../rollout.ts';
import { type RouterTarget, stableWeightOf } from '../traffic.ts';
import { type Backend, headerKinds, headerRule, type RouteRule, usesHeaderRoutes } from './gateway-routes.ts';
import { isRemoval, type ManagedRoute, managedNames, requestedRoutes } from './managed-routes.ts';
import type { Router } from './router.ts';

export const gatewayPlugin = 'argoproj-labs/gatewayAPI';
const at = `spec.strategy.canary.trafficRouting.plugins["${gatewayPlugin}"]`;

type RouteObject = KubeObject<{ rules?: RouteRule[] }>;
type Settings = Record<string, unknown> & {
  namespace?: string;
  disableInProgressLabel?: boolean;
  inProgressLabelKey?: string;
  inProgressLabelValue?: string;
};

/** The kinds of routes by the field that names one; the plural names several. */
const kinds: Readonly<Record<string, Omit<WriteRef, 'name'>>> = {
  httpRoute: { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute' },
  grpcRoute: { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'GRPCRoute' },
  tcpRoute: { apiVersion: 'gateway.networking.k8s.io/v1alpha2', kind: 'TCPRoute' },
  tlsRoute: { apiVersion: 'gateway.networking.k8s.io/v1alpha2', kind: 'TLSRoute' },
};

function settingsOf(rollout: Rollout): Settings {
  const settings = canaryOf(rollout)?.trafficRouting?.plugins?.[gatewayPlugin];
  return isObject(settings) ? settings : {};
}

/** A route, and whether it carries the header routes of steps. */
type RouteRef = WriteRef & { readonly hasHeaders: boolean };

function routesOf(rollout: Rollout): readonly RouteRef[] {
  const settings = settingsOf(rollout);
  return Object.entries(kinds).flatMap(([field, ref]) => {
    const several = settings[`${field}s`];
    const items = [settings[field], ...(Array.isArray(several) ? (several as unknown[]) : [])];
    return items.flatMap((item) => {
      const name = isObject(item) ? item.name : item;
      const hasHeaders = headerKinds.includes(ref.kind) && usesHeaderRoutes(item);
      return typeof name === 'string' && name !== '' ? [{ ...ref, name, hasHeaders }] : [];
    });
  });
}

/** compat rollouts §6: the weights of the backends of routes. */
export const gatewayApi: Router = {
  references: routesOf,
  problem,
  setWeight: (draft, target) =>
    routesOf(draft.rollout)
      .map((ref) => setOne(draft, target, ref))
      .every((isSet) => isSet),
};

function problem(draft: Draft): string | undefined {
  const { rollout } = draft;
  const { stableService, canaryService } = canaryOf(rollout) ?? {};
  const { namespace = rollout.metadata.namespace, httpRouteSelector } = settingsOf(rollout);
  if (!stableService || !canaryService) return `${at}: needs stableService and canaryService`;
  if (namespace !== rollout.metadata.namespace)
    return `${at}.namespace: routes in another namespace are not supported by this controller`;
  if (httpRouteSelector)
    return `${at}.httpRouteSelector: is not supported by this controller: name the routes`;
  if (routesOf(rollout).length === 0) return `${at}: names no route: set httpRoute`;
  if (requestedRoutes(rollout).length > 0 && !routesOf(rollout).some(({ hasHeaders }) => hasHeaders))
    return `${at}: no route carries the header routes of the steps: set useHeaderRoutes on an HTTPRoute or a GRPCRoute`;
  return routesOf(rollout)
    .map((ref) => backendProblem(draft, ref))
    .find((found) => found !== undefined);
}

function backendProblem({ rollout, pass }: Draft, { apiVersion, kind, name }: RouteRef): string | undefined {
  const { stableService, canaryService } = canaryOf(rollout) ?? {};
  const route = pass.find(apiVersion, kind, name) as RouteObject | undefined;
  if (!route) return `${at}: ${kind} "${name}" not found`;
  const names = (route.spec?.rules ?? []).flatMap(({ backendRefs = [] }) =>
    backendRefs.map((one) => one.name),
  );
  const missing = [stableService, canaryService].find((service) => !names.includes(service));
  return missing && `${at}: ${kind} "${name}" has no backend "${missing}"`;
}

function setOne(draft: Draft, target: RouterTarget, ref: RouteRef): boolean {
  const { rollout, pass } = draft;
  const { apiVersion, kind, name, hasHeaders } = ref;
  const route = pass.find(apiVersion, kind, name) as RouteObject | undefined;
  if (!route) return false;
  const own = ownRules(rollout, route);
  const managed = hasHeaders ? target.routes.map((one) => printedRule(rollout, route, one)) : [];
  const rules = [...managed, ...own.map((rule) => withWeights(draft, target, rule))];
  const labels = labelsFor(rollout, route, target.weight);
  const isSet = equal(rules, route.spec?.rules);
  if (isSet && labels === undefined) return true;
  const { resourceVersion } = route.metadata;
  draft.patch(route, { metadata: { resourceVersion, ...(labels && { labels }) }, spec: { rules } });
  return isSet;
}

/** The rule with both versions, which a header route is made after. */
function modelOf(rollout: Rollout, { spec }: RouteObject): RouteRule {
  const { stableService, canaryService } = canaryOf(rollout) ?? {};
  const names = ({ backendRefs = [] }: RouteRule) => new Set(backendRefs.map(({ name }) => name));
  const both = (rule: RouteRule) => names(rule).has(stableService) && names(rule).has(canaryService);
  return (spec?.rules ?? []).find(both) ?? {};
}

function ruleOf(rollout: Rollout, route: RouteObject, managed: ManagedRoute): RouteRule {
  const { canaryService: canary = '' } = canaryOf(rollout) ?? {};
  const headers = 'headers' in managed ? managed.headers : [];
  return headerRule(managed.name, headers, { model: modelOf(rollout, route), kind: route.kind, canary });
}

const nameless = ({ name: _name, ...rule }: RouteRule): RouteRule => rule;

/** A managed rule; without its name where the Gateway API of the cluster has dropped that. */
function printedRule(rollout: Rollout, route: RouteObject, managed: ManagedRoute): RouteRule {
  const rule = ruleOf(rollout, route, managed);
  const bare = nameless(rule);
  return (route.spec?.rules ?? []).some((one) => equal(one, bare)) ? bare : rule;
}

/** The rules that people wrote: all but the managed ones. */
function ownRules(rollout: Rollout, route: RouteObject): RouteRule[] {
  const managed = managedNames(rollout);
  const made = requestedRoutes(rollout)
    .filter((one) => !isRemoval(one))
    .map((one) => nameless(ruleOf(rollout, route, one)));
  return (route.spec?.rules ?? []).filter(
    (rule) =>
      !(rule.name !== undefined && managed.includes(rule.name)) && !made.some((one) => equal(one, rule)),
  );
}

/** The two versions, and the Services of an Experiment beside the stable one, share the traffic of a rule. */
function withWeights(draft: Draft, target: RouterTarget, rule: RouteRule): RouteRule {
  if (!rule.backendRefs) return rule;
  const { rollout, pass } = draft;
  const { stableService, canaryService } = canaryOf(rollout) ?? {};
  const weights = new Map([
    ...target.additional.map(({ serviceName, weight }) => [serviceName, weight] as const),
    [canaryService, target.weight],
    [stableService, stableWeightOf(rollout, target)],
  ]);
  const foreign = experimentServices(draft);
  const refs = rule.backendRefs
    .filter(({ name = '' }) => weights.has(name) || !foreign.has(name))
    .map((ref) => (weights.has(ref.name) ? { ...ref, weight: weights.get(ref.name) } : ref)) as Backend[];
  const has = (service: string | undefined): boolean => refs.some(({ name }) => name === service);
  const added = target.additional.flatMap(({ serviceName: name = '', weight }): Backend[] => {
    const port = pass.service(name)?.spec?.ports?.[0]?.port;
    if (!has(stableService) || has(name) || port === undefined) return [];
    return [{ group: '', kind: 'Service', name, port, weight }];
  });
  return { ...rule, backendRefs: [...refs, ...added] };
}

/** The label that says that a canary is under way; undefined: the route has what it should have. */
function labelsFor(
  rollout: Rollout,
  { metadata }: RouteObject,
  weight: number,
): Record<string, string | null> | undefined {
  const {
    disableInProgressLabel,
    inProgressLabelKey: key = 'rollouts.argoproj.io/gatewayapi-canary',
    inProgressLabelValue: value = 'in-progress',
  } = settingsOf(rollout);
  if (disableInProgressLabel) return undefined;
  const wanted = weight > 0 ? value : undefined;
  return metadata.labels?.[key] === wanted ? undefined : { [key]: wanted ?? null };
}
