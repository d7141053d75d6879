import type { KubeObject } from '#base/model';

export const namespace = 'default';
export const rolloutKind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', namespace };

const template = (name: string, image: string) => ({
  metadata: { labels: { app: name } },
  spec: {
    containers: [
      {
        ...{ name: 'web', image, ports: [{ containerPort: 8080 }] },
        env: Array.from({ length: 10 }, (_one, index) => ({
          name: `SETTING_${index}`,
          value: `value ${index}`,
        })),
        resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
        readinessProbe: { httpGet: { path: '/ready', port: 8080 } },
      },
    ],
  },
});

/** A canary with nine steps, or with the given ones. */
export const rollout = (name: string, canary: object = {}): KubeObject => ({
  ...{ apiVersion: rolloutKind.apiVersion, kind: 'Rollout', metadata: { name, namespace } },
  spec: {
    ...{ replicas: 2, selector: { matchLabels: { app: name } }, template: template(name, 'web:3') },
    strategy: {
      canary: {
        steps: [10, 25, 50, 75].flatMap((setWeight) => [{ setWeight }, { pause: { duration: '10m' } }]),
        ...canary,
      },
    },
  },
});

/** A ReplicaSet of an earlier revision, without pods. */
export function earlier({ metadata }: KubeObject, revision: number): KubeObject {
  const { name, uid } = metadata;
  const hash = `old${revision}`;
  const { metadata: of, spec } = template(name, `web:${revision}`);
  const labels = { ...of.labels, 'rollouts-pod-template-hash': hash };
  const owner = { apiVersion: rolloutKind.apiVersion, kind: 'Rollout', name, uid, controller: true };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      ...{ name: `${name}-${hash}`, namespace, labels, ownerReferences: [owner] },
      annotations: {
        'rollout.argoproj.io/revision': String(revision),
        'rollout.argoproj.io/desired-replicas': '2',
      },
    },
    spec: { replicas: 0, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  } as KubeObject;
}

export const service = (name: string, app: string): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace } },
  spec: { selector: { app }, ports: [{ port: 80 }] },
});

export const ingress = (name: string, serviceName: string): KubeObject => ({
  ...{ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name, namespace } },
  spec: {
    ingressClassName: 'nginx',
    rules: [
      {
        host: `${name}.example.com`,
        http: {
          paths: [
            {
              ...{ path: '/', pathType: 'Prefix' },
              backend: { service: { name: serviceName, port: { number: 80 } } },
            },
          ],
        },
      },
    ],
  },
});
