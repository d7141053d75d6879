import type { Health, KubeObject } from '#base/model';
import { healthy, progressing } from './verdict.ts';

type IngressView = KubeObject<unknown, { loadBalancer?: { ingress?: unknown[] } }>;

export function ingressHealth(object: KubeObject): Health {
  const { status } = object as IngressView;
  return status?.loadBalancer?.ingress?.length ? healthy() : progressing('waiting for an ingress address');
}
