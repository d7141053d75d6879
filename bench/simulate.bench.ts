import type { KubeObject } from '#base/model';
import { silent, virtualClock } from '#base/std';
import { createCluster, createSimulation } from '#embedded';
import { memoryStore } from '#platform/store';
import type { Figure } from './harness.ts';

const user = { manager: 'kubectl' };
const groups = 125;

/** Eight objects that belong together: as many groups make the thousand. */
function group(index: number): KubeObject[] {
  const name = `app-${index}`;
  const labels = { app: name };
  const metadata = { name, namespace: 'default', labels };
  const containers = [{ name: 'c', image: 'app:1', ports: [{ containerPort: 8080 }] }];
  const template = { metadata: { labels }, spec: { containers } };
  const selector = { matchLabels: labels };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { key: 'value' } },
    { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { key: 'value' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { selector: labels, ports: [{ port: 80 }] } },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 2, selector, template } },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata,
      spec: { template: { spec: { containers, restartPolicy: 'Never' } } },
    },
    { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec: { minAvailable: 1, selector } },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata,
      spec: { defaultBackend: { service: { name, port: { number: 80 } } } },
    },
  ] as unknown as KubeObject[];
}

const objects = (): KubeObject[] => Array.from({ length: groups }, (_, index) => group(index)).flat();

type Run = { readonly ms: number; readonly ready: number };

/** A thousand objects applied to a new cluster, with controllers that let everything become of them, or without. */
async function applied(isSimulated: boolean): Promise<Run> {
  let settled = async (): Promise<void> => {};
  const clock = virtualClock({ settle: () => settled() });
  const cluster = await createCluster({ store: memoryStore(), clock, seed: 1 });
  const stop = new AbortController();
  const simulation = createSimulation({ signal: stop.signal, log: silent, clock }, cluster.objects);
  const running = isSimulated ? simulation.run() : Promise.resolve();
  if (isSimulated) settled = simulation.settled;
  await settled();
  const began = performance.now();
  for (const body of objects()) {
    const { apiVersion, kind, metadata } = body;
    const ref = { apiVersion, kind, namespace: metadata.namespace, name: metadata.name };
    await cluster.objects.patch(ref, { type: 'apply', body, force: true }, user);
  }
  if (isSimulated) await simulation.settle(clock);
  const ms = performance.now() - began;
  const deployments = cluster.objects.list({ apiVersion: 'apps/v1', kind: 'Deployment' });
  const ready = deployments.filter(
    ({ status }) => (status as { readyReplicas?: number }).readyReplicas === 2,
  );
  stop.abort();
  await running;
  await cluster.close();
  return { ms, ready: ready.length };
}

/** A thousand objects and all that follows from them, beside the same objects merely stored. */
export async function figures(): Promise<Figure[]> {
  await applied(false);
  const plain = await applied(false);
  const simulated = await applied(true);
  return [
    { name: 'simulate: 1,000 objects applied, no controllers', value: plain.ms, unit: 'ms', target: 2000 },
    { name: 'simulate: the same, and settled', value: simulated.ms, unit: 'ms', target: 10_000 },
    { name: 'simulate: ratio', value: simulated.ms / plain.ms, unit: '×', target: 25 },
    { name: 'simulate: deployments not ready', value: groups - simulated.ready, unit: 'of 125', target: 0 },
  ];
}
