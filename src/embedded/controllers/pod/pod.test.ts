import { afterEach, expect, test } from 'vitest';
import { memoryStore } from '#platform/store';
import { createStage, type VirtualCluster } from '../virtual-cluster.ts';
import type { Pod } from './view.ts';

let stage: VirtualCluster;
afterEach(() => stage.stop());

type Options = { image?: string; annotations?: Record<string, string>; spec?: object; container?: object };

const pod = (
  name: string,
  { image = 'web:1', annotations = {}, spec = {}, container = {} }: Options = {},
) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', annotations },
  spec: { containers: [{ name: 'main', image, ...container }], ...spec },
});
const ref = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', namespace: 'default', name });
const read = (name = 'p') => stage.read<Pod>(ref(name));
const condition = (type: string, name = 'p') =>
  read(name).status?.conditions?.find((one) => one.type === type);
const main = (name = 'p') => read(name).status?.containerStatuses?.[0];

async function start(options: Options = {}, ms = 200): Promise<void> {
  stage = await createStage({ store: memoryStore() });
  await stage.create(pod('p', options));
  await stage.clock.advance(ms);
}

test('a pod is placed, started and ready, and its image is known by digest', async () => {
  await start();
  expect(read().spec?.nodeName).toBe('embedded-0');
  expect(read().status).toMatchObject({ phase: 'Running', hostIP: '192.0.2.1', qosClass: 'BestEffort' });
  expect(read().status?.podIP).toMatch(/^10\.244\.\d+\.\d+$/);
  expect(main()).toMatchObject({ ready: true, started: true, restartCount: 0 });
  expect(main()?.imageID).toMatch(/^web@sha256:[0-9a-f]{64}$/);
  expect(condition('Ready')).toMatchObject({ status: 'True' });
});

test('watchers see it pending, creating and running', async () => {
  stage = await createStage({ store: memoryStore() });
  const stop = new AbortController();
  const seen: string[] = [];
  const watching = (async () => {
    for await (const { object } of stage.objects.watch(
      { apiVersion: 'v1', kind: 'Pod' },
      { signal: stop.signal },
    )) {
      const { phase, containerStatuses } = (object as Pod).status ?? {};
      const { waiting, running } = containerStatuses?.[0]?.state ?? {};
      seen.push([phase, waiting?.reason ?? (running ? 'running' : 'none')].join(' '));
    }
  })();
  await stage.create(pod('p'));
  await stage.clock.advance(200);
  stop.abort();
  await watching;
  expect(seen).toEqual(['Pending none', 'Pending none', 'Pending ContainerCreating', 'Running running']);
});

test('a cluster in which nothing happens does nothing', async () => {
  await start();
  const before = stage.calls;
  await stage.clock.advance(30 * 60_000);
  expect(stage.calls).toBe(before);
  expect(stage.clock.sleepers).toBe(0);
});

test('pods have addresses of their own', async () => {
  stage = await createStage({ store: memoryStore() });
  const names = Array.from({ length: 60 }, (_, i) => `p${i}`);
  await Promise.all(names.map((name) => stage.create(pod(name))));
  await stage.clock.advance(300);
  expect(new Set(names.map((name) => read(name).status?.podIP)).size).toBe(60);
});

test('an image that cannot be pulled is tried, then backed off from', async () => {
  await start({ image: 'registry.test/image-pull-error:1' });
  expect(read().status?.phase).toBe('Pending');
  expect(main()?.state.waiting?.reason).toBe('ErrImagePull');
  await stage.clock.advance(2000);
  expect(main()?.state.waiting?.reason).toBe('ImagePullBackOff');
  expect(condition('Ready')).toMatchObject({
    reason: 'ContainersNotReady',
    message: 'containers with unready status: [main]',
  });
});

test('a crash loop restarts at once, then after ten seconds, twenty, forty', async () => {
  await start({ image: 'app:crash-loop' }, 600);
  expect(read().status?.phase).toBe('Running');
  expect(main()).toMatchObject({
    restartCount: 1,
    ready: false,
    lastState: { terminated: { exitCode: 1, reason: 'Error' } },
  });
  const uid = read().metadata.uid;
  expect(main()?.state.waiting).toEqual({
    reason: 'CrashLoopBackOff',
    message: `back-off 10s restarting failed container=main pod=p_default(${uid})`,
  });
  await stage.clock.advance(11_000);
  expect(main()?.restartCount).toBe(2);
  expect(main()?.state.waiting?.message).toContain('back-off 20s');
  await stage.clock.advance(10_000);
  expect(main()?.restartCount).toBe(2);
  await stage.clock.advance(11_000);
  expect(main()?.restartCount).toBe(3);
});

test('a crash loop ends when its script is taken away', async () => {
  await start({ annotations: { 'simulate.fairlead.io/outcome': 'crash-loop' } }, 600);
  await stage.patch(ref('p'), { metadata: { annotations: { 'simulate.fairlead.io/outcome': null } } });
  await stage.clock.advance(12_000);
  expect(condition('Ready')?.status).toBe('True');
});

test('a running pod stops being ready when it is told to', async () => {
  await start();
  await stage.patch(ref('p'), {
    metadata: { annotations: { 'simulate.fairlead.io/outcome': 'never-ready' } },
  });
  await stage.clock.advance(100);
  expect(main()).toMatchObject({ ready: false, started: true });
  expect(condition('Ready')?.status).toBe('False');
});

