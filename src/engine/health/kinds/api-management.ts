import type { Health, KubeObject } from '#base/model';
import {
  type ConditionRule,
  check,
  conditions,
  describeCondition,
  type HealthRule,
  on,
  phases,
} from '../rules.ts';
import { type Checks, conditionOf, degraded, healthy, progressing, suspended, unknown } from '../verdict.ts';

const bad = (...types: readonly string[]): ConditionRule[] => types.map((type) => on(type, 'True', degraded));
const good = (type: string): ConditionRule => on(type, 'True', healthy);

type ManagerView = KubeObject<
  unknown,
  { deployments?: { ready?: unknown; starting?: unknown[]; stopped?: unknown[] } }
>;

/** The lists of deployments decide only when all of them are ready; otherwise the conditions decide. */
const deployments: HealthRule = (object) => {
  const found = (object as ManagerView).status?.deployments;
  return found?.ready && !found.starting && !found.stopped ? healthy() : undefined;
};

const unready: HealthRule = (object) =>
  (object as ManagerView).status?.deployments ? progressing('some deployments are not ready') : undefined;

const available: HealthRule = conditions(on('Available', 'True', healthy), (condition) =>
  condition.type === 'Available' && condition.reason ? degraded(describeCondition(condition)) : undefined,
);

type IdsView = KubeObject<unknown, { tenantId?: number; adminId?: number }>;

const isId = (id: unknown): boolean => typeof id === 'number' && id > 0;

function tenantHealth(object: KubeObject): Health | undefined {
  const { tenantId, adminId } = (object as IdsView).status ?? {};
  const ready = conditionOf(object, 'Ready');
  if (ready && ready.status !== 'True') return degraded(describeCondition(ready));
  return ready && isId(tenantId) && isId(adminId) ? healthy() : undefined;
}

/** An application that the provider has registered already is only on its way when it is not ready. */
const registered: HealthRule = conditions(on('Ready', 'True', healthy), (condition, object) =>
  condition.type === 'Ready' && !isId((object as IdsView).status?.adminId)
    ? degraded(describeCondition(condition))
    : undefined,
);

/** DNS-SD: three steps, each of which fails in its own way. */
function proclaimHealth(object: KubeObject): Health | undefined {
  const adopted = conditionOf(object, 'Adopted');
  if (adopted?.status === 'False') return degraded(describeCondition(adopted));
  const advertised = conditionOf(object, 'Advertised');
  if (advertised && /^(?:Una|A)dvertiseError$/.test(advertised.reason ?? ''))
    return degraded(describeCondition(advertised));
  const discoverable = conditionOf(object, 'Discoverable');
  if (discoverable?.reason === 'DiscoveryError') return unknown(describeCondition(discoverable));
  return discoverable?.status === 'True' ? healthy() : undefined;
}

const threescale = 'capabilities.3scale.net';

/** 3scale, and DNS-SD advertisements. */
export const apiManagement: Checks = {
  'apps.3scale.net/APIManager': check(deployments, available, unready),
  [`${threescale}/ActiveDoc`]: check(conditions(good('Ready'), ...bad('Invalid', 'Orphan', 'Failed'))),
  [`${threescale}/Application`]: check(phases('status.state', { suspended }), registered),
  [`${threescale}/ApplicationAuth`]: check(conditions(good('Ready'), ...bad('Failed'))),
  [`${threescale}/Backend`]: check(conditions(good('Synced'), ...bad('Invalid', 'Failed'))),
  [`${threescale}/CustomPolicyDefinition`]: check(conditions(good('Ready'), ...bad('Invalid', 'Failed'))),
  [`${threescale}/DeveloperAccount`]: check(
    conditions(good('Ready'), ...bad('Invalid', 'Failed'), on('Waiting', 'True', suspended)),
  ),
  [`${threescale}/DeveloperUser`]: check(
    phases('status.developerUserState', { suspended }),
    conditions(good('Ready'), ...bad('Invalid', 'Orphan', 'Failed')),
  ),
  [`${threescale}/OpenAPI`]: check(conditions(good('Ready'), ...bad('Invalid', 'Failed'))),
  [`${threescale}/Product`]: check(conditions(good('Synced'), ...bad('Invalid', 'Orphan', 'Failed'))),
  [`${threescale}/ProxyConfigPromote`]: check(
    conditions(good('Ready'), on('In-progress', 'True', progressing), ...bad('Failed')),
  ),
  [`${threescale}/Tenant`]: check(tenantHealth),
  'proclaim.dogmatiq.io/DNSSDServiceInstance': check(proclaimHealth),
};
