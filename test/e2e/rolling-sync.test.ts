import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application, ApplicationSet, KubeObject } from '#base/model';
import { configMap, type Plane, startPlane } from './in-process.ts';

// A progressive sync on an embedded cluster, in this process, wired as the program wires it.
let plane: Plane;

beforeAll(async () => {
  plane = await startPlane();
  await plane.repository.commit({ 'apps/base.yaml': JSON.stringify(configMap('base', {})) });
  const data = { 'applicationsetcontroller.enable.progressive.syncs': 'true' };
  await plane.apply(configMap('argocd-cmd-params-cm', data, { namespace: 'argocd' }));
});
afterAll(() => plane?.stop());

const set = { apiVersion: 'argoproj.io/v1alpha1', kind: 'ApplicationSet', namespace: 'argocd', name: 'roll' };
const find = async () => (await plane.find(set)) as ApplicationSet | undefined;
const stepOf = (env: string) => ({ matchExpressions: [{ key: 'env', operator: 'In', values: [env] }] });

const rolling = (): KubeObject =>
  ({
    apiVersion: set.apiVersion,
    kind: set.kind,
    metadata: { name: set.name, namespace: set.namespace },
    spec: {
      generators: [{ list: { elements: [{ env: 'dev' }, { env: 'prod' }] } }],
      template: {
        metadata: { name: 'roll-{{env}}', labels: { env: '{{env}}' } },
        spec: {
          project: 'default',
          source: { repoURL: plane.url, path: 'apps', targetRevision: 'HEAD' },
          destination: { server: 'https://kubernetes.default.svc', namespace: 'roll-{{env}}' },
          syncPolicy: { automated: { prune: true }, syncOptions: ['CreateNamespace=true'] },
        },
      },
      strategy: {
        type: 'RollingSync',
        deletionOrder: 'Reverse',
        rollingSync: { steps: [stepOf('dev'), stepOf('prod')] },
      },
    },
  }) as KubeObject;

const isRolledOut = (found: ApplicationSet | undefined): boolean =>
  found?.status?.applicationStatus?.length === 2 &&
  found.status.applicationStatus.every(({ status }) => status === 'Healthy') &&
  found.status.conditions?.find(({ type }) => type === 'RolloutProgressing')?.status === 'False';

test('the second step waits until the first is Healthy, and the set starts both syncs (sources 5.6)', async () => {
  await plane.apply(rolling());
  const done = await plane.until('the set is rolled out', find, isRolledOut);
  expect(done?.status?.conditions?.find(({ type }) => type === 'InvalidRolloutConfig')?.status).toBe('False');
  const [dev, prod] = (await Promise.all(['roll-dev', 'roll-prod'].map((name) => plane.app(name)))) as [
    Application,
    Application,
  ];
  expect(dev.spec.syncPolicy?.automated?.enabled).toBe(false);
  expect(dev.status?.operationState?.operation.initiatedBy?.username).toBe('applicationset-controller');
  const { finishedAt = '' } = dev.status?.operationState ?? {};
  expect((prod.status?.operationState?.startedAt ?? '') >= finishedAt).toBe(true);
});

test('the applications of a deleted set are deleted the last step first (sources ASY-11)', async () => {
  const from = { apiVersion: set.apiVersion, kind: 'Application', namespace: set.namespace };
  const events = await plane.kube.watch(plane.ctx, from);
  await plane.kube.delete(plane.ctx, set);
  const deleted: string[] = [];
  for await (const event of events) {
    if (event.type === 'DELETED') deleted.push(event.object.metadata.name);
    if (deleted.length === 2) break;
  }
  expect(deleted).toEqual(['roll-prod', 'roll-dev']);
  await plane.until('the set is gone', find, (found) => found === undefined);
});
