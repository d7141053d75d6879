import type { KubeObject } from '#base/model';
import { silent, virtualClock } from '#base/std';
import { admitKnative, createCluster, installDefinitions, runSimulation } from '#embedded';
import { memoryStore } from '#platform/store';
import type { Figure } from './harness.ts';

const minutes = 15;
const writer = { manager: 'bench' };
const service = {
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Service',
  namespace: 'default',
  name: 'hello',
};
const ingress = {
  apiVersion: 'networking.internal.knative.dev/v1alpha1',
  kind: 'Ingress',
  namespace: 'default',
  name: 'hello',
};

/** A gradual rollout in virtual time, beside as many plain writes as it takes. */
export async function figures(): Promise<Figure[]> {
  const { ms, writes } = await rehearse();
  const plain = await baseline(writes);
  return [
    {
      name: `knative: a rollout of ${minutes} minutes, rehearsed (${writes} writes)`,
      value: ms,
      unit: 'ms',
      target: 1000,
    },
    {
      name: 'knative: the same, as a multiple of so many plain status writes',
      value: ms / plain,
      unit: 'x',
      target: 20,
    },
  ];
}

async function rehearse(): Promise<{ ms: number; writes: number }> {
  const counter = { calls: 0, writes: 0 };
  const clock = virtualClock({ settle: () => quiet(() => counter.calls) });
  const cluster = await createCluster({ store: memoryStore(), clock, seed: 7, webhooks: admitKnative });
  await installDefinitions(cluster.objects);
  const stop = new AbortController();
  const running = runSimulation(
    { signal: stop.signal, log: silent, clock },
    counted(cluster.objects, counter),
  );
  running.catch(() => {});
  await cluster.objects.create(hello(), writer);
  await clock.advance(5000);
  const before = counter.writes;
  const began = performance.now();
  const change = { spec: { template: { metadata: { annotations: { revision: '2' } } } } };
  await cluster.objects.patch(service, { type: 'merge', body: change }, writer);
  await clock.advance(minutes * 60_000 + 10_000);
  const ms = performance.now() - began;
  const writes = counter.writes - before;
  check(cluster.objects.get(service));
  stop.abort();
  await running;
  await cluster.close();
  return { ms, writes };
}

/** A rehearsal that did not get to its end would look quick. */
function check(found: KubeObject | undefined): void {
  const { traffic = [] } = (found?.status ?? {}) as {
    traffic?: { revisionName?: string; percent?: number }[];
  };
  if (traffic.length !== 1 || traffic[0]?.revisionName !== 'hello-00002') {
    throw new Error(`the rollout did not end: ${JSON.stringify(traffic)}`);
  }
}

async function baseline(writes: number): Promise<number> {
  const clock = virtualClock({});
  const cluster = await createCluster({ store: memoryStore(), clock, seed: 7 });
  await installDefinitions(cluster.objects);
  const { apiVersion, kind, name, namespace } = ingress;
  await cluster.objects.create({ apiVersion, kind, metadata: { name, namespace }, spec: {} }, writer);
  const began = performance.now();
  for (let turn = 1; turn <= writes; turn++) {
    await cluster.objects.patchStatus(ingress, { observedGeneration: turn }, writer);
  }
  const ms = performance.now() - began;
  await cluster.close();
  return ms;
}

const hello = (): KubeObject =>
  ({
    apiVersion: service.apiVersion,
    kind: service.kind,
    metadata: {
      name: service.name,
      namespace: service.namespace,
      annotations: { 'serving.knative.dev/rollout-duration': `${minutes}m` },
    },
    spec: { template: { spec: { containers: [{ image: 'ghcr.io/demo/hello:1' }] } } },
  }) as KubeObject;

const writing = new Set<string | symbol>(['create', 'update', 'patch', 'patchStatus', 'remove']);

function counted<T extends object>(objects: T, counter: { calls: number; writes: number }): T {
  return new Proxy(objects, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        counter.calls += 1;
        if (writing.has(name)) counter.writes += 1;
        return value.apply(target, args);
      };
    },
  });
}

/** No controller has asked anything for several turns of the event loop. */
async function quiet(calls: () => number): Promise<void> {
  for (let still = 0, seen = -1; still < 8; ) {
    await new Promise((resolve) => setImmediate(resolve));
    still = calls() === seen ? still + 1 : 0;
    seen = calls();
  }
}
