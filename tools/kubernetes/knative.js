// Real Knative Serving (controller, webhook, autoscaler) beside a control plane of control-plane.js. Its programs listen on
// all interfaces and one of them on a port it chooses itself: it is started only where there is no interface but
// loopback (network.js). No traffic flows, so nothing scales to zero.
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { dump, loadAll } from 'js-yaml';
import { apiOf } from './api.js';
import { freePorts, logOf, startProgram, stopPrograms, until } from './processes.js';

const namespace = 'knative-serving';
const ingressClass = 'fake.ingress.networking.knative.dev';

export async function startKnative(folder, binaries, kubernetesBinaries) {
  const { apply, call } = apiOf(folder);
  const [webhook, ...others] = await freePorts(5);
  const [profiling, profiling2, profiling3, kwok] = others;
  const read = (name) => readFileSync(join(binaries, name), 'utf8');
  await apply(read('crds.yaml'));
  await until(folder, 'kube-apiserver', () => isEstablished(call));
  await until(folder, 'kube-apiserver', () =>
    isDescribed(call, 'apis/networking.internal.knative.dev/v1alpha1'),
  );
  await apply(read('core.yaml'));
  await apply(surroundings.map((object) => dump(object)).join('---\n'));
  await configure(call, 'config-network', { 'ingress-class': ingressClass });
  await configure(call, 'config-deployment', {
    'queue-sidecar-image': 'fake.local/queue',
    'registries-skipping-tag-resolving': registries.join(),
  });
  writeFileSync(join(folder, 'ingress-stage.yaml'), dump(readyIngress));
  await startIngresses(folder, [
    join(kubernetesBinaries, 'kwok'),
    '--kubeconfig=pki/kwok.kubeconfig',
    '--config=ingress-stage.yaml',
    `--server-address=127.0.0.1:${kwok}`,
    '--manage-single-node=none',
  ]);
  const environment = {
    KUBECONFIG: join(folder, 'kubeconfig'),
    SYSTEM_NAMESPACE: namespace,
    CONFIG_LOGGING_NAME: 'config-logging',
    CONFIG_OBSERVABILITY_NAME: 'config-observability',
  };
  const start = (name, more) =>
    startProgram(folder, name, [join(binaries, name)], { ...environment, ...more });
  start('kn-webhook', {
    POD_NAME: 'webhook-0',
    WEBHOOK_NAME: 'webhook',
    WEBHOOK_PORT: String(webhook),
    PROFILING_PORT: String(profiling),
  });
  start('kn-controller', { POD_NAME: 'controller-0', PROFILING_PORT: String(profiling2) });
  start('kn-autoscaler', {
    POD_NAME: 'autoscaler-0',
    POD_IP: '10.244.255.254',
    PROFILING_PORT: String(profiling3),
  });
  // who cannot reach a webhook refuses everything: it is announced once it answers
  await until(folder, 'kn-webhook', () => answers(webhook));
  await apply(announced(read('webhooks.yaml'), webhook));
  await until(folder, 'kn-controller', () => isLed(call));
}

/** kwok asks once which kinds there are, and without a word leaves out what a busy server does not tell of yet. */
async function startIngresses(folder, command, attempts = 5) {
  startProgram(folder, 'kn-ingress', command);
  const isWatching = () => logOf(folder, 'kn-ingress').includes('Resource=ingresses');
  await until(folder, 'kn-ingress', isWatching, 10).catch(async (error) => {
    if (attempts === 1) throw error;
    await stopPrograms(folder, [['kn-ingress']]);
    await startIngresses(folder, command, attempts - 1);
  });
}

/** In the order in which they are stopped, all before the control plane. */
export const knativePrograms = [['kn-ingress', 'kn-controller', 'kn-autoscaler', 'kn-webhook']];

