import type { Health, KubeObject } from '#base/model';
import { check, conditions, describeCondition, on, phases, sameFor } from '../rules.ts';
import {
  type Checks,
  degraded,
  type HealthOf,
  healthy,
  progressing,
  suspended,
  unknown,
} from '../verdict.ts';

type ProxyView = KubeObject<{ includes?: unknown }>;

/** compat engine §5.7: a proxy that only includes others may be invalid by itself. */
const contour = check(
  conditions((condition, object) => {
    if (condition.observedGeneration !== object.metadata.generation) return undefined;
    if (condition.type === 'Valid' && condition.status === 'True')
      return healthy(describeCondition(condition));
    if (condition.status !== 'False') return undefined;
    if ((object as ProxyView).spec?.includes) return healthy('valid through the proxies it includes');
    return condition.type === 'Valid' ? degraded(describeCondition(condition)) : undefined;
  }),
);

const extension = check(
  conditions((condition, object) =>
    condition.observedGeneration === object.metadata.generation
      ? (on('Valid', 'True', healthy)(condition, object) ?? on('Valid', 'False', degraded)(condition, object))
      : undefined,
  ),
);

type GlooStatus = { state?: string | number; reason?: string };
type GlooView = KubeObject<unknown, GlooStatus & { statuses?: Record<string, GlooStatus> }>;

// old releases wrote the number of the state, new ones its name
const glooStates: ReadonlyMap<string, HealthOf> = new Map([
  ['Pending', suspended],
  ['0', suspended],
  ['Accepted', healthy],
  ['1', healthy],
  ['Rejected', degraded],
  ['2', degraded],
  ['Warning', degraded],
  ['3', degraded],
]);

function glooHealth(object: KubeObject): Health | undefined {
  const { status } = object as GlooView;
  for (const { state, reason } of [...Object.values(status?.statuses ?? {}), ...(status ? [status] : [])]) {
    const verdict = glooStates.get(String(state));
    if (verdict) return verdict(reason);
  }
  return undefined;
}

type RouteView = KubeObject<
  unknown,
  {
    ingress?: {
      routerName?: string;
      conditions?: { type: string; status: string; reason?: string; message?: string }[];
    }[];
  }
>;

/** OpenShift: every router that took the route must have admitted it. */
function routeHealth(object: KubeObject): Health | undefined {
  const routers = (object as RouteView).status?.ingress;
  if (!routers) return undefined;
  const verdicts = routers.flatMap((router) =>
    (router.conditions ?? []).filter(({ type }) => type === 'Admitted'),
  );
  if (verdicts.filter(({ status }) => status === 'True').length === routers.length) return healthy();
  const refused = verdicts.find(({ status }) => status === 'False');
  return refused ? degraded(describeCondition(refused)) : progressing('waiting for the routers to admit it');
}

/** Proxies and meshes outside the Gateway API. */
export const proxies: Checks = {
  ...sameFor(
    'gateway.solo.io',
    ['Gateway', 'MatchableHttpGateway', 'RouteOption', 'RouteTable', 'VirtualHostOption', 'VirtualService'],
    check(glooHealth),
  ),
  ...sameFor('gloo.solo.io', ['Proxy', 'Settings', 'Upstream', 'UpstreamGroup'], check(glooHealth)),
  'install.istio.io/IstioOperator': check(
    phases('status.status', {
      NONE: unknown,
      0: unknown,
      UPDATING: progressing,
      1: progressing,
      RECONCILING: progressing,
      2: progressing,
      HEALTHY: healthy,
      3: healthy,
      ERROR: degraded,
      4: degraded,
    }),
  ),
  'networking.gke.io/ManagedCertificate': check(
    certificateRefused,
    phases('status.certificateStatus', { Active: healthy }),
  ),
  'projectcontour.io/ExtensionService': extension,
  'projectcontour.io/HTTPProxy': contour,
  'route.openshift.io/Route': check(routeHealth),
};

type ManagedCertificateView = KubeObject<unknown, { domainStatus?: { domain?: string; status?: string }[] }>;

function certificateRefused(object: KubeObject): Health | undefined {
  const domains = (object as ManagedCertificateView).status?.domainStatus ?? [];
  const unseen = domains.find(({ status }) => status === 'FailedNotVisible');
  return unseen && degraded(`${unseen.domain}: ${unseen.status}`);
}
