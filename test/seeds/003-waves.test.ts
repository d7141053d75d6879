import { afterAll, expect, test } from 'vitest';
import { defaultSettings, type KubeObject } from '#base/model';
import { createScripts } from '#control/scripts';
import { health } from '#engine';
import { fragment, manifest, settingsOf } from './documents.ts';
import { application, Installation, told } from './installation.ts';
import { ctx } from './scripts.ts';

// "ArgoCD & GitOps Architecture": an application of applications in seven waves, held together by one Lua script
const scripts = createScripts({ size: 1 });
afterAll(() => scripts.close());

const waiting = settingsOf(fragment('003/health-application.yaml'));
const table = fragment<{ wave: number; kind: string; names: string[] }[]>('003/waves.yaml');
const children = table.flatMap(({ wave, kind, names }) => names.map((name) => child(kind, name, wave)));

function child(kind: string, name: string, wave: number): KubeObject {
  const annotations = { 'argocd.argoproj.io/sync-wave': String(wave) };
  return { apiVersion: 'argoproj.io/v1alpha1', kind, metadata: { name, namespace: 'argocd', annotations } };
}

const namesIn = (wave: number): string[] =>
  table.filter((row) => row.wave === wave).flatMap(({ names }) => names);

/** An observation of the cluster, scripts included, and what the root does about it. */
async function look(root: Installation, { resources } = waiting): Promise<string> {
  root.health = { scripted: await scripts.judge(ctx, root.live.values(), resources.overrides) };
  const step = root.next();
  if (step.do === 'apply') root.take(step);
  return told(step);
}

const upToDate = { conditions: [{ type: 'ResourcesUpToDate', status: 'True' }] };
const isSet = (root: Installation, name: string): boolean =>
  [...root.live.values()].some(({ kind, metadata }) => kind === 'ApplicationSet' && metadata.name === name);

function becomes(root: Installation, name: string, status: string): void {
  root.report(name, isSet(root, name) ? upToDate : { health: { status } });
}

test('the one Application the document prints is a member of wave 0', () => {
  expect(manifest('003/app-cilium.yaml').metadata).toMatchObject(
    JSON.parse(JSON.stringify({ name: 'cilium', annotations: children[0]?.metadata.annotations })),
  );
});

test('wave by wave: none begins before every child of the one before is Healthy (X-1, X-5)', async () => {
  const root = new Installation(application({}, 'root'), children.toReversed());
  const applied: string[] = [await look(root)];
  for (let wave = 0; wave < 6; wave++) {
    const names = namesIn(wave);
    // just created: nobody has said anything about them yet
    expect(await look(root)).toMatch(/^wait for /);
    for (const name of names) if (!isSet(root, name)) becomes(root, name, 'Progressing');
    expect(await look(root)).toMatch(/^wait for /);
    for (const name of names.slice(0, -1)) becomes(root, name, 'Healthy');
    expect(await look(root)).toBe(`wait for ${names.at(-1)}`);
    becomes(root, names.at(-1) ?? '', 'Healthy');
    applied.push(await look(root));
  }
  expect(applied).toEqual([
    'Sync 0: 1password-connect argocd cilium external-secrets',
    'Sync 1: longhorn snapshot-controller volsync',
    'Sync 2: pvc-plumber',
    'Sync 3: kyverno',
    'Sync 4: database infrastructure',
    'Sync 5: monitoring opentelemetry-operator',
    'Sync 6: my-apps',
  ]);
  // the last wave is not waited for
  expect(await look(root)).toBe('Succeeded');
});

test('without the script the waves follow each other as soon as the children exist (X-1)', async () => {
  const applications = children.filter(({ kind }) => kind === 'Application');
  const root = new Installation(application({}, 'root'), applications);
  const steps: string[] = [];
  for (let pass = 0; pass < 6; pass++) steps.push(await look(root, defaultSettings));
  expect(steps.map((step) => step.split(':')[0])).toEqual([
    'Sync 0',
    'Sync 1',
    'Sync 2',
    'Sync 3',
    'Sync 5',
    'Succeeded',
  ]);
});

test('a Degraded child fails the wave of its parent at once; one that is Suspended holds it (X-3)', async () => {
  const root = () => new Installation(application({}, 'root'), children);
  const degraded = root();
  await look(degraded);
  for (const name of namesIn(0)) becomes(degraded, name, name === 'cilium' ? 'Degraded' : 'Healthy');
  expect(await look(degraded)).toBe('Failed');
  const suspended = root();
  await look(suspended);
  for (const name of namesIn(0)) becomes(suspended, name, name === 'cilium' ? 'Suspended' : 'Healthy');
  expect(await look(suspended)).toBe('wait for cilium');
});

test('the control plane, restarted by its own wave, goes on where it was (X-5)', async () => {
  const before = new Installation(application({}, 'root'), children);
  await look(before);
  for (const name of namesIn(0)) becomes(before, name, name === 'argocd' ? 'Progressing' : 'Healthy');
  expect(await look(before)).toBe('wait for argocd');
  const after = new Installation(application({}, 'root'), children).put(...before.live.values());
  after.state = structuredClone(before.state);
  expect(await look(after)).toBe('wait for argocd');
  becomes(after, 'argocd', 'Healthy');
  expect(await look(after)).toBe('Sync 1: longhorn snapshot-controller volsync');
});

test('the parent shows what its child says, message included (X-1)', async () => {
  const root = new Installation(application({}, 'root'), children.slice(0, 1));
  await look(root);
  const shown = async () => {
    root.health = { scripted: await scripts.judge(ctx, root.live.values(), waiting.resources.overrides) };
    return root.compare().resources[0]?.status.health;
  };
  expect(await shown()).toEqual({ status: 'Progressing' });
  root.report('cilium', { health: { status: 'Degraded', message: 'no route' } });
  expect(await shown()).toEqual({ status: 'Degraded', message: 'no route' });
});

const condition = (type: string, status: string) => ({ conditions: [{ type, status }] });

test.each([
  ['kyverno.io/v1', 'ClusterPolicy', condition('Ready', 'True'), 'Healthy'],
  ['kyverno.io/v1', 'ClusterPolicy', condition('Ready', 'False'), 'Degraded'],
  ['volsync.backube/v1alpha1', 'ReplicationSource', { lastSyncTime: '2026-06-03T10:00:00Z' }, 'Healthy'],
  [
    'volsync.backube/v1alpha1',
    'ReplicationDestination',
    { latestImage: { kind: 'VolumeSnapshot', name: 's' } },
    'Healthy',
  ],
])('%s %s is judged as the document asks (X-10)', (apiVersion, kind, status, wanted) => {
  const object: KubeObject = { apiVersion, kind, metadata: { name: 'x', namespace: 'd' }, status };
  expect(health(object)?.status).toBe(wanted);
});