test('readiness can be late: by image, or by annotation', async () => {
  stage = await createStage({ store: memoryStore() });
  await stage.create(pod('slow', { image: 'app:slow-start' }));
  await stage.create(pod('later', { annotations: { 'simulate.fairlead.io/ready-after': '2s' } }));
  await stage.clock.advance(1500);
  expect(condition('Ready', 'later')?.status).toBe('False');
  await stage.clock.advance(1000);
  expect(condition('Ready', 'later')?.status).toBe('True');
  expect(condition('Ready', 'slow')?.status).toBe('False');
  await stage.clock.advance(9000);
  expect(condition('Ready', 'slow')?.status).toBe('True');
});

test('timed probes are waited for', async () => {
  stage = await createStage({ store: memoryStore(), probes: 'timed' });
  const readinessProbe = { tcpSocket: { port: 80 }, initialDelaySeconds: 5, periodSeconds: 2 };
  await stage.create(pod('p', { container: { readinessProbe } }));
  await stage.clock.advance(6000);
  expect(condition('Ready')?.status).toBe('False');
  await stage.clock.advance(2000);
  expect(condition('Ready')?.status).toBe('True');
});

test('a pod that fits nowhere says so', async () => {
  await start({ annotations: { 'simulate.fairlead.io/outcome': 'unschedulable' } });
  expect(read().spec?.nodeName).toBeUndefined();
  expect(condition('PodScheduled')).toMatchObject({ status: 'False', reason: 'Unschedulable' });
  expect(condition('PodScheduled')?.message).toMatch(/^0\/1 nodes are available: /);
});

test('a reference to nothing holds a container back until it is there', async () => {
  const configMapKeyRef = { name: 'settings', key: 'mode' };
  await start({ container: { env: [{ name: 'MODE', valueFrom: { configMapKeyRef } }] } });
  expect(main()?.state.waiting).toEqual({
    reason: 'CreateContainerConfigError',
    message: 'configmap "settings" not found',
  });
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'settings' };
  const { apiVersion, kind, namespace, name } = settings;
  await stage.create({ apiVersion, kind, metadata: { namespace, name }, data: { other: 'x' } });
  await stage.clock.advance(100);
  expect(main()?.state.waiting?.message).toBe("couldn't find key mode in ConfigMap default/settings");
  await stage.patch(settings, { data: { mode: 'fast' } });
  await stage.clock.advance(100);
  expect(condition('Ready')?.status).toBe('True');
});

test('a volume that cannot be mounted keeps the pod creating', async () => {
  await start({ spec: { volumes: [{ name: 'certs', secret: { secretName: 'tls' } }] } });
  expect(main()?.state.waiting?.reason).toBe('ContainerCreating');
  await stage.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'tls', namespace: 'default' } });
  await stage.clock.advance(100);
  expect(condition('Ready')?.status).toBe('True');
});

test('what is meant to end ends, well or badly', async () => {
  stage = await createStage({ store: memoryStore() });
  const spec = { restartPolicy: 'Never' };
  await stage.create(pod('good', { spec }));
  await stage.create(pod('bad', { spec, image: 'tool:exit-3' }));
  await stage.create(pod('typed', { spec, container: { command: ['sh', '-c', 'exit 4'] } }));
  await stage.create(pod('long', { spec, container: { command: ['sleep', '30'] } }));
  await stage.clock.advance(2000);
  expect(read('good').status?.phase).toBe('Succeeded');
  expect(main('good')?.state.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
  expect(condition('Ready', 'good')).toMatchObject({ status: 'False', reason: 'PodCompleted' });
  expect(read('bad').status?.phase).toBe('Failed');
  expect(main('bad')?.state.terminated?.exitCode).toBe(3);
  expect(main('typed')?.state.terminated?.exitCode).toBe(4);
  expect(read('long').status?.phase).toBe('Running');
  await stage.clock.advance(30_000);
  expect(read('long').status?.phase).toBe('Succeeded');
});

test('init containers run one after another, sidecars stay', async () => {
  const initContainers = [
    { name: 'first', image: 'tool:1' },
    { name: 'side', image: 'tool:1', restartPolicy: 'Always' },
    { name: 'second', image: 'tool:1' },
  ];
  await start({ spec: { initContainers } }, 300);
  const states = read().status?.initContainerStatuses?.map(({ state }) => Object.keys(state)[0]);
  expect(states).toEqual(['terminated', 'running', 'terminated']);
  expect(condition('Ready')?.status).toBe('True');
});

test('a failing init container keeps the others from starting', async () => {
  await start({ spec: { initContainers: [{ name: 'first', image: 'tool:exit-1' }] } }, 600);
  expect(read().status?.phase).toBe('Pending');
  expect(main()?.state.waiting?.reason).toBe('PodInitializing');
  expect(condition('Initialized')).toMatchObject({ status: 'False', reason: 'ContainersNotInitialized' });
});

test('a deleted pod lingers, ends and is gone', async () => {
  await start();
  await stage.remove(ref('p'));
  expect(read().metadata.deletionTimestamp).toBeDefined();
  await stage.clock.advance(100);
  expect(stage.objects.get(ref('p'))).toBeUndefined();
});
