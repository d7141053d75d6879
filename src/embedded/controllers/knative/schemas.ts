import type { JsonObject } from '#kubernetes/schema';
import { containerSchema, volumeSchema } from './pod-schemas.ts';
import {
  atom,
  either,
  flag,
  int32,
  int64,
  listOf,
  listOfMap,
  mapOf,
  object,
  open,
  reference,
  type StructuralFields,
  text,
  whole,
} from './structural.ts';

/** compat cluster 5.6: the structural schemas of Knative's kinds; fields that they do not name are pruned. */

const template = object({
  metadata: {
    ...object({
      annotations: mapOf(text),
      finalizers: listOf(text),
      labels: mapOf(text),
      name: text,
      namespace: text,
    }),
    'x-kubernetes-preserve-unknown-fields': true,
  },
});

const revisionSpec = object(
  {
    affinity: open,
    automountServiceAccountToken: flag,
    containerConcurrency: int64,
    containers: listOf(containerSchema),
    dnsConfig: open,
    dnsPolicy: text,
    enableServiceLinks: flag,
    hostAliases: listOf(open),
    hostIPC: flag,
    hostNetwork: flag,
    hostPID: flag,
    idleTimeoutSeconds: int64,
    imagePullSecrets: listOfMap(['name'], reference),
    initContainers: listOf(open),
    nodeSelector: atom(mapOf(text)),
    priorityClassName: text,
    responseStartTimeoutSeconds: int64,
    runtimeClassName: text,
    schedulerName: text,
    securityContext: open,
    serviceAccountName: text,
    shareProcessNamespace: flag,
    timeoutSeconds: int64,
    tolerations: listOf(open),
    topologySpreadConstraints: listOf(open),
    volumes: listOfMap(['name'], volumeSchema),
  },
  ['containers'],
);

const templated = {
  template: object({ ...(template.properties as Record<string, JsonObject>), spec: revisionSpec }),
};

const traffic = listOf(
  object({
    configurationName: text,
    latestRevision: flag,
    percent: int64,
    revisionName: text,
    tag: text,
    url: text,
  }),
);

const condition = object(
  { lastTransitionTime: text, message: text, reason: text, severity: text, status: text, type: text },
  ['status', 'type'],
);
const status = (fields: StructuralFields = {}): JsonObject =>
  object({ annotations: mapOf(text), conditions: listOf(condition), observedGeneration: int64, ...fields });

const address = object({ CACerts: text, audience: text, name: text, url: text });
const routed = { address, traffic, url: text };
const latest = { latestCreatedRevisionName: text, latestReadyRevisionName: text };
const digests = listOf(object({ imageDigest: text, name: text }));

const complete = (spec: JsonObject, held: JsonObject): JsonObject =>
  object({ apiVersion: text, kind: text, metadata: { type: 'object' }, spec, status: held });

const headers = mapOf(text);
const split = object(
  {
    appendHeaders: headers,
    percent: whole,
    serviceName: text,
    serviceNamespace: text,
    servicePort: either,
  },
  ['serviceName', 'serviceNamespace', 'servicePort'],
);
const path = object(
  {
    appendHeaders: headers,
    headers: mapOf(object({ exact: text }, ['exact'])),
    path: text,
    rewriteHost: text,
    splits: listOf(split),
  },
  ['splits'],
);
const rule = object({
  hosts: listOf(text),
  http: object({ paths: listOf(path) }, ['paths']),
  visibility: text,
});
const balancer = object({
  ingress: listOf(object({ domain: text, domainInternal: text, ip: text, meshOnly: flag })),
});
const tls = listOf(object({ hosts: listOf(text), secretName: text, secretNamespace: text }));

const target = { apiVersion: text, kind: text, name: text };

const domainReference = object({ ...target, address: text, group: text, namespace: text }, ['kind', 'name']);

/** By kind. */
export const schemas: Readonly<Record<string, JsonObject>> = {
  Service: complete(object({ ...templated, traffic }), status({ ...routed, ...latest })),
  Configuration: complete(object(templated), status(latest)),
  Revision: complete(
    revisionSpec,
    status({
      actualReplicas: int32,
      containerStatuses: digests,
      desiredReplicas: int32,
      initContainerStatuses: digests,
      logUrl: text,
    }),
  ),
  Route: complete(object({ traffic }), status(routed)),
  DomainMapping: complete(
    object({ ref: domainReference, tls: object({ secretName: text }, ['secretName']) }, ['ref']),
    status({ address, url: text }),
  ),
  PodAutoscaler: complete(
    object(
      {
        containerConcurrency: int64,
        protocolType: text,
        reachability: text,
        scaleTargetRef: atom(object(target)),
      },
      ['protocolType', 'scaleTargetRef'],
    ),
    {
      ...status({ actualScale: int32, desiredScale: int32, metricsServiceName: text, serviceName: text }),
      required: ['metricsServiceName', 'serviceName'],
    },
  ),
  Metric: complete(
    object({ panicWindow: int64, scrapeTarget: text, stableWindow: int64 }, [
      'panicWindow',
      'scrapeTarget',
      'stableWindow',
    ]),
    status(),
  ),
  ServerlessService: complete(
    object(
      {
        mode: text,
        numActivators: int32,
        objectRef: atom(
          object({ ...target, fieldPath: text, namespace: text, resourceVersion: text, uid: text }),
        ),
        protocolType: text,
      },
      ['objectRef', 'protocolType'],
    ),
    status({ privateServiceName: text, serviceName: text }),
  ),
  Ingress: complete(
    object({ httpOption: text, rules: listOf(rule), tls }),
    status({ privateLoadBalancer: balancer, publicLoadBalancer: balancer }),
  ),
  ClusterDomainClaim: object({
    apiVersion: text,
    kind: text,
    metadata: { type: 'object' },
    spec: object({ namespace: text }, ['namespace']),
  }),
  Image: complete(
    object({ image: text, imagePullSecrets: listOf(reference), serviceAccountName: text }, ['image']),
    status(),
  ),
};
