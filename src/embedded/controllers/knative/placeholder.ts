import { equal } from '#base/std';
import { serviceKind } from '../kinds.ts';
import { keyOfObject, type SimulationContext } from '../simulation-context.ts';
import { controlled, discard, ownedMeta, storedObject } from '../write.ts';
import { clusterDomain, hostLabel } from './domains.ts';
import { failed } from './failed.ts';
import { knative, label } from './kinds.ts';
import { isReadyNow, type KnativeIngress, type KnativeRoute } from './view.ts';

const component = 'route-controller';

/** compat cluster 5.6: a Service for the route and for each of its tags; those of removed tags are deleted. */
export async function ensurePlaceholders(
  context: SimulationContext,
  route: KnativeRoute,
  tags: readonly (string | undefined)[],
): Promise<void> {
  const names = namesOf(route, tags);
  for (const name of names) await ensurePlaceholder(context, route, name);
  const surplus = controlled(context, route, serviceKind).filter(({ metadata }) => !names.has(metadata.name));
  await Promise.all(surplus.map((service) => discard(context, service, knative)));
}

const namesOf = (route: KnativeRoute, tags: readonly (string | undefined)[]): ReadonlySet<string> =>
  new Set(['', ...tags].map((tag) => hostLabel(route, tag)));

const specFor = (externalName: string) => ({
  type: 'ExternalName',
  externalName,
  sessionAffinity: 'None',
  ports: [{ name: 'http2', port: 80, protocol: 'TCP', targetPort: 80, appProtocol: 'kubernetes.io/h2c' }],
});

async function ensurePlaceholder(
  context: SimulationContext,
  route: KnativeRoute,
  name: string,
): Promise<void> {
  const live = storedObject(context, serviceKind, { ...keyOfObject(route), name });
  const { labels, annotations = {}, namespace = '', uid } = route.metadata;
  if (live) {
    if (live.metadata.ownerReferences?.some((owner) => owner.uid === uid)) return;
    await failed(
      context,
      route,
      component,
      `route: "${route.metadata.name}" does not own Service: "${name}"`,
    );
  }
  await context.objects.create(
    {
      ...serviceKind,
      metadata: ownedMeta(route, {
        name,
        labels: { ...labels, [label.route]: route.metadata.name },
        annotations,
      }),
      spec: specFor(`${name}.${namespace}.${clusterDomain}`),
    },
    knative,
  );
  const message = `Created placeholder service "${name}"`;
  await context.events.record(route, { type: 'Normal', reason: 'Created', message, component });
}

/** Once the ingress has a gateway, the Services point there. */
export async function pointPlaceholders(
  context: SimulationContext,
  route: KnativeRoute,
  tags: readonly (string | undefined)[],
  ingress: KnativeIngress,
): Promise<void> {
  const { privateLoadBalancer: gateway } = (ingress.status ?? {}) as Balanced;
  const target = gateway?.ingress?.[0]?.domainInternal;
  if (target === undefined || !isReadyNow(ingress)) return;
  const spec = specFor(target);
  for (const name of namesOf(route, tags)) {
    const live = storedObject(context, serviceKind, { ...keyOfObject(route), name });
    if (live && !equal(live.spec, spec)) await context.objects.update({ ...live, spec }, knative);
  }
}

type Balanced = {
  readonly privateLoadBalancer?: { readonly ingress?: readonly { readonly domainInternal?: string }[] };
};
