import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Application, KubeObject, OperationState, ResourceResult } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { Informer } from '#control/live';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient, type KubeRequest, type KubeResponse } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { memoryStore } from '#platform/store';
import { createApplications } from '../applications.ts';
import { OperationRecord } from './operation-record.ts';

const definition = new URL('../../../../../deploy/crds/application.yaml', import.meta.url);
const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' };
const state: OperationState = {
  operation: { sync: {} },
  phase: 'Running',
  startedAt: '2026-01-01T00:00:00Z',
  syncResult: { revision: 'abc', resources: [] },
};
const rows = (count: number): ResourceResult[] =>
  Array.from({ length: count }, (_, index) => ({
    group: '',
    version: 'v1',
    kind: 'ConfigMap',
    namespace: 'default',
    name: `config-map-${index}`,
    status: index === 7 ? 'SyncFailed' : 'Synced',
    message: index === 7 ? 'refused' : 'created',
  }));

let cluster: EmbeddedCluster;
let ctx: Ctx;
beforeEach(async () => {
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
});
afterEach(() => cluster.close());

/** The cluster, with a database behind it that takes no large request. */
const words = [
  'etcdserver: request is too large',
  'rpc error: code = ResourceExhausted desc = trying to send message larger than max (2447956 vs. 2097152)',
];
const narrow =
  (message: string) =>
  async (request: KubeRequest): Promise<KubeResponse> => {
    if ((request.body?.length ?? 0) < 20_000) return cluster.handle(request);
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code: 500 };
    return { status: 500, headers: { 'content-type': 'application/json' }, body: JSON.stringify(status) };
  };

async function begun(message: string, more: Partial<Application> = {}) {
  const kube = createKubeClient({ transport: narrow(message) });
  await createKubeClient({ transport: cluster.handle }).create(
    ctx,
    parse(await readFile(definition, 'utf8')) as KubeObject,
  );
  const app = (await kube.create(ctx, {
    ...kind,
    metadata: { name: 'vast', namespace: 'default' },
    spec: { project: 'default', destination: { name: 'in-cluster', namespace: 'default' } },
    operation: { sync: {} },
    ...more,
  } as KubeObject)) as Application;
  const apps = createApplications({ kube, informer: new Informer(kube, kind) });
  const fresh = async () => (await apps.fetch(ctx, 'default/vast'))?.status?.operationState;
  const { operation = state.operation } = more;
  return { progress: new OperationRecord(ctx, { apps }, app, { ...state, operation }), fresh };
}

test.each(words)(
  'a record that no API server takes ends the operation instead of the world: %s',
  async (told) => {
    const { progress, fresh } = await begun(told);
    await expect(progress.recordResults(rows(1000), 'applying')).rejects.toMatchObject({
      code: 'LimitExceeded',
      message: expect.stringContaining('split the application'),
    });
    expect(progress.isUnsaved).toBe(false); // so it is no outage, which would be waited for
    await progress.end({ phase: 'Error', message: 'too large' });
    const written = await fresh();
    expect(written?.phase).toBe('Error');
    expect(written?.message).toMatch(/^too large; of 1000 results 1 are kept: .*split the application/);
    expect(written?.syncResult?.resources?.map(({ name }) => name)).toEqual(['config-map-7']);
  },
);

test('one that grows too large with its last word still ends as it did', async () => {
  const { progress, fresh } = await begun(words[0] ?? '');
  await progress.recordResults(rows(10), 'applying');
  await progress.end({ phase: 'Succeeded', message: 'synced', results: rows(1000) });
  expect([(await fresh())?.phase, (await fresh())?.syncResult?.revision]).toEqual(['Succeeded', 'abc']);
});

const secretive = {
  repoURL: 'https://git.example/a',
  helm: { parameters: [{ name: 'db.password', value: 'marker-parameter' }] },
};
const destination = { name: 'in-cluster', namespace: 'default' };

test.each<[string, Partial<Application>]>([
  ['the spec', { spec: { project: 'default', source: secretive, destination } }],
  ['the operation', { operation: { sync: { source: secretive } } }],
])('attack 24: messages of an operation hold no secret of %s, its sources keep theirs', async (_of, more) => {
  const { progress, fresh } = await begun('', more);
  const leaking = 'admission webhook refused marker-parameter';
  const [row] = rows(1);
  const results = row ? [{ ...row, message: leaking }] : [];
  await progress.report(leaking);
  expect((await fresh())?.message).toBe('admission webhook refused ++++++++');
  await progress.recordResults(results, leaking);
  const known = await fresh();
  expect(JSON.stringify([known?.message, known?.syncResult])).not.toContain('marker-parameter');
  await progress.end({ phase: 'Failed', message: leaking, results });
  const ended = await fresh();
  expect(ended?.message).toBe('admission webhook refused ++++++++');
  expect(ended?.syncResult?.resources?.map(({ name, message }) => [name, message])).toEqual([
    ['config-map-0', 'admission webhook refused ++++++++'],
  ]);
  expect(ended?.operation).toEqual(more.operation ?? { sync: {} });
});
