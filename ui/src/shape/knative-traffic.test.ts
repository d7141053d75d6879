import { expect, test } from 'vitest';
import type { TrafficService } from '#serve/api';
import { entryText, trafficLines, trafficSentence } from './knative-traffic.ts';

type Revision = TrafficService['revisions'][number];
const now = Date.parse('2026-06-01T08:00:00Z');
const revision = (name: string, more: Partial<Revision> = {}): Revision => ({
  name,
  createdAt: '2026-06-01T07:30:00Z',
  ready: 'True',
  isLatestReady: false,
  isLatestCreated: false,
  image: 'ghcr.io/acme/web:30',
  percent: 0,
  declaredPercent: 0,
  tags: [],
  ...more,
});
const candidate = { tag: 'candidate', url: 'http://candidate-web.shop.example.com' };
const newest = revision('web-2', {
  ...{ isLatestCreated: true, isLatestReady: true, percent: 20, declaredPercent: 100, tags: [candidate] },
});
const old = revision('web-1', { percent: 80, declaredPercent: 80, createdAt: '' });

test('each revision has what people call it, its share, and the declared one where that is another', () => {
  expect(trafficLines({ revisions: [newest, old] }, now)).toEqual([
    {
      name: 'web-2',
      health: 'Healthy',
      words: ['newest'],
      image: 'web:30',
      age: '30 min ago',
      percent: 20,
      wanted: 100,
      tags: [candidate],
    },
    { name: 'web-1', health: 'Healthy', words: [], image: 'web:30', age: '', percent: 80, tags: [] },
  ]);
});

test('the latest ready revision is named where a newer one is not ready', () => {
  const failed = revision('web-3', { isLatestCreated: true, ready: 'False', message: 'Container failed' });
  const ready = revision('web-2', { isLatestReady: true });
  expect(trafficLines({ revisions: [failed, ready] }, now)).toMatchObject([
    { words: ['newest'], health: 'Degraded', message: 'Container failed' },
    { words: ['latest ready'], health: 'Healthy' },
  ]);
});

test('an address that a browser must not open is no link', () => {
  const tagged = revision('web-3', { tags: [{ tag: 'x', url: 'javascript:alert(1)' }] });
  expect(trafficLines({ revisions: [tagged] }, now)[0]?.tags).toEqual([{ tag: 'x' }]);
});

test.each<[Partial<TrafficService>, string]>([
  [{}, 'Requests go to web-2 20%, web-1 80%.'],
  [{ revisions: [] }, 'Requests go nowhere yet.'],
  [{ observed: false }, 'Requests go to web-2 20%, web-1 80%; Knative has not seen the last change yet.'],
  [
    { ready: false, rollout: { inProgress: true, text: 'web-2 20%, web-1 80%' } },
    'Requests go to web-2 20%, web-1 80%; a gradual rollout is in progress, and Knative moves the shares by itself.',
  ],
  [
    { ready: false, message: 'Revision "web-3" failed.' },
    'Requests go to web-2 20%, web-1 80%, and the Service is not ready: Revision "web-3" failed.',
  ],
])('the traffic in one sentence', (more, sentence) => {
  expect(trafficSentence({ revisions: [newest, old], ready: true, observed: true, ...more })).toBe(sentence);
});

test.each([
  [{ revisionName: 'web-1', percent: 90 }, 'web-1 90%'],
  [{ latestRevision: true, percent: 10, tag: 'candidate' }, 'the latest ready revision 10% as candidate'],
  [{ tag: 'old', revisionName: 'web-0' }, 'web-0 0% as old'],
])('an entry of a split', (entry, text) => {
  expect(entryText(entry)).toBe(text);
});
