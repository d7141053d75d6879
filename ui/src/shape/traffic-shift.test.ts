import { expect, test } from 'vitest';
import type { TrafficService } from '#serve/api';
import {
  firstDraft,
  shiftVerbs,
  trafficRequest,
  unifiedLines,
  whyNotSplit,
  whyNotYet,
} from './traffic-shift.ts';

type TrafficRevision = TrafficService['revisions'][number];
const revision = (name: string, percent: number, more: Partial<TrafficRevision> = {}): TrafficRevision => ({
  name,
  createdAt: '2026-06-01T07:00:00Z',
  ready: 'True',
  isLatestReady: false,
  isLatestCreated: false,
  percent,
  declaredPercent: percent,
  tags: [],
  ...more,
});
const service = (more: Partial<TrafficService> = {}): TrafficService => ({
  name: 'web',
  namespace: 'shop',
  owner: 'git',
  ownerText: 'Git declares spec.traffic',
  ready: true,
  observed: true,
  revisions: [
    revision('web-2', 20, {
      isLatestCreated: true,
      isLatestReady: true,
      declaredPercent: 100,
      image: 'ghcr.io/acme/web:2',
      tags: [{ tag: 'candidate', url: 'http://candidate-web.shop.example.com' }],
    }),
    revision('web-1', 80, { declaredPercent: 0 }),
  ],
  live: [],
  may: { commit: true, override: true },
  ...more,
});

const whys = (more: Partial<TrafficService>) =>
  shiftVerbs(service(more)).map(({ label, shift, why }) => `${label} ${shift.to ?? ''}: ${why ?? 'yes'}`);

test('what can be done to the traffic, and why not', () => {
  expect(whys({ previousReady: 'web-1' })).toEqual([
    'Promote web-2: yes',
    'Roll back web-1: yes',
    'Split : yes',
  ]);
  expect(whys({})[1]).toBe('Roll back web-1: yes'); // no revision is older than the one that serves most
  expect(whys({ revisions: [revision('web-1', 100)] })).toEqual([
    'Promote web-1: The newest revision has all requests already.',
    'Roll back : No other revision is ready.',
    'Split : It has one revision only.',
  ]);
  expect(whys({ revisions: [revision('web-3', 0, { ready: 'False' })] })[0]).toMatch(/is not ready/);
  const denied = whys({ may: { commit: false, override: false } });
  expect(denied.every((why) => why.includes('You may not'))).toBe(true);
  // compat rollouts RK-1
  const moved = whys({ owner: 'rollout', ownerText: 'Rollout web moves the traffic by its steps' });
  expect(moved.every((why) => why.includes('Rollout web moves the traffic by its steps: promote or'))).toBe(
    true,
  );
});

test('a form opens with the present split, and by a commit where that is permitted', () => {
  const draft = firstDraft(service(), { action: 'split' });
  expect(draft).toMatchObject({ split: { 'web-2': 20, 'web-1': 80 }, mode: 'commit' });
  expect(whyNotYet(draft)).toBeUndefined();
  const denied = firstDraft(service({ may: { commit: false, override: true } }), {
    action: 'rollback',
    to: 'web-1',
  });
  expect(denied.mode).toBe('override');
  expect(whyNotYet(denied)).toMatch(/needs a reason/);
  expect(whyNotYet({ ...draft, split: { 'web-2': 20, 'web-1': 70 } })).toBe(
    'The shares add up to 90%, not 100%.',
  );
});

test.each<[Record<string, number>, RegExp]>([
  [{ a: 150, b: -50 }, /from 0 to 100/],
  [{ a: Number.NaN }, /whole number/],
  [{ a: 12.5, b: 87.5 }, /whole number/],
])('a split of %o', (split, why) => {
  expect(whyNotSplit(split)).toMatch(why);
});

test('what is requested: a split keeps tags, a commit its branch, an override its reason', () => {
  const draft = firstDraft(service(), { action: 'split' });
  const split = { 'web-2': 0, 'web-1': 100 };
  expect(trafficRequest(service(), { ...draft, split, branch: 'traffic/v2' })).toEqual({
    service: 'web',
    namespace: 'shop',
    action: 'split',
    targets: [
      { revision: 'web-2', percent: 0, tag: 'candidate' },
      { revision: 'web-1', percent: 100 },
    ],
    mode: 'commit',
    branch: 'traffic/v2',
  });
  const back = firstDraft(service(), { action: 'rollback', to: 'web-1' });
  expect(trafficRequest(service(), { ...back, mode: 'override', reason: 'errors', branch: 'x' })).toEqual({
    service: 'web',
    namespace: 'shop',
    action: 'rollback',
    to: 'web-1',
    mode: 'override',
    reason: 'errors',
  });
});

test('a rollback to what is offered is requested as previous-ready, any other by its name', () => {
  const offered = service({ previousReady: 'web-1' });
  const [, { shift } = { shift: { action: 'split' } as const }] = shiftVerbs(offered);
  const draft = firstDraft(offered, shift);
  expect(trafficRequest(offered, draft)).toMatchObject({ action: 'rollback', to: 'previous-ready' });
  expect(trafficRequest(offered, { ...draft, to: 'web-2' })).toMatchObject({ to: 'web-2' });
  expect(trafficRequest(offered, { ...draft, action: 'promote' })).toMatchObject({ to: 'web-1' });
});

test('a unified diff by lines, also where a line looks like its head', () => {
  const diff =
    '--- a/x.yaml\n+++ b/x.yaml\n@@ -3,3 +3,3 @@ spec:\n a: 1\n----\n-b: 2\n++++\n\\ No newline at end of file\n';
  expect(unifiedLines(diff)).toEqual([
    { sign: ' ', text: 'a: 1', before: 3, after: 3 },
    { sign: '-', text: '---', before: 4 },
    { sign: '-', text: 'b: 2', before: 5 },
    { sign: '+', text: '+++', after: 4 },
  ]);
});
