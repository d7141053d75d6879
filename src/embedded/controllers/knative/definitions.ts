import type { KubeObject } from '#base/model';
import { equal } from '#base/std';
import type { Objects } from '#embedded/apiserver';
import type { JsonObject } from '#kubernetes/schema';
import { definitionKind } from '../kinds.ts';
import { schemas } from './schemas.ts';

/** One custom kind in short form; its CustomResourceDefinition is built from it. */
type Definition = {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories: readonly string[];
  readonly columns: readonly Column[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly isClusterWide?: boolean;
};
type Column = { readonly name: string; readonly type: string; readonly jsonPath: string };

const column = (name: string, jsonPath: string, type = 'string'): Column => ({ name, type, jsonPath });
const readiness = [
  column('Ready', ".status.conditions[?(@.type=='Ready')].status"),
  column('Reason', ".status.conditions[?(@.type=='Ready')].reason"),
];
const latest = [
  column('LatestCreated', '.status.latestCreatedRevisionName'),
  column('LatestReady', '.status.latestReadyRevisionName'),
];
const url = column('URL', '.status.url');

const serving = { group: 'serving.knative.dev', categories: ['all', 'knative', 'serving'] };
const networking = {
  group: 'networking.internal.knative.dev',
  version: 'v1alpha1',
  categories: ['knative-internal', 'networking'],
};
const podSpecable = { 'duck.knative.dev/podspecable': 'true' };
const addressable = { 'duck.knative.dev/addressable': 'true' };
const labelColumn = (name: string, key: string): Column =>
  column(name, `.metadata.labels['serving\\.knative\\.dev/${key}']`);

const definitions: readonly Definition[] = [
  {
    ...serving,
    version: 'v1',
    kind: 'Service',
    plural: 'services',
    shortNames: ['kservice', 'ksvc'],
    columns: [url, ...latest, ...readiness],
    labels: { ...podSpecable, ...addressable },
  },
  {
    ...serving,
    version: 'v1',
    kind: 'Configuration',
    plural: 'configurations',
    shortNames: ['config', 'cfg'],
    columns: [...latest, ...readiness],
    labels: podSpecable,
  },
  {
    ...serving,
    version: 'v1',
    kind: 'Revision',
    plural: 'revisions',
    shortNames: ['rev'],
    columns: [
      labelColumn('Config Name', 'configuration'),
      labelColumn('Generation', 'configurationGeneration'),
      ...readiness,
      column('Actual Replicas', '.status.actualReplicas', 'integer'),
      column('Desired Replicas', '.status.desiredReplicas', 'integer'),
    ],
  },
  {
    ...serving,
    version: 'v1',
    kind: 'Route',
    plural: 'routes',
    shortNames: ['rt'],
    columns: [url, ...readiness],
    labels: addressable,
  },
  {
    ...serving,
    version: 'v1beta1',
    kind: 'DomainMapping',
    plural: 'domainmappings',
    shortNames: ['dm'],
    columns: [url, ...readiness],
  },
  {
    group: 'autoscaling.internal.knative.dev',
    version: 'v1alpha1',
    kind: 'PodAutoscaler',
    plural: 'podautoscalers',
    shortNames: ['kpa', 'pa'],
    categories: ['knative-internal', 'autoscaling'],
    columns: [
      column('DesiredScale', '.status.desiredScale', 'integer'),
      column('ActualScale', '.status.actualScale', 'integer'),
      ...readiness,
    ],
  },
  {
    ...networking,
    kind: 'ServerlessService',
    plural: 'serverlessservices',
    shortNames: ['sks'],
    columns: [
      column('Mode', '.spec.mode'),
      column('Activators', '.spec.numActivators', 'integer'),
      column('ServiceName', '.status.serviceName'),
      column('PrivateServiceName', '.status.privateServiceName'),
      ...readiness,
    ],
  },
  {
    ...networking,
    kind: 'Ingress',
    plural: 'ingresses',
    shortNames: ['kingress', 'king'],
    columns: readiness,
  },
  {
    ...networking,
    kind: 'ClusterDomainClaim',
    plural: 'clusterdomainclaims',
    shortNames: ['cdc'],
    columns: [],
    isClusterWide: true,
  },
  {
    group: 'autoscaling.internal.knative.dev',
    version: 'v1alpha1',
    kind: 'Metric',
    plural: 'metrics',
    categories: ['knative-internal', 'autoscaling'],
    columns: readiness,
  },
  {
    group: 'caching.internal.knative.dev',
    version: 'v1alpha1',
    kind: 'Image',
    plural: 'images',
    categories: ['knative-internal', 'caching'],
    columns: [column('Image', '.spec.image')],
  },
];

const keeper = { 'app.kubernetes.io/managed-by': 'fairlead-simulate' };
const by = { manager: 'fairlead-simulate' };

function definitionOf(definition: Definition): KubeObject {
  const { group, version, kind, plural, columns, labels, shortNames = [], categories } = definition;
  return {
    ...definitionKind,
    metadata: {
      name: `${plural}.${group}`,
      labels: {
        'app.kubernetes.io/name': 'knative-serving',
        'knative.dev/crd-install': 'true',
        ...labels,
        ...keeper,
      },
    },
    spec: {
      group,
      scope: definition.isClusterWide ? 'Cluster' : 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List`, shortNames, categories },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          ...(columns.length > 0 && { additionalPrinterColumns: columns }),
          schema: { openAPIV3Schema: schemas[kind] ?? {} },
        },
      ],
    },
  };
}

/**
 * Installs Knative's kinds and waits until they are served. A definition that another manager has created stays as
 * it is; one of ours is updated. Safe to repeat.
 */
export async function installDefinitions(objects: Objects): Promise<void> {
  for (const definition of definitions.map(definitionOf)) {
    const live = objects.get({ ...definitionKind, name: definition.metadata.name });
    if (!live) await objects.create(definition, by);
    else if (isOurs(live) && !isUpToDate(live, definition)) {
      const { resourceVersion } = live.metadata;
      await objects.update(
        { ...definition, metadata: { ...definition.metadata, ...(resourceVersion && { resourceVersion }) } },
        by,
      );
    }
  }
  await Promise.all(definitions.map((one) => established(objects, `${one.plural}.${one.group}`)));
}

const isOurs = ({ metadata }: KubeObject): boolean =>
  metadata.labels?.['app.kubernetes.io/managed-by'] === keeper['app.kubernetes.io/managed-by'];

const versionsOf = ({ spec }: KubeObject): unknown => (spec as JsonObject | undefined)?.versions;

const isUpToDate = (live: KubeObject, definition: KubeObject): boolean =>
  equal(versionsOf(live), versionsOf(definition));

type Status = { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };

async function established(objects: Objects, name: string): Promise<void> {
  const enough = new AbortController();
  const watch = objects.watch(definitionKind, {
    fieldSelector: `metadata.name=${name}`,
    signal: enough.signal,
  });
  for await (const { object } of watch) {
    const { conditions = [] } = (object.status ?? {}) as Status;
    if (conditions.some(({ type, status }) => type === 'Established' && status === 'True')) break;
  }
  enough.abort();
}
