import { expect, test } from 'vitest';
import { resolveTraffic, serviceFacts, type TrafficIntent } from './index.ts';

const revision = (name: string, at: number, ready: 'True' | 'False' | 'Unknown' = 'True') => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Revision',
  metadata: {
    name,
    namespace: 'n',
    creationTimestamp: `2026-01-0${at}T00:00:00Z`,
    labels: { 'serving.knative.dev/service': 'shop' },
  },
  spec: { containers: [{ image: `shop:${name}` }] },
  status: {
    conditions: [{ type: 'Ready', status: ready, ...(ready !== 'True' && { message: 'ErrImagePull' }) }],
  },
});

const service = serviceFacts(
  {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: { name: 'shop', namespace: 'n', generation: 2 },
    spec: { traffic: [{ revisionName: 'v2', percent: 100 }] },
    status: {
      url: 'http://shop.n',
      observedGeneration: 2,
      latestReadyRevisionName: 'v3',
      conditions: [{ type: 'Ready', status: 'Unknown', reason: 'RolloutInProgress' }],
      traffic: [
        { revisionName: 'v2', percent: 70 },
        { revisionName: 'v3', percent: 30, tag: 'candidate', url: 'http://candidate' },
      ],
    },
  },
  [
    revision('v1', 1),
    revision('bad', 2, 'False'),
    revision('v2', 3),
    revision('v3', 4),
    { ...revision('foreign', 5), metadata: { name: 'foreign', namespace: 'n' } },
  ],
);

test('the facts of a Service: the newest revision first, shares, tags, and a rollout in progress', () => {
  expect(
    service.revisions.map(({ name, percent, declaredPercent }) => [name, percent, declaredPercent]),
  ).toEqual([
    ['v3', 30, 0],
    ['v2', 70, 100],
    ['bad', 0, 0],
    ['v1', 0, 0],
  ]);
  expect(service).toMatchObject({
    url: 'http://shop.n',
    isObserved: true,
    rollout: 'v2 70%, v3 30%',
    isReady: false,
  });
  expect(service.revisions[0]).toMatchObject({
    tags: [{ tag: 'candidate', url: 'http://candidate' }],
    image: 'shop:v3',
  });
});

const candidate = [
  { revisionName: 'v2', percent: 100 },
  { revisionName: 'v3', percent: 0, tag: 'candidate' },
];
const cases: readonly (readonly [
  what: string,
  intent: TrafficIntent,
  traffic: typeof candidate,
  expected: unknown[],
])[] = [
  [
    'the candidate is promoted and loses its tag',
    { action: 'promote' },
    candidate,
    [{ revisionName: 'v3', percent: 100 }],
  ],
  [
    'a canary step keeps the tag and leaves the rest',
    { action: 'promote', percent: 20 },
    candidate,
    [
      { revisionName: 'v3', percent: 20, tag: 'candidate' },
      { revisionName: 'v2', percent: 80 },
    ],
  ],
  [
    'the rest of three is shared in proportion and adds up',
    { action: 'promote', to: 'v3', percent: 10 },
    [
      { revisionName: 'v1', percent: 33 },
      { revisionName: 'v2', percent: 33 },
      { revisionName: 'v3', percent: 34 },
    ],
    [
      { revisionName: 'v3', percent: 10 },
      { revisionName: 'v1', percent: 45 },
      { revisionName: 'v2', percent: 45 },
    ],
  ],
  [
    'a rollback goes to the newest ready revision before, past one that failed',
    { action: 'rollback' },
    [{ revisionName: 'v2', percent: 100 }],
    [{ revisionName: 'v1', percent: 100 }],
  ],
  [
    'an old revision keeps its tag, and with it its URL',
    { action: 'promote', to: 'v3' },
    [{ revisionName: 'v2', percent: 100, tag: 'stable' }],
    [
      { revisionName: 'v3', percent: 100 },
      { revisionName: 'v2', percent: 0, tag: 'stable' },
    ],
  ],
  [
    'latest is not pinned',
    { action: 'promote', to: 'latest' },
    candidate,
    [{ latestRevision: true, percent: 100 }],
  ],
  [
    'a split is as given',
    {
      action: 'split',
      targets: [
        { revision: 'v2', percent: 60 },
        { revision: 'candidate', percent: 40, tag: 'next' },
      ],
    },
    candidate,
    [
      { revisionName: 'v2', percent: 60 },
      { revisionName: 'v3', percent: 40, tag: 'next' },
    ],
  ],
];
test.each(cases)('%s', (_what, intent, traffic, expected) => {
  expect(resolveTraffic(intent, { service, traffic }).traffic).toEqual(expected);
});

test('words are recorded beside the name that they were resolved to', () => {
  const { intent, sentence } = resolveTraffic(
    { action: 'rollback' },
    { service, traffic: [{ latestRevision: true, percent: 100 }] },
  );
  expect(intent).toBe('previous-ready');
  expect(sentence).toBe('roll back to v2, the newest ready revision before v3');
});

const floating = [{ latestRevision: true, percent: 100 }];
const pinned = 'later commits get none until one is promoted; promote latest to follow them again';

test.each<[string, TrafficIntent, readonly { revisionName?: string; percent: number }[], string | undefined]>(
  [
    [
      'a rollback from the latest one',
      { action: 'rollback' },
      floating,
      `traffic stays with v2 from now on: ${pinned}`,
    ],
    [
      'where there was no split',
      { action: 'promote', to: 'v3' },
      [],
      `traffic stays with v3 from now on: ${pinned}`,
    ],
    [
      'a split between names',
      {
        action: 'split',
        targets: [
          { revision: 'v1', percent: 40 },
          { revision: 'v2', percent: 60 },
        ],
      },
      floating,
      `traffic stays with v1, v2 from now on: ${pinned}`,
    ],
    ['one pin instead of another', { action: 'rollback' }, candidate, undefined],
    ['the latest one again', { action: 'promote', to: 'latest' }, candidate, undefined],
    [
      'a step that leaves the latest one its share',
      { action: 'promote', to: 'v2', percent: 10 },
      floating,
      undefined,
    ],
  ],
)('a pin where new revisions got traffic is warned of: %s', (_what, intent, traffic, warning) => {
  expect(resolveTraffic(intent, { service, traffic }).warnings).toEqual(warning ? [warning] : []);
});

const refused: readonly (readonly [what: string, intent: TrafficIntent, why: RegExp])[] = [
  [
    'a revision that is not there',
    { action: 'promote', to: 'v9' },
    /has no revision or tag "v9"; there are v3, v2, bad, v1/,
  ],
  ['one that failed', { action: 'promote', to: 'bad' }, /revision bad is not ready: ErrImagePull/],
  [
    'the first one rolled back',
    { action: 'rollback', to: 'previous-ready', percent: 10 },
    /takes all traffic/,
  ],
  [
    'a name with a line end',
    { action: 'promote', to: 'v2\nkind: Secret' },
    /has no revision or tag "v2\\nkind/,
  ],
  ['a tag with a line end', { action: 'promote', to: 'v3', tag: 'a\nb' }, /"a\\nb" is no tag/],
  ['99%', { action: 'split', targets: [{ revision: 'v2', percent: 99 }] }, /add up to 99/],
  [
    'a tag twice',
    {
      action: 'split',
      targets: [
        { revision: 'v2', percent: 50, tag: 'a' },
        { revision: 'v3', percent: 50, tag: 'a' },
      ],
    },
    /tag a is given to two/,
  ],
];
test.each(refused)('%s is refused', (_what, intent, why) => {
  expect(() => resolveTraffic(intent, { service, traffic: candidate })).toThrow(why);
});
