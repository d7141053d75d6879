import type { KubeObject } from '#base/model';
import type { JsonObject } from '#kubernetes/schema';
import { ownerKey } from '../replica-set.ts';
import {
  type Controller,
  keyOfObject,
  type NextPass,
  type SimulationContext,
} from '../simulation-context.ts';
import { isDeleting, ownedMeta, storedObject, writeStatus } from '../write.ts';
import { completed } from './admission.ts';
import { Conditions, livingSet } from './conditions.ts';
import { ensure } from './ensure.ts';
import { failed } from './failed.ts';
import { configurationKind, knative, knativeServiceKind, label, note, routeKind } from './kinds.ts';
import { routesOf } from './routing-state.ts';
import { takenName } from './taken-name.ts';
import {
  type Configuration,
  isCurrent,
  type KnativeRoute,
  type KnativeService,
  readyOf,
  type TrafficTarget,
} from './view.ts';

const conditionSet = livingSet('ConfigurationsReady', 'RoutesReady');
const component = 'service-controller';

/** Creates the Configuration and the Route of a Knative Service, with its name, and reports their state. */
export const knativeServiceController: Controller = {
  type: knativeServiceKind,
  wakes: [configurationKind, routeKind].map((type) => ({
    type,
    keys: (_context: SimulationContext, event: { object: KubeObject }) => ownerKey('Service', event),
  })),
  async reconcile(context, object): Promise<NextPass | undefined> {
    if (isDeleting(object)) return undefined;
    const service = completed(object) as KnativeService;
    const conditions = new Conditions(conditionSet, service.status?.conditions, context.clock.now());
    const { failure, ...fields } = await align(context, service, conditions);
    const { generation: observedGeneration } = service.metadata;
    await writeStatus(
      context,
      service,
      { ...service.status, ...fields, observedGeneration, conditions: conditions.list },
      knative,
    );
    if (failure) await failed(context, service, component, failure);
    return undefined;
  },
};

/** The status without its conditions; `failure` is recorded as an event, and the pass is retried. */
type Aligned = JsonObject & { readonly failure?: string };

async function align(
  context: SimulationContext,
  service: KnativeService,
  conditions: Conditions,
): Promise<Aligned> {
  const { name } = service.metadata;
  const configuration = await ensureConfiguration(context, service, conditions);
  if (!configuration) return { failure: `service: "${name}" does not own configuration: "${name}"` };
  const names = followConfiguration(configuration, conditions);
  // compat cluster 5.6: a named revision must exist before traffic may be sent to that name
  if (!isCurrent(configuration) && configuration.spec?.template?.metadata?.name) return names;
  const taken = takenName(context, configuration);
  if (taken !== undefined) {
    const message = `The revision name "${taken}" is taken by a conflicting Revision, so traffic will not be migrated`;
    conditions.markFalse('RoutesReady', 'RevisionNameTaken', message);
    return names;
  }
  const route = await ensureRoute(context, service, conditions);
  if (!route) return { ...names, failure: `service: "${name}" does not own route: "${name}"` };
  return { ...names, ...followRoute(configuration, route, conditions) };
}

function followConfiguration(configuration: Configuration, conditions: Conditions): JsonObject {
  if (!isCurrent(configuration)) {
    const message = 'The Configuration is still working to reflect the latest desired specification.';
    conditions.markUnknown('ConfigurationsReady', 'OutOfDate', message);
    return {};
  }
  conditions.mirror('ConfigurationsReady', readyOf(configuration));
  const { latestCreatedRevisionName, latestReadyRevisionName } = configuration.status ?? {};
  return { latestCreatedRevisionName, latestReadyRevisionName };
}

function followRoute(configuration: Configuration, route: KnativeRoute, conditions: Conditions): JsonObject {
  if (!isCurrent(route)) {
    const message = 'The Route is still working to reflect the latest desired specification.';
    conditions.markUnknown('RoutesReady', 'OutOfDate', message);
    return {};
  }
  conditions.mirror('RoutesReady', readyOf(route));
  if (conditions.is('RoutesReady', 'True') && !hasMigrated(configuration, route)) {
    const message = 'Traffic is not yet migrated to the latest revision.';
    conditions.markUnknown('RoutesReady', 'TrafficNotMigrated', message);
  }
  const { url, address, traffic } = route.status ?? {};
  return { url, address, traffic };
}

function hasMigrated({ metadata, status }: Configuration, route: KnativeRoute): boolean {
  const want = route.spec?.traffic ?? [];
  const got = route.status?.traffic ?? [];
  return (
    want.length === got.length &&
    want.every((target, index) => {
      const isFloating = target.configurationName === metadata.name;
      const revisionName = isFloating ? status?.latestReadyRevisionName : target.revisionName;
      const found = got[index];
      return (
        found?.revisionName === revisionName &&
        (found?.percent ?? 0) === (target.percent ?? 0) &&
        (found?.tag ?? '') === (target.tag ?? '')
      );
    })
  );
}

/** The metadata that children inherit, without the keys that are about the Service alone. */
const without = (
  annotations: Readonly<Record<string, string>> = {},
  ...names: string[]
): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).filter(([name]) => !names.includes(name)));

async function ensureConfiguration(
  context: SimulationContext,
  service: KnativeService,
  conditions: Conditions,
): Promise<Configuration | undefined> {
  const { name, uid = '', labels, annotations } = service.metadata;
  const live = storedObject(context, configurationKind, keyOfObject(service));
  const routes = live ? routesOf(live) : [];
  const wanted = {
    ...configurationKind,
    metadata: ownedMeta(service, {
      name,
      labels: { ...labels, [label.service]: name, [label.serviceUid]: uid },
      annotations: {
        ...without(annotations, note.lastApplied, note.rolloutDuration),
        [note.routes]: [...new Set([...routes, name])].sort().join(','),
      },
    }),
    spec: { template: service.spec?.template ?? {} },
  };
  const found = await ensure(context, service, wanted, { component });
  if (found) return found as Configuration;
  const message = `There is an existing Configuration "${name}" that we do not own.`;
  conditions.markFalse('ConfigurationsReady', 'NotOwned', message);
  return undefined;
}

async function ensureRoute(
  context: SimulationContext,
  service: KnativeService,
  conditions: Conditions,
): Promise<KnativeRoute | undefined> {
  const { name, labels, annotations } = service.metadata;
  const traffic = (service.spec?.traffic ?? []).map(
    (target): TrafficTarget => (target.revisionName ? target : { ...target, configurationName: name }),
  );
  const wanted = {
    ...routeKind,
    metadata: ownedMeta(service, {
      name,
      labels: { ...labels, [label.service]: name },
      annotations: without(annotations, note.lastApplied),
    }),
    spec: { traffic },
  };
  const found = await ensure(context, service, wanted, { component });
  if (found) return found as KnativeRoute;
  conditions.markFalse('RoutesReady', 'NotOwned', `There is an existing Route "${name}" that we do not own.`);
  return undefined;
}
