import { anyForm, anyScalar, anyText, Raw } from './kustomize-text.ts';
import type { Random } from './random.ts';

export type Value = Record<string, unknown>;

const names = [
  'web',
  'db',
  'cache',
  'api',
  'web-1',
  'queue',
  'x3',
  '3scale',
  'sys:web',
  'Web_Upper',
  'a.b.c',
];
const namespaces = [undefined, undefined, undefined, 'team-a', 'team-b', 'default'];
const images = [
  'nginx',
  'nginx:1.25',
  'registry.example.com:5000/team/api:v1',
  'redis@sha256:abc123',
  'busybox',
];

const some = <T>(random: Random, most: number, make: () => T): T[] =>
  Array.from({ length: random.below(most + 1) }, make);

const nameOf = (random: Random): string => random.pick(names);

function header(random: Random, apiVersion: string, kind: string, isPlaced = true): Value {
  const metadata: Value = { name: nameOf(random) };
  const namespace = random.pick(namespaces);
  if (namespace !== undefined && isPlaced) metadata.namespace = namespace;
  if (random.chance(0.3))
    metadata.labels = { app: nameOf(random), ...(random.chance(0.3) ? { tier: 'one' } : {}) };
  if (random.chance(0.2)) metadata.annotations = random.chance(0.2) ? {} : { note: anyText(random) };
  if (random.chance(0.1)) metadata.finalizers = ['example.com/a', 'example.com/b'].slice(random.below(2));
  if (random.chance(0.06)) metadata.creationTimestamp = random.chance(0.7) ? null : new Raw('');
  return { apiVersion, kind, metadata };
}

function env(random: Random): Value {
  const name = random.pick(['A', 'B', 'C', 'D']);
  const key = random.pick(['one', 'two']);
  return random.pick<() => Value>([
    () => ({ name, value: anyText(random) }),
    () => ({ name, value: 'plain' }),
    () => ({ name, valueFrom: { configMapKeyRef: { name: nameOf(random), key } } }),
    () => ({ name, valueFrom: { secretKeyRef: { name: nameOf(random), key, optional: true } } }),
  ])();
}

/** Elements of one key once, as the API wants it; now and then twice. */
function unique(random: Random, list: Value[], key: string): Value[] {
  if (random.chance(0.02)) return list;
  const seen = new Set<unknown>();
  return list.filter((item) => !seen.has(item[key]) && seen.add(item[key]));
}

function container(random: Random): Value {
  const made: Value = { name: random.pick(['main', 'side', 'init']), image: random.pick(images) };
  if (random.chance(0.4))
    made.env = unique(
      random,
      some(random, 3, () => env(random)),
      'name',
    );
  if (random.chance(0.2)) {
    made.envFrom = some(random, 2, () => ({
      [random.pick(['configMapRef', 'secretRef'])]: { name: nameOf(random) },
    }));
  }
  if (random.chance(0.4)) {
    const hasProtocol = random.chance(0.3);
    const ports = some(random, 2, () => {
      const port: Value = { containerPort: random.pick([80, 8080, 9090]) };
      if (hasProtocol || random.chance(0.05)) port.protocol = random.pick(['TCP', 'UDP']);
      if (random.chance(0.3)) port.name = random.pick(['http', 'metrics']);
      return port;
    });
    made.ports = hasProtocol ? ports : unique(random, ports, 'containerPort');
  }
  if (random.chance(0.2))
    made.args = some(random, 3, () => (random.chance(0.7) ? anyText(random) : anyForm(random)));
  if (random.chance(0.2))
    made.resources = { limits: { cpu: random.pick([1, '500m', new Raw('0.5')]), memory: '1Gi' } };
  if (random.chance(0.2)) {
    made.volumeMounts = unique(
      random,
      some(random, 2, () => ({ name: 'data', mountPath: random.pick(['/a', '/b']) })),
      'mountPath',
    );
  }
  return made;
}

function volume(random: Random): Value {
  const name = random.pick(['data', 'config', 'secrets']);
  return random.pick<() => Value>([
    () => ({ name, configMap: { name: nameOf(random) } }),
    () => ({ name, secret: { secretName: nameOf(random) } }),
    () => ({ name, persistentVolumeClaim: { claimName: nameOf(random) } }),
    () => ({ name, emptyDir: {} }),
    () => ({
      name,
      projected: { sources: [{ configMap: { name: nameOf(random) } }, { secret: { name: nameOf(random) } }] },
    }),
  ])();
}

function podSpec(random: Random): Value {
  const spec: Value = {
    containers: unique(random, [container(random), ...some(random, 1, () => container(random))], 'name'),
  };
  if (random.chance(0.2)) spec.initContainers = [container(random)];
  if (random.chance(0.3))
    spec.volumes = unique(
      random,
      some(random, 2, () => volume(random)),
      'name',
    );
  if (random.chance(0.3)) spec.serviceAccountName = nameOf(random);
  if (random.chance(0.1)) spec.imagePullSecrets = [{ name: nameOf(random) }];
  if (random.chance(0.1)) spec.priorityClassName = nameOf(random);
  if (random.chance(0.1)) spec.nodeSelector = { disk: 'ssd' };
  if (random.chance(0.1))
    spec.tolerations = [
      { key: 'a', operator: 'Exists' },
      { key: 'b', value: 'c' },
    ];
  if (random.chance(0.1)) {
    spec.topologySpreadConstraints = [
      {
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
      },
    ];
  }
  if (random.chance(0.1)) {
    const term = { topologyKey: 'host', labelSelector: { matchLabels: { app: 'web' } } };
    spec.affinity = {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [term],
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }],
      },
    };
  }
  return spec;
}

