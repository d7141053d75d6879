import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import { isSettled } from './fairlead.ts';
import { type Ground, openGround } from './ground.ts';
import { blueGreen, children, files, importService, rootOf, settings } from './installation.ts';
import { namespace } from './seeds.ts';

// Seeds 000, 001 and 003 as one installation: all their settings together, on the embedded cluster, or on a cluster with
// Knative by FAIRLEAD_TEST_KUBECONFIG.
let ground: Ground;
const all = ['root', ...children];

beforeAll(async () => {
  ground = await openGround();
  await ground.apply(namespace('knative-serving') as KubeObject);
  for (const setting of settings()) await ground.apply(setting);
});
afterAll(() => ground?.stop());

const url = (): string => `file://${ground.repository.dir}`;
const settled = (name: string) => ground.until(name, 'Synced and Healthy', isSettled);
/** Deployed, and then Healthy: a rollout of Knative takes the half minute that seed 000 gives it. */
async function settledAt(name: string, commit: string): Promise<Application> {
  const isAt = (app: Application): boolean => app.status?.sync?.revision === commit;
  const isDeployed = (app: Application): boolean => app.status?.history?.at(-1)?.revision === commit;
  await ground.until(name, `deployed at ${commit}`, isDeployed);
  return ground.until(name, `Synced and Healthy at ${commit}`, (app) => isSettled(app) && isAt(app));
}

/** How often each application was deployed. */
async function deployments(): Promise<Record<string, number>> {
  const apps = await Promise.all(all.map((name) => ground.app(name)));
  return Object.fromEntries(
    apps.map(({ metadata, status }) => [metadata.name, status?.history?.length ?? 0]),
  );
}

/** What our writes leave on the objects of an application: identity, generation and the times of our own applies. */
async function written({ status }: Application): Promise<string[]> {
  const objects = await Promise.all(
    (status?.resources ?? []).map(({ group, version, kind, namespace: inside, name }) =>
      ground.find({
        ...{ apiVersion: group ? `${group}/${version}` : (version ?? ''), kind, name },
        ...(inside !== undefined && { namespace: inside }),
      }),
    ),
  );
  return objects.map((object) => {
    const { uid, generation, name, managedFields = [] } = object?.metadata ?? { name: 'deleted' };
    const ours = (managedFields as { manager?: string; subresource?: string; time?: string }[])
      .filter(({ manager, subresource }) => manager === 'argocd-controller' && !subresource)
      .map(({ time }) => time);
    return `${object?.kind} ${name} ${uid} ${object?.kind === 'Application' ? '' : generation} ${ours.join()}`;
  });
}

const allWritten = async (): Promise<string[][]> =>
  Promise.all(all.map(async (name) => written(await ground.app(name))));

test('one manifest brings up everything; every application is Synced and Healthy after one sync', async () => {
  await ground.repository.commit(files(url()));
  await ground.apply(rootOf(url()));
  for (const name of children) await settled(name);
  const root = await settled('root');
  expect(root.status?.conditions ?? []).toEqual([]);
  expect(await deployments()).toEqual(Object.fromEntries(all.map((name) => [name, 1])));
});

test('it is quiet: nothing is written, synced or deployed again', async () => {
  const before = [await allWritten(), await deployments()];
  await ground.rest(all, 2);
  for (const name of all) await settled(name);
  expect([await allWritten(), await deployments()]).toEqual(before);
});

/** Commits a file, waits for the applications that it concerns, and checks that they alone were deployed, once. */
async function deploysOnce(path: string, text: string, concerned: readonly string[]): Promise<void> {
  const before = await deployments();
  const commit = await ground.repository.commit({ [path]: text });
  for (const name of concerned) await settledAt(name, commit);
  const expected = Object.entries(before).map(([name, count]) => [
    name,
    count + (concerned.includes(name) ? 1 : 0),
  ]);
  expect(await deployments()).toEqual(Object.fromEntries(expected));
}

test('a new image of the base is deployed once by both overlays (seed 001)', async () => {
  const base = 'apps/product-import/base/knative-service.yaml';
  const concerned = ['import-staging', 'import-production'];
  await deploysOnce(base, importService('v2'), concerned);
  await deploysOnce(base, importService('v3'), concerned);
});

test('blue-green goes through Git: the candidate, then its traffic (seed 001)', async () => {
  const file = 'apps/blue-green/service.yaml';
  await deploysOnce(file, blueGreen('candidate'), ['import-blue-green']);
  await deploysOnce(file, blueGreen('promoted'), ['import-blue-green']);
});

test('a component of the platform is deployed once (seed 003)', async () => {
  const text = files(url())['components/cilium/deployment.yaml'] ?? '';
  await deploysOnce('components/cilium/deployment.yaml', text.replace(':1.0', ':2.0'), ['cilium']);
});

test('after all of it, ten minutes bring no write, sync or deployment', async () => {
  for (const name of all) await settled(name);
  const before = [await allWritten(), await deployments()];
  await ground.rest(all, 10);
  expect([await allWritten(), await deployments()]).toEqual(before);
});
