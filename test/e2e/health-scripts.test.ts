import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application } from '#base/model';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';

// Lua in argocd-cm decides about health from the moment it is there, and whatever it does stays where it is.
let fairlead: Fairlead;

const names = ['calm', 'wild'];

beforeAll(async () => {
  fairlead = await startFairlead();
  for (const name of names) mkdirSync(join(fairlead.demo, `scripts/${name}`), { recursive: true });
  const manifest = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
  await fairlead.commit(
    Object.fromEntries(names.map((name) => [`scripts/${name}/cm.yaml`, manifest(name)])),
    'two small applications',
  );
  for (const name of names) {
    await fairlead.apply(application(name));
    await fairlead.until(name, 'synced and healthy', isSettled);
  }
});

afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

const application = (name: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    source: { repoURL: `file://${fairlead.demo}`, targetRevision: 'HEAD', path: `scripts/${name}` },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
    syncPolicy: { automated: {} },
  },
});

async function configure(script: string): Promise<void> {
  const data = { 'resource.customizations.health.ConfigMap': script };
  const patch = ['patch', 'configmap', 'argocd-cm', '-n', 'argocd', '--type=merge'];
  expect(await fairlead.kubectl(...patch, '-p', JSON.stringify({ data }))).toMatchObject({ code: 0 });
}

/** Nobody asks for a look: the settings that changed do. */
const becomes = (name: string, code: string): Promise<Application> =>
  fairlead.until(name, code, ({ status }) => status?.health?.status === code);

test('H-21: a script put into argocd-cm decides at once, without a restart or a refresh', async () => {
  await configure("return { status = 'Degraded', message = obj.metadata.name .. ' lacks a quorum' }");
  const { status } = await becomes('calm', 'Degraded');
  expect(status?.resources?.[0]?.health).toEqual({ status: 'Degraded', message: 'calm lacks a quorum' });
  expect(status?.conditions ?? []).toEqual([]);
});

test('H-3, H-24: an endless loop is told on its own application, and the other goes on as if nothing were', async () => {
  await configure(`if obj.metadata.name == 'wild' then while true do end end
    return { status = 'Suspended' }`);
  const begun = performance.now();
  await becomes('calm', 'Suspended');
  expect(performance.now() - begun).toBeLessThan(10_000);
  const { status } = await becomes('wild', 'Unknown');
  expect(status?.resources?.[0]?.health?.message).toMatch('the script took longer than 1000 ms');
  const told = status?.conditions?.map(({ type, message }) => `${type}: ${message}`);
  expect(told?.join()).toMatch(/ComparisonError: .*the script took longer than 1000 ms/);
});

test('once the script is gone, so is what it said', async () => {
  const patch = { data: { 'resource.customizations.health.ConfigMap': null } };
  await fairlead.kubectl(
    'patch',
    'configmap',
    'argocd-cm',
    '-n',
    'argocd',
    '--type=merge',
    '-p',
    JSON.stringify(patch),
  );
  for (const name of names) await becomes(name, 'Healthy');
});