const template = (random: Random): Value => ({
  ...(random.chance(0.7) ? { metadata: { labels: { app: 'web' } } } : {}),
  spec: podSpec(random),
});

function workload(random: Random, kind: string): Value {
  const spec: Value = { template: template(random) };
  if (kind !== 'DaemonSet' && random.chance(0.6)) spec.replicas = random.below(4);
  if (random.chance(0.7)) spec.selector = { matchLabels: { app: 'web' } };
  if (kind === 'StatefulSet') {
    spec.serviceName = nameOf(random);
    if (random.chance(0.4)) {
      spec.volumeClaimTemplates = [
        {
          metadata: { name: 'data' },
          spec: { storageClassName: nameOf(random), resources: { requests: { storage: '1Gi' } } },
        },
      ];
    }
  }
  return { ...header(random, 'apps/v1', kind), spec };
}

function service(random: Random): Value {
  const hasProtocol = random.chance(0.3);
  const ports = some(random, 2, () => ({
    port: random.pick([80, 443, 53]),
    ...(hasProtocol ? { protocol: random.pick(['TCP', 'UDP']) } : {}),
    targetPort: random.pick([8080, 'http']),
  }));
  return {
    ...header(random, 'v1', 'Service'),
    spec: {
      ports: hasProtocol ? ports : unique(random, ports, 'port'),
      ...(random.chance(0.7) ? { selector: { app: 'web' } } : {}),
    },
  };
}

function data(random: Random): Value {
  const made: Value = {};
  for (const key of ['one', 'two', 'app.conf', 'UPPER_case'])
    if (random.chance(0.5)) made[key] = random.chance(0.5) ? anyText(random) : anyForm(random);
  return made;
}

const rbac = 'rbac.authorization.k8s.io';
const subject = (random: Random): Value => ({
  kind: random.pick(['ServiceAccount', 'ServiceAccount', 'User', 'Group']),
  name: random.chance(0.2) ? 'default' : nameOf(random),
  ...(random.chance(0.5) ? { namespace: random.pick(['team-a', 'team-b', 'default']) } : {}),
});

function binding(random: Random, kind: string): Value {
  const roleKind = kind === 'ClusterRoleBinding' ? 'ClusterRole' : random.pick(['Role', 'ClusterRole']);
  return {
    ...header(random, `${rbac}/v1`, kind, kind === 'RoleBinding'),
    roleRef: { apiGroup: rbac, kind: roleKind, name: nameOf(random) },
    subjects: some(random, 2, () => subject(random)),
  };
}

const role = (random: Random, kind: string): Value => ({
  ...header(random, `${rbac}/v1`, kind, kind === 'Role'),
  rules: [
    {
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: some(random, 2, () => nameOf(random)),
      verbs: ['get'],
    },
  ],
});

const webhook = (random: Random, kind: string): Value => ({
  ...header(random, 'admissionregistration.k8s.io/v1', kind, false),
  webhooks: [
    {
      name: 'a.example.com',
      clientConfig: {
        service: { name: nameOf(random), namespace: random.pick(['team-a', 'default']), path: '/x' },
      },
    },
  ],
});

function widget(random: Random): Value {
  const list = some(random, 3, () => ({
    name: random.pick(['a', 'b', 'c']),
    value: anyScalar(random) ?? 'x',
  }));
  const spec: Value = { list, map: { one: anyScalar(random), two: { three: anyScalar(random) } } };
  if (random.chance(0.3)) spec.template = { spec: { containers: [container(random)] } };
  if (random.chance(0.1)) spec.embedded = deployment(random);
  while (random.chance(0.4)) spec[`form${random.below(9)}`] = anyForm(random);
  return { ...header(random, 'example.com/v1', 'Widget'), spec };
}

const deployment = (random: Random): Value => workload(random, 'Deployment');
const job = (random: Random): Value => ({
  ...header(random, 'batch/v1', 'Job'),
  spec: { template: template(random) },
});

