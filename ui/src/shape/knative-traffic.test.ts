import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import {
  entryText,
  type TrafficFacts,
  trafficFacts,
  trafficLines,
  trafficSentence,
} from './knative-traffic.ts';

const now = Date.parse('2026-06-01T08:00:00Z');
const revision = (name: string, minute: string, status = 'True', message = ''): KubeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Revision',
  metadata: { name, creationTimestamp: `2026-06-01T07:${minute}:00Z` },
  spec: { containers: [{ image: `ghcr.io/acme/web:${minute}` }] },
  status: { conditions: [{ type: 'Ready', status, ...(message && { message }) }] },
});
const service = (traffic: object[] | undefined, status: object = {}): KubeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop', generation: 3 },
  spec: { ...(traffic && { traffic }) },
  status: {
    observedGeneration: 3,
    url: 'http://web.shop.example.com',
    latestCreatedRevisionName: 'web-2',
    latestReadyRevisionName: 'web-2',
    conditions: [{ type: 'Ready', status: 'True' }],
    traffic: [
      { revisionName: 'web-2', percent: 20, latestRevision: true },
      { revisionName: 'web-1', percent: 80 },
      { revisionName: 'web-2', tag: 'candidate', url: 'http://candidate-web.shop.example.com' },
    ],
    ...status,
  },
});
const revisions = [revision('web-1', '10'), revision('web-2', '30')];
const facts = (traffic?: object[], status?: object): TrafficFacts =>
  trafficFacts(service(traffic, status), revisions);

test('revisions, newest first, with the share that each has and the one that is declared', () => {
  const [newest, old] = trafficLines(facts([{ latestRevision: true, percent: 100 }]), now);
  expect(newest).toEqual({
    name: 'web-2',
    health: 'Healthy',
    words: ['newest'],
    image: 'web:30',
    age: '30 min ago',
    percent: 20,
    wanted: 100,
    tags: [{ tag: 'candidate', url: 'http://candidate-web.shop.example.com' }],
  });
  expect(old).toMatchObject({ name: 'web-1', words: [], percent: 80, wanted: 0, tags: [] });
});

test('without a declared split the latest ready revision is to have everything', () => {
  const status = { traffic: [{ revisionName: 'web-2', percent: 100 }] };
  expect(trafficLines(facts(undefined, status), now).map((line) => [line.percent, line.wanted])).toEqual([
    [100, undefined],
    [0, undefined],
  ]);
});

test('a revision that is not ready says why, and an address that a browser must not open is no link', () => {
  const broken = trafficFacts(
    service(undefined, { traffic: [{ revisionName: 'web-3', tag: 'x', url: 'javascript:alert(1)' }] }),
    [revision('web-3', '40', 'False', 'Container failed')],
  );
  expect(trafficLines(broken, now)[0]).toMatchObject({
    health: 'Degraded',
    message: 'Container failed',
    tags: [{ tag: 'x' }],
  });
});

const split = [
  { revisionName: 'web-1', percent: 80 },
  { revisionName: 'web-2', percent: 20 },
];

test.each<[object, string]>([
  [{}, 'Requests go to web-2 20%, web-1 80%.'],
  [{ traffic: [] }, 'Requests go nowhere yet.'],
  [
    { observedGeneration: 2 },
    'Requests go to web-2 20%, web-1 80%; Knative has not seen the last change yet.',
  ],
  [
    { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'RolloutInProgress' }] },
    'Requests go to web-2 20%, web-1 80%; a gradual rollout is on its way: Knative moves the shares by itself.',
  ],
  [
    { conditions: [{ type: 'Ready', status: 'False', message: 'Revision "web-3" failed.' }] },
    'Requests go to web-2 20%, web-1 80%, and the Service is not ready: Revision "web-3" failed.',
  ],
])('the traffic in one sentence', (status, sentence) => {
  expect(trafficSentence(facts(split, status))).toBe(sentence);
});

test.each([
  [{ revisionName: 'web-1', percent: 90 }, 'web-1 90%'],
  [{ latestRevision: true, percent: 10, tag: 'candidate' }, 'the latest ready revision 10% as candidate'],
  [{ tag: 'old', revisionName: 'web-0' }, 'web-0 0% as old'],
])('an entry of a split', (entry, text) => {
  expect(entryText(entry)).toBe(text);
});
