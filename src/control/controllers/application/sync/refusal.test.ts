import { afterEach, beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { realClock, silent } from '#base/std';
import { createCluster, type EmbeddedCluster } from '#embedded';
import type { SyncTask } from '#engine';
import { createKubeClient, type KubeClient, refOf } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { explainRefusal } from './refusal.ts';

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const applied: SyncTask['mode'] = { verb: 'apply', force: false, validate: true };
const anew = (options: string) =>
  `; it cannot be changed in place: annotate it with argocd.argoproj.io/sync-options: ${options} to have it deleted and recreated`;

let cluster: EmbeddedCluster;
let kube: KubeClient;

beforeEach(async () => {
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
});
afterEach(() => cluster.close());

/** What is told when an object that is there is to be changed like this. */
async function refused(made: KubeObject, body: object, mode = applied): Promise<string> {
  const target = await kube.create(ctx, made);
  const error = await kube.patch(ctx, refOf(target), { type: 'merge', body }).then(
    () => expect.fail('it was taken'),
    (thrown: unknown) => thrown,
  );
  return explainRefusal(error, { target, mode });
}

const pod = (image: string, env: object[] = []) => ({
  restartPolicy: 'Never',
  containers: [{ name: 'c', image, env }],
});
const inDefault = (name: string) => ({ name, namespace: 'default' });

test('what cannot be changed in place is told with the option that makes it anew (S-28)', async () => {
  const settings = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: inDefault('a'),
    immutable: true,
    data: { a: '1' },
  };
  const change = { data: { a: '2' } };
  const words =
    'ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set' +
    anew('Force=true');
  expect(await refused(settings, change)).toBe(words);
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: inDefault('c'),
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  const other = { spec: { accessModes: ['ReadOnlyMany'] } };
  expect(await refused(claim, other, { ...applied, verb: 'server-side-apply' })).toContain(
    anew('Force=true,Replace=true'),
  );
  const set = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: inDefault('s'),
    spec: {
      serviceName: 's',
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
  expect(await refused(set, { spec: { serviceName: 't' } })).toContain(anew('Force=true'));
});

test('the template that an API server prints is cut in the middle, not what is wrong with it', async () => {
  const env = Array.from({ length: 100 }, (_, at) => ({ name: `VARIABLE_${at}`, value: 'x'.repeat(40) }));
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: inDefault('j'),
    spec: { template: { spec: pod('one', env) } },
  };
  const told = await refused(job, { spec: { template: { spec: pod('two', env) } } });
  expect(told).toMatch(/^Job.batch "j" is invalid: spec.template: .* … .*field is immutable; it cannot be/);
  expect(told.length).toBeLessThan(4_200);
});

test('nobody is advised to delete what others live in, or what is made anew already', async () => {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } };
  const target = await kube.create(ctx, namespace);
  const settings = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: inDefault('b'),
    immutable: true,
    data: { a: '1' },
  };
  const made = await kube.create(ctx, settings);
  const error = await kube
    .patch(ctx, refOf(made), { type: 'merge', body: { data: { a: '2' } } })
    .catch((thrown: unknown) => thrown);
  expect(explainRefusal(error, { target, mode: applied })).not.toContain('recreated');
  expect(explainRefusal(error, { target: made, mode: { ...applied, force: true } })).not.toContain(
    'recreated',
  );
  expect(explainRefusal(new Error('no'), { target: made, mode: applied })).toBe('no');
});
