import type { KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import type { KubeClient } from '#kubernetes/client';
import type { EventList } from '#serve/api';

type Involved = Pick<KubeObject['metadata'], 'name' | 'namespace' | 'uid'>;

/** The Kubernetes Events about one object. Those about an object without a namespace may be in any. */
export async function eventsAbout(
  ctx: Ctx,
  kube: Pick<KubeClient, 'list'>,
  { name, namespace, uid }: Involved,
): Promise<EventList> {
  const fieldSelector = Object.entries({ name, namespace, uid })
    .flatMap(([field, value]) => (value ? [`involvedObject.${field}=${value}`] : []))
    .join(',');
  const from = { apiVersion: 'v1', kind: 'Event', ...(namespace && { namespace }) };
  const { items, resourceVersion } = await kube.list(ctx, from, { fieldSelector });
  return { metadata: { resourceVersion }, items: [...items] };
}
