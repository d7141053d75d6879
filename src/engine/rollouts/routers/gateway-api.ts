import type { KubeObject } from '#base/model';
import { equal, isObject } from '#base/std';
import type { Draft } from '../pass.ts';
import type { WriteRef } from '../plan-draft.ts';
import { canaryOf, maxWeightOf, type Rollout } from '../rollout.ts';
import type { RouterTarget } from '../traffic.ts';
import type { Router } from './router.ts';

export const gatewayPlugin = 'argoproj-labs/gatewayAPI';
const at = `spec.strategy.canary.trafficRouting.plugins["${gatewayPlugin}"]`;

type Backend = { name?: string; weight?: number };
type RouteObject = KubeObject<{ rules?: { backendRefs?: Backend[] }[] }>;
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

function routesOf(rollout: Rollout): readonly WriteRef[] {
  const settings = settingsOf(rollout);
  return Object.entries(kinds).flatMap(([field, ref]) => {
    const one = settings[field];
    const several = settings[`${field}s`];
    const names = [
      ...(typeof one === 'string' ? [one] : []),
      ...(Array.isArray(several)
        ? several.flatMap((item) => (isObject(item) && typeof item.name === 'string' ? [item.name] : []))
        : []),
    ];
    return names.map((name) => ({ ...ref, name }));
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

function problem({ rollout, pass }: Draft): string | undefined {
  const { stableService, canaryService } = canaryOf(rollout) ?? {};
  const { namespace = rollout.metadata.namespace, httpRouteSelector } = settingsOf(rollout);
  if (!stableService || !canaryService) return `${at}: needs stableService and canaryService`;
  if (namespace !== rollout.metadata.namespace)
    return `${at}.namespace: routes in another namespace are not supported by this controller`;
  if (httpRouteSelector)
    return `${at}.httpRouteSelector: is not supported by this controller: name the routes`;
  if (routesOf(rollout).length === 0) return `${at}: names no route: set httpRoute`;
  for (const { apiVersion, kind, name } of routesOf(rollout)) {
    const route = pass.find(apiVersion, kind, name) as RouteObject | undefined;
    if (!route) return `${at}: ${kind} "${name}" not found`;
    const names = (route.spec?.rules ?? []).flatMap(({ backendRefs = [] }) =>
      backendRefs.map((one) => one.name),
    );
    const missing = [stableService, canaryService].find((service) => !names.includes(service));
    if (missing) return `${at}: ${kind} "${name}" has no backend "${missing}"`;
  }
  return undefined;
}

function setOne(draft: Draft, { weight }: RouterTarget, { apiVersion, kind, name }: WriteRef): boolean {
  const { rollout, pass } = draft;
  const route = pass.find(apiVersion, kind, name) as RouteObject | undefined;
  if (!route) return false;
  const { stableService, canaryService } = canaryOf(rollout) ?? {};
  const weights = new Map([
    [canaryService, weight],
    [stableService, maxWeightOf(rollout) - weight],
  ]);
  const rules = (route.spec?.rules ?? []).map((rule) => ({
    ...rule,
    backendRefs: (rule.backendRefs ?? []).map((ref) =>
      weights.has(ref.name) ? { ...ref, weight: weights.get(ref.name) } : ref,
    ),
  }));
  const labels = labelsFor(rollout, route, weight);
  if (equal(rules, route.spec?.rules) && labels === undefined) return true;
  const { resourceVersion } = route.metadata;
  draft.patch(route, { metadata: { resourceVersion, ...(labels && { labels }) }, spec: { rules } });
  return equal(rules, route.spec?.rules);
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