const registries = [
  'kind.local',
  'ko.local',
  'dev.local',
  'fake.local',
  'index.docker.io',
  'docker.io',
  'ghcr.io',
  'gcr.io',
  'quay.io',
  'registry.k8s.io',
];

const named = (apiVersion, kind, name, spec) => ({ apiVersion, kind, metadata: { name, namespace }, spec });

/** What Knative expects to find: the way to its webhook, and an activator, in name only. */
const surroundings = [
  // the API server reaches the webhook at this name and the port of the registration
  named('v1', 'Service', 'webhook', { type: 'ExternalName', externalName: 'localhost' }),
  named('v1', 'Service', 'activator-service', {
    selector: { app: 'activator' },
    ports: [
      { name: 'http', port: 80, targetPort: 8012 },
      { name: 'http2', port: 81, targetPort: 8013 },
      { name: 'https', port: 443, targetPort: 8112 },
    ],
  }),
  named('apps/v1', 'Deployment', 'activator', {
    selector: { matchLabels: { app: 'activator' } },
    template: {
      metadata: { labels: { app: 'activator' } },
      spec: {
        containers: [
          {
            name: 'activator',
            image: 'fake.local/activator',
            ports: [
              { name: 'http1', containerPort: 8012 },
              { name: 'h2c', containerPort: 8013 },
            ],
          },
        ],
      },
    },
  }),
];

const absent = (key) => ({ key, operator: 'DoesNotExist' });
const gateway = (name) => ({ ingress: [{ domainInternal: `${name}.${namespace}.svc.cluster.local` }] });

/** A networking layer in name only: kwok makes every ingress of our class ready. */
const readyIngress = {
  apiVersion: 'kwok.x-k8s.io/v1alpha1',
  kind: 'Stage',
  metadata: { name: 'ingress-ready' },
  spec: {
    resourceRef: { apiGroup: 'networking.internal.knative.dev/v1alpha1', kind: 'Ingress' },
    selector: {
      matchExpressions: [
        absent('.metadata.deletionTimestamp'),
        {
          key: '.metadata.annotations["networking.knative.dev/ingress.class"]',
          operator: 'In',
          values: [ingressClass],
        },
        { key: '.status.observedGeneration == .metadata.generation', operator: 'NotIn', values: ['true'] },
      ],
    },
    next: {
      statusTemplate: [
        'observedGeneration: {{ .metadata.generation }}',
        'conditions:',
        ...['LoadBalancerReady', 'NetworkConfigured', 'Ready'].map(
          (type) => `- {type: ${type}, status: "True", lastTransitionTime: {{ Now | Quote }}}`,
        ),
        `publicLoadBalancer: ${JSON.stringify(gateway('fake-gateway'))}`,
        `privateLoadBalancer: ${JSON.stringify(gateway('fake-gateway-internal'))}`,
        '',
      ].join('\n'),
    },
  },
};

async function configure(call, name, data) {
  const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`;
  await call('PATCH', path, { data }, 'application/merge-patch+json');
}

async function isEstablished(call) {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const { items } = await call('GET', path);
  return items.every(({ status }) =>
    status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True'),
  );
}

/** kwok gives up on a kind that discovery or the schemas do not tell of yet; a server publishes both after a while. */
async function isDescribed(call, groupVersion) {
  await call('GET', `/${groupVersion}`);
  const schemas = await call('GET', '/openapi/v3'); // JSON, though it is called text
  return schemas.includes(`"${groupVersion}"`);
}

/** Until the controllers have been elected nothing happens to what is created. */
async function isLed(call) {
  const { items } = await call('GET', `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`);
  return items.some(
    ({ metadata }) => metadata.name.includes('.serverless.') || /service/.test(metadata.name),
  );
}

function announced(text, port) {
  const objects = loadAll(text).filter(Boolean);
  for (const { webhooks } of objects) {
    for (const { clientConfig } of webhooks) clientConfig.service.port = port;
  }
  return objects.map((object) => dump(object)).join('---\n');
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
