import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { isHook } from '#engine';
import { allFiles, documents, manifest, manifests } from './documents.ts';
import { application, Installation, run } from './installation.ts';

// every manifest the users' documents print, through a whole round: compared, planned, synced, compared again
const files = allFiles().filter((file) => manifests(file).length > 0);

test('the documents are restored, and every file of them can be read', () => {
  expect(allFiles().length).toBeGreaterThan(100);
  for (const file of allFiles()) expect(documents(file).length, file).toBeGreaterThan(0);
});

test.each(files)('%s is new, is synced, and is in sync then (X-35)', (file) => {
  const installation = new Installation(application(), manifests(file));
  const declared = manifests(file).filter((object) => !isHook(object));
  const before = installation.compare();
  expect(before.status).toBe(declared.length > 0 ? 'OutOfSync' : 'Synced');
  expect(before.health.status).toBe(declared.length > 0 ? 'Missing' : 'Healthy');
  expect(run(installation).at(-1)).toBe('Succeeded');
  const after = installation.compare();
  expect(after.conditions).toEqual([]);
  expect(after.status).toBe('Synced');
});

test('a field of another product in the wrong place is applied as written, and seen to be gone (X-49)', () => {
  const rollout = manifest('002/rollout-analysis.yaml');
  const installation = new Installation(application(), [rollout]);
  const step = installation.next();
  const applied = step.do === 'apply' ? step.groups.flat()[0]?.target : undefined;
  expect(applied?.spec).toEqual(rollout.spec);
  installation.take(step);
  // its schema knows the field for blueGreen alone, so the server drops it
  for (const [key, live] of installation.live) installation.live.set(key, withoutAutoPromotion(live));
  const { status, resources } = installation.compare();
  expect(status).toBe('OutOfSync');
  expect(resources[0]?.diff.fields.map(({ path }) => path)).toEqual([
    '/spec/strategy/canary/autoPromotionEnabled',
  ]);
});

function withoutAutoPromotion(live: KubeObject): KubeObject {
  const copy = structuredClone(live) as KubeObject<{ strategy: { canary: Record<string, unknown> } }>;
  delete copy.spec?.strategy.canary.autoPromotionEnabled;
  return copy;
}
