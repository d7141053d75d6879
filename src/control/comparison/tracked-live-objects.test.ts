import { expect, test } from 'vitest';
import { defaultSettings, type KubeObject, keyOf, type ResourceFilter } from '#base/model';
import { trackedLiveObjects } from './tracked-live-objects.ts';

const object = (kind: string, name: string): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'shop' },
});
const secrets: ResourceFilter = { apiGroups: [''], kinds: ['Secret'], clusters: ['https://far.example'] };

test('what the settings exclude is not held any more, although the cache has not let go of it yet (T-15)', () => {
  const all = [object('ConfigMap', 'a'), object('Secret', 's')];
  const cache = {
    trackedBy: () => all,
    get: (key: string) => all.find((one) => keyOf(one) === key),
  };
  const { resources } = defaultSettings;
  const context = {
    settings: () => ({ ...defaultSettings, resources: { ...resources, exclusions: [secrets] } }),
  };
  const kindsAt = (server: string) =>
    trackedLiveObjects(context, { cache, server }, 'shop', all).map(({ kind }) => kind);
  expect(kindsAt('https://far.example')).toEqual(['ConfigMap']);
  expect(kindsAt('https://near.example')).toEqual(['ConfigMap', 'Secret']);
});
