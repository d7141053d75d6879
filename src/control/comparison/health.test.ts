import { expect, test } from 'vitest';
import { defaultSettings, type KubeObject, keyOf } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import type { ClusterCache } from '#control/live';
import { isSignificantChange, updateRules } from '#engine';
import { runHealthScripts, shippedHealthOnly } from './health.ts';
import { treeOf } from './tree.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const resources = {
  ...defaultSettings.resources,
  overrides: { 'example.io/Widget': { healthLua: "return { status = 'Healthy' }" } },
};
const settings = () => ({ ...defaultSettings, resources });

const object = (kind: string, name: string, more: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: 'example.io/v1',
  kind,
  ...more,
  metadata: { name, uid: name, ...more.metadata },
});
const ownedBy = (owner: string) => ({
  ownerReferences: [{ apiVersion: 'example.io/v1', kind: 'Widget', name: owner, uid: owner }],
});

/** Says of every Widget that it is Degraded, and remembers what it was asked. */
function fakeScripts() {
  const asked: string[] = [];
  return {
    asked,
    run: async () => undefined,
    judge: async (_ctx: Ctx, objects: Iterable<KubeObject>) => {
      for (const { metadata } of objects) asked.push(metadata.name);
      return ({ kind }: KubeObject) =>
        kind === 'Widget' ? { health: { status: 'Degraded' as const } } : undefined;
    },
  };
}

const seenIn = (cache: Pick<ClusterCache, 'get' | 'ownedBy'>) => ({
  app: { spec: { destination: {} } },
  destination: {
    cluster: { cache: { ...cache, inNamespace: () => [] } },
    project: { spec: {} },
    denies: () => undefined,
  },
});

test('what scripts say comes with how the settings want children judged', async () => {
  const scripts = fakeScripts();
  const health = await runHealthScripts(ctx, { settings, scripts }, [object('Widget', 'w')]);
  expect(health.child).toEqual({ mode: 'off' });
  expect(health.scripted?.(object('Widget', 'w'))).toEqual({ health: { status: 'Degraded' } });
});

test('H-11: everything in the tree is judged by its script, not only what is managed', async () => {
  const scripts = fakeScripts();
  const [root, child, grandchild] = [
    object('Widget', 'root'),
    object('Thing', 'child', { metadata: { name: 'child', ...ownedBy('root') } }),
    object('Widget', 'grandchild', { metadata: { name: 'grandchild', ...ownedBy('child') } }),
  ];
  const below: Record<string, KubeObject[]> = { root: [child], child: [grandchild] };
  const cache = {
    get: (key: string) => (key === keyOf(root) ? root : undefined),
    ownedBy: (uid: string) => below[uid] ?? [],
  };
  const { nodes } = await treeOf(ctx, { settings, scripts }, seenIn(cache), [
    { key: keyOf(root), live: root },
  ]);
  expect(scripts.asked).toEqual(['root', 'child', 'grandchild']);
  expect(nodes.map(({ name, health }) => [name, health?.status])).toEqual([
    ['root', 'Degraded'],
    ['child', undefined],
    ['grandchild', 'Degraded'],
  ]);
});

test('without scripts nobody gathers a tree to be judged', async () => {
  const scripts = fakeScripts();
  const root = object('Widget', 'root');
  const seen = seenIn({ get: () => root, ownedBy: () => [] });
  await treeOf(ctx, { settings: () => defaultSettings, scripts }, seen, [{ key: keyOf(root), live: root }]);
  expect(scripts.asked).toEqual([]);
});

test('R-13: whatever changes in an object that has a script may change its health', () => {
  const rules = updateRules(resources);
  const at = (kind: string, version: string): KubeObject =>
    object(kind, 'x', { status: { version }, metadata: { name: 'x', uid: 'x', resourceVersion: version } });
  const matters = (kind: string) =>
    isSignificantChange(at(kind, '1'), at(kind, '2'), {
      rules,
      health: shippedHealthOnly({ settings }),
      isTracked: true,
    });
  expect([matters('Widget'), matters('Gadget')]).toEqual([true, false]);
});
