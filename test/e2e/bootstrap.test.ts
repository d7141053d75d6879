import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Application, asKubeObject, parseTime } from '#base/model';
import { parse } from '#lang/yaml';
import { isSettled, type Plane, startPlane } from './in-process.ts';

// Seed 003 from its one manifest: examples/bootstrap, waves -1 to 6, the root and the control plane deploying themselves.
const folder = join(import.meta.dirname, '../../examples/bootstrap');
let plane: Plane;

const files = (): Record<string, string> => {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.yaml'),
  );
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  return Object.fromEntries(
    paths.map((path) => [path, read(path).replaceAll('https://git.example/platform.git', plane.url)]),
  );
};

beforeAll(async () => {
  plane = await startPlane();
  await plane.repository.commit(files());
});
afterAll(() => plane?.stop());

const allApps = async (): Promise<Application[]> => {
  const { items } = await plane.kube.list(plane.ctx, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    namespace: 'argocd',
  });
  return items as Application[];
};

const waveOf = ({ metadata }: Application): number | undefined => {
  const text = metadata.annotations?.['argocd.argoproj.io/sync-wave'];
  return text === undefined ? undefined : Number(text);
};

test('one manifest brings up the platform, wave after wave, and everything ends synced and healthy (X-1, X-5)', async () => {
  const root = files()['apps/root.yaml'] ?? '';
  await plane.apply(asKubeObject(parse(root), 'root.yaml'));
  const apps = await plane.until(
    'all are settled',
    allApps,
    (found) => found.length === 21 && found.every(isSettled),
  );
  const times = new Map<number, { begun: number; healthy: number }>();
  for (const app of apps) {
    const wave = waveOf(app);
    if (wave === undefined || wave < 0) continue;
    const begun = parseTime(app.metadata.creationTimestamp) ?? 0;
    const healthy = parseTime(app.status?.health?.lastTransitionTime) ?? 0;
    const { begun: b = begun, healthy: h = healthy } = times.get(wave) ?? {};
    times.set(wave, { begun: Math.min(b, begun), healthy: Math.max(h, healthy) });
  }
  expect([...times.keys()].toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  // none begins before every application of the one before is Healthy
  for (let wave = 1; wave <= 6; wave++)
    expect(times.get(wave)?.begun, `wave ${wave}`).toBeGreaterThanOrEqual(times.get(wave - 1)?.healthy ?? 0);
});

test('a change of a child is waited for before what comes after it moves (X-2)', async () => {
  const texts = files();
  const image = (name: string) => texts[`components/${name}/deployment.yaml`] ?? '';
  const path = (name: string) => (texts[`apps/${name}.yaml`] ?? '').replace(/path: .*/, `path: next/${name}`);
  await plane.repository.commit({
    'apps/cilium.yaml': path('cilium'),
    'apps/longhorn.yaml': path('longhorn'),
    'next/cilium/deployment.yaml': image('cilium').replace(':1.0', ':2.0'),
    'next/longhorn/deployment.yaml': image('longhorn').replace(':1.0', ':2.0'),
  });
  const moved = (app: Application) =>
    isSettled(app) && app.status?.sync?.comparedTo?.source?.path === `next/${app.metadata.name}`;
  const longhorn = await plane.untilApp('longhorn', 'moved', moved);
  const cilium = await plane.app('cilium');
  expect(moved(cilium)).toBe(true);
  const [first, second] = [cilium, longhorn].map((app) => app.status?.operationState?.startedAt ?? '');
  expect(
    (parseTime(second) ?? 0) >= (parseTime(cilium.status?.operationState?.finishedAt) ?? 0),
    `${first} ${second}`,
  ).toBe(true);
});

test('the root follows its own manifest, and is not woken by itself (R-16)', async () => {
  const root = (files()['apps/root.yaml'] ?? '').replace('limit: 5', 'limit: 7');
  await plane.repository.commit({ 'apps/root.yaml': root });
  const app = await plane.untilApp(
    'root',
    'as Git has it',
    (one) => one.spec.syncPolicy?.retry?.limit === 7 && isSettled(one),
  );
  const { resourceVersion } = app.metadata;
  await plane.pass(20_000);
  expect((await plane.app('root')).metadata.resourceVersion).toBe(resourceVersion);
});
