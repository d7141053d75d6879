import { isObject } from '#base/std';
import type { Check } from '../../check.ts';
import { objectAt, textAt, valueAt } from '../../kinds.ts';

/** How the clouds are instructed to keep a load balancer inside: the annotation, and what it must be. */
const internal: Readonly<Record<string, RegExp>> = {
  'service.beta.kubernetes.io/aws-load-balancer-internal': /^(?!false$)/,
  'service.beta.kubernetes.io/aws-load-balancer-scheme': /^internal$/,
  'service.beta.kubernetes.io/azure-load-balancer-internal': /^true$/,
  'networking.gke.io/load-balancer-type': /^internal$/i,
  'cloud.google.com/load-balancer-type': /^internal$/i,
  'service.beta.kubernetes.io/oci-load-balancer-internal': /^true$/,
  'service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type': /^private$/,
};

export const publicLoadBalancer: Check = {
  id: 'public-load-balancer',
  title: 'a Service of type LoadBalancer may be public',
  severity: 'note',
  why: 'most clouds give it an address that the whole internet reaches.',
  fix: "add your cloud's annotation for an internal one, or publish through an Ingress",
  reads: ['Service'],
  *find(object) {
    if (textAt(object, ['spec', 'type']) !== 'LoadBalancer') return;
    if (isObject(object.spec) && (object.spec.loadBalancerClass || object.spec.loadBalancerSourceRanges))
      return;
    const annotations = objectAt(object, ['metadata', 'annotations']);
    const isInternal = Object.entries(internal).some(
      ([name, right]) => right.test(String(annotations[name] ?? 'false')) && name in annotations,
    );
    if (!isInternal && valueAt(object, ['spec', 'type']))
      yield {
        at: ['spec', 'type'],
        message: `${object.metadata.name} is a LoadBalancer without an annotation that keeps it internal`,
      };
  },
};
