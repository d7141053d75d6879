/** A Deployment of about 12 KB with managedFields, as a cluster returns it. */
export function bigDeployment(): Record<string, unknown> {
  const container = (i: number) => ({
    name: `c${i}`,
    image: `example/app-${i}:1.${i}.0`,
    env: Array.from({ length: 12 }, (_, n) => ({ name: `SETTING_${n}`, value: `value-${i}-${n}` })),
    resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '0.25', memory: '128Mi' } },
    ports: [{ containerPort: 8080 + i, protocol: 'TCP' }],
    readinessProbe: { httpGet: { path: '/ready', port: 8080, scheme: 'HTTP' }, periodSeconds: 10 },
  });
  const containers = Array.from({ length: 8 }, (_, i) => container(i));
  const fields = Object.fromEntries(
    containers.map((c) => [`k:{"name":"${c.name}"}`, { '.': {}, 'f:image': {}, 'f:env': {} }]),
  );
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: 'shop',
      labels: { app: 'web', tier: 'front' },
      managedFields: [
        {
          manager: 'argocd-controller',
          operation: 'Apply',
          fieldsV1: { 'f:spec': { 'f:containers': fields } },
        },
      ],
    },
    spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: { spec: { containers } } },
    status: {
      readyReplicas: 3,
      conditions: [{ type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' }],
    },
  };
}
