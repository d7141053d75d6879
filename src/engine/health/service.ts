import type { Health, KubeObject } from '#base/model';
import { healthy, progressing } from './verdict.ts';

type ServiceView = KubeObject<{ type?: string }, { loadBalancer?: { ingress?: unknown[] } }>;

/** compat engine X-51: only a load balancer is waited for; endpoints are never read. */
export function serviceHealth(object: KubeObject): Health {
  const { spec, status } = object as ServiceView;
  if (spec?.type !== 'LoadBalancer') return healthy();
  return status?.loadBalancer?.ingress?.length
    ? healthy()
    : progressing('waiting for a load balancer address');
}
