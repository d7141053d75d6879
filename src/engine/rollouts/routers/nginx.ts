import { controllerOf, type KubeObject } from '#base/model';
import { equal } from '#base/std';
import type { Draft } from '../pass.ts';
import { ownerOf } from '../replica-sets.ts';
import { canaryOf, type NginxRouting, type Rollout } from '../rollout.ts';
import type { RouterTarget } from '../traffic.ts';
import type { Router } from './router.ts';

const apiVersion = 'networking.k8s.io/v1';
const kind = 'Ingress';
const at = 'spec.strategy.canary.trafficRouting.nginx';
const classAnnotation = 'kubernetes.io/ingress.class';

type Backend = { service?: { name?: string; port?: unknown } };
type IngressPath = { backend?: Backend };
type IngressRule = { host?: string; http?: { paths?: IngressPath[] } };
type IngressObject = KubeObject<{ ingressClassName?: string; tls?: unknown; rules?: IngressRule[] }>;

const settingsOf = (rollout: Rollout): NginxRouting => canaryOf(rollout)?.trafficRouting?.nginx ?? {};
const ingressesOf = (rollout: Rollout): readonly string[] => {
  const { stableIngress, stableIngresses } = settingsOf(rollout);
  return stableIngresses ?? (stableIngress ? [stableIngress] : []);
};
const canaryNameOf = ({ metadata }: Rollout, ingress: string): string =>
  `${metadata.name}-${ingress}-canary`.slice(0, 253);

/** compat rollouts §6: a second Ingress with the weight in its annotations. */
export const nginx: Router = {
  references: (rollout) =>
    ingressesOf(rollout)
      .flatMap((name) => [name, canaryNameOf(rollout, name)])
      .map((name) => ({ apiVersion, kind, name })),
  problem,
  setWeight: (draft, target) =>
    ingressesOf(draft.rollout)
      .map((name) => setOne(draft, target, name))
      .every((isSet) => isSet),
};

function problem({ rollout, pass }: Draft): string | undefined {
  const { stableIngress, stableIngresses } = settingsOf(rollout);
  const { stableService, canaryService } = canaryOf(rollout) ?? {};
  if ((stableIngress === undefined) === (stableIngresses === undefined))
    return `${at}: set exactly one of stableIngress and stableIngresses`;
  if (!stableService || !canaryService) return `${at}: needs stableService and canaryService`;
  for (const name of ingressesOf(rollout)) {
    const ingress = pass.find(apiVersion, kind, name) as IngressObject | undefined;
    if (!ingress) return `${at}.stableIngress: Invalid value: "${name}": ingress "${name}" not found`;
    const canary = pass.find(apiVersion, kind, canaryNameOf(rollout, name));
    if (canary && controllerOf(canary)?.uid !== rollout.metadata.uid)
      return `${at}.stableIngress: canary ingress "${canary.metadata.name}" controlled by different object`;
    if (retargeted(ingress, stableService, canaryService).length === 0)
      return `${at}.stableIngress: Invalid value: "${name}": ingress "${name}" has no rules using service ${stableService} backend`;
  }
  return undefined;
}

function setOne(draft: Draft, target: RouterTarget, name: string): boolean {
  const { rollout, pass } = draft;
  const stable = pass.find(apiVersion, kind, name) as IngressObject | undefined;
  if (!stable) return false;
  const wanted = canaryIngress(rollout, stable, target.weight);
  const found = pass.find(apiVersion, kind, wanted.metadata.name) as IngressObject | undefined;
  if (!found) {
    draft.write({ verb: 'create', object: wanted });
    draft.event(
      'CreatingCanaryIngress',
      `Creating canary ingress ${wanted.metadata.name} with weight ${target.weight}`,
    );
    return false;
  }
  const annotations = wanted.metadata.annotations ?? {};
  const isSame =
    Object.entries(annotations).every(([key, value]) => found.metadata.annotations?.[key] === value) &&
    equal(found.spec?.rules, wanted.spec?.rules);
  if (isSame) return true;
  draft.patch(found, { metadata: { annotations }, spec: wanted.spec ?? {} });
  draft.event(
    'PatchingCanaryIngress',
    `Updating canary ingress ${found.metadata.name} to weight ${target.weight}`,
  );
  return false;
}

function canaryIngress(rollout: Rollout, stable: IngressObject, weight: number): IngressObject {
  const { stableService = '', canaryService = '', trafficRouting } = canaryOf(rollout) ?? {};
  const {
    annotationPrefix: prefix = 'nginx.ingress.kubernetes.io',
    additionalIngressAnnotations = {},
    canaryIngressAnnotations = {},
  } = settingsOf(rollout);
  const { ingressClassName, tls } = stable.spec ?? {};
  const className = stable.metadata.annotations?.[classAnnotation];
  const { maxTrafficWeight } = trafficRouting ?? {};
  return {
    apiVersion,
    kind,
    metadata: {
      name: canaryNameOf(rollout, stable.metadata.name),
      ...(rollout.metadata.namespace && { namespace: rollout.metadata.namespace }),
      annotations: {
        ...(className !== undefined && { [classAnnotation]: className }),
        ...Object.fromEntries(
          Object.entries(additionalIngressAnnotations).map(([key, value]) => [
            key.startsWith(prefix) ? key : `${prefix}/${key}`,
            value,
          ]),
        ),
        ...canaryIngressAnnotations,
        [`${prefix}/canary`]: 'true',
        [`${prefix}/canary-weight`]: String(weight),
        ...(maxTrafficWeight !== undefined && {
          [`${prefix}/canary-weight-total`]: String(maxTrafficWeight),
        }),
      },
      ownerReferences: [ownerOf(rollout)],
    },
    spec: {
      ...(ingressClassName && { ingressClassName }),
      ...(tls ? { tls } : {}),
      rules: retargeted(stable, stableService, canaryService),
    },
  };
}

/** compat rollouts §6: the rules that use the stable Service, with the canary Service in its place. */
function retargeted({ spec }: IngressObject, from: string, to: string): IngressRule[] {
  return (spec?.rules ?? []).flatMap((rule) => {
    const paths = rule.http?.paths ?? [];
    const isStable = ({ backend }: IngressPath): boolean => backend?.service?.name === from;
    if (!paths.some(isStable)) return [];
    const moved = paths.map((path) =>
      isStable(path) ? { ...path, backend: { service: { ...path.backend?.service, name: to } } } : path,
    );
    return [{ ...rule, http: { paths: moved } }];
  });
}