const moreKinds: readonly ((random: Random) => Value)[] = [
  (random) => ({
    ...header(random, 'v1', 'ReplicationController'),
    spec: { selector: { app: 'web' }, template: template(random) },
  }),
  (random) => ({ ...header(random, 'v1', 'PodTemplate'), template: template(random) }),
  (random) => ({
    ...header(random, 'v1', 'PersistentVolume', false),
    spec: { storageClassName: nameOf(random), azureFile: { secretName: nameOf(random) } },
  }),
  (random) => ({
    ...header(random, 'admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', false),
    spec: {},
  }),
  (random) => ({
    ...header(random, 'admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', false),
    spec: { policyName: nameOf(random) },
  }),
  (random) => header(random, 'networking.k8s.io/v1', 'IngressClass', false),
  (random) => header(random, 'apps/v1', random.pick(['Deployment', 'StatefulSet'])),
  (random) => ({ ...header(random, 'v1', 'Service'), spec: random.pick([null, new Raw(''), {}]) }),
  (random) => ({
    ...header(random, `${rbac}/v1`, 'RoleBinding'),
    roleRef: { name: nameOf(random) },
    subjects: random.pick([null, []]),
  }),
  (random) => ({
    ...header(random, 'extensions/v1beta1', 'Ingress'),
    metadata: {
      name: nameOf(random),
      annotations: { 'nginx.ingress.kubernetes.io/auth-secret': nameOf(random) },
    },
    spec: { backend: { serviceName: nameOf(random), servicePort: 80 } },
  }),
  (random) => ({
    ...header(random, 'batch/v1beta1', 'CronJob'),
    spec: { jobTemplate: { spec: { template: template(random) } } },
  }),
  (random) => ({
    ...header(random, 'apps/v1', 'Deployment'),
    spec: {
      template: { spec: { ...podSpec(random), volumes: [{ name: 'i', image: { reference: 'nginx:1' } }] } },
    },
  }),
];

const kinds: readonly ((random: Random) => Value)[] = [
  deployment,
  deployment,
  deployment,
  (random) => workload(random, random.pick(['StatefulSet', 'DaemonSet', 'ReplicaSet'])),
  service,
  service,
  (random) => ({ ...header(random, 'v1', 'ConfigMap'), data: data(random) }),
  (random) => ({ ...header(random, 'v1', 'ConfigMap'), data: data(random) }),
  (random) => ({ ...header(random, 'v1', 'Secret'), type: 'Opaque', stringData: data(random) }),
  (random) => ({
    ...header(random, 'v1', 'ServiceAccount'),
    ...(random.chance(0.3) ? { imagePullSecrets: [{ name: nameOf(random) }] } : {}),
  }),
  (random) => role(random, random.pick(['Role', 'ClusterRole'])),
  (random) => binding(random, random.pick(['RoleBinding', 'RoleBinding', 'ClusterRoleBinding'])),
  (random) => ({ ...header(random, 'v1', 'Pod'), spec: podSpec(random) }),
  job,
  (random) => ({
    ...header(random, 'batch/v1', 'CronJob'),
    spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: template(random) } } },
  }),
  (random) => ({
    ...header(random, 'networking.k8s.io/v1', 'Ingress'),
    spec: {
      ingressClassName: nameOf(random),
      tls: [{ hosts: ['a.example.com'], secretName: nameOf(random) }],
      rules: [
        {
          host: 'a.example.com',
          http: {
            paths: [{ path: '/', backend: { service: { name: nameOf(random), port: { number: 80 } } } }],
          },
        },
      ],
    },
  }),
  (random) => ({
    ...header(random, `autoscaling/${random.pick(['v1', 'v2'])}`, 'HorizontalPodAutoscaler'),
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: nameOf(random) },
      maxReplicas: 3,
    },
  }),
  (random) => ({
    ...header(random, 'v1', 'PersistentVolumeClaim'),
    spec: { storageClassName: nameOf(random), volumeName: nameOf(random) },
  }),
  (random) => ({
    ...header(random, 'storage.k8s.io/v1', 'StorageClass', false),
    provisioner: 'x',
    parameters: { secretName: nameOf(random) },
  }),
  (random) => ({ ...header(random, 'scheduling.k8s.io/v1', 'PriorityClass', false), value: 1 }),
  (random) => ({
    ...header(random, 'policy/v1', 'PodDisruptionBudget'),
    spec: { selector: { matchLabels: { app: 'web' } } },
  }),
  (random) => ({
    ...header(random, 'networking.k8s.io/v1', 'NetworkPolicy'),
    spec: {
      podSelector: { matchLabels: { app: 'web' } },
      ingress: [{ from: [{ podSelector: { matchLabels: { app: 'db' } } }] }],
    },
  }),
  (random) => header(random, 'v1', 'Namespace', false),
  (random) =>
    webhook(random, random.pick(['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'])),
  (random) => ({
    ...header(random, 'apiextensions.k8s.io/v1', 'CustomResourceDefinition', false),
    spec: { group: 'example.com', containers: [{ image: 'nginx' }] },
  }),
  (random) => ({
    ...header(random, 'apiregistration.k8s.io/v1', 'APIService', false),
    spec: random.chance(0.5) ? { service: { name: nameOf(random) } } : { group: 'x' },
  }),
  (random) => ({
    ...header(random, 'serving.knative.dev/v1', 'Service'),
    spec: { template: { spec: podSpec(random) } },
  }),
  widget,
  widget,
];

export const anyObject = (random: Random): Value =>
  random.pick(random.chance(0.2) ? moreKinds : kinds)(random);
export const anyContainer = container;
export const anyVolume = volume;
export const objectNames = names;
export const imageNames = images;
