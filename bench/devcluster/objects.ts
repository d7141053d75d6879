const containers = [
  {
    name: 'web',
    image: 'web:1.2.3',
    ports: [{ containerPort: 8080 }],
    env: [{ name: 'MODE', value: 'fast' }],
    resources: { requests: { cpu: '100m', memory: '64Mi' } },
  },
];

export const configMap = (index: number): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `settings-${index}`, labels: { app: 'web' } },
  data: { colour: 'blue', index: String(index) },
});

export const pod = (index: number): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `web-${index}`, labels: { app: 'web', tier: 'front' } },
  spec: { containers },
});

export const deployment = (index: number, replicas: number): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: `web-${index}`, labels: { app: 'web' } },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers } },
  },
});
