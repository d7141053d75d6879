import { describe, expect, test } from 'vitest';
import type { Application, ApplicationRollout, ApplicationSet, Condition, SetGenerator } from '#base/model';
import { healthOfSet, ownedApplications, ownedIn, setFacts, setNotices, setOf } from './application-set.ts';
import { sampleApplication } from './sample-application.ts';
import { inWords } from './set-generators.ts';
import { laneTally, rolloutLanes } from './set-rollout.ts';
import { healthInList, type SetStory, setSentence, setsSentence, setTrouble } from './set-sentence.ts';
import { textOf } from './span.ts';

const upToDate: Condition[] = [
  { type: 'ErrorOccurred', status: 'False' },
  { type: 'ParametersGenerated', status: 'True' },
  { type: 'ResourcesUpToDate', status: 'True' },
];
const failed = (message: string, isGenerated = false): Condition[] => [
  { type: 'ErrorOccurred', status: 'True', message, lastTransitionTime: '2026-03-18T14:02:00Z' },
  { type: 'ParametersGenerated', status: isGenerated ? 'True' : 'False', message },
  { type: 'ResourcesUpToDate', status: 'False', message },
];

function sampleSet(conditions: Condition[] = upToDate, rest: Partial<ApplicationSet> = {}): ApplicationSet {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'shop', namespace: 'argocd' },
    spec: { generators: [{ list: { elements: [{}, {}] } }, { clusters: {} }], template: {} },
    status: { conditions },
    ...rest,
  };
}

const owner = { apiVersion: 'argoproj.io/v1alpha1', kind: 'ApplicationSet', name: 'shop', uid: 'u' };

function owned(name: string, status: Application['status'] = {}): Application {
  const app = sampleApplication(status, {}, name);
  return { ...app, metadata: { ...app.metadata, ownerReferences: [{ ...owner, controller: true }] } };
}

const steps = [
  { matchExpressions: [{ key: 'env', operator: 'In' as const, values: ['dev', 'test'] }] },
  { matchExpressions: [{ key: 'env', operator: 'In' as const, values: ['prod'] }], maxUpdate: '25%' },
  { maxUpdate: 0 },
];
const entry = (
  application: string,
  step: string,
  status: ApplicationRollout['status'],
): ApplicationRollout => ({
  application,
  step,
  status,
});
const rollout = (...applicationStatus: ApplicationRollout[]): ApplicationSet =>
  sampleSet([...upToDate, { type: 'RolloutProgressing', status: 'True' }], {
    spec: { generators: [], template: {}, strategy: { type: 'RollingSync', rollingSync: { steps } } },
    status: {
      conditions: [...upToDate, { type: 'RolloutProgressing', status: 'True' }],
      applicationStatus,
    },
  });
const halfway = rollout(
  entry('dev', '1', 'Healthy'),
  entry('eu', '2', 'Waiting'),
  entry('us', '2', 'Progressing'),
  entry('last', '3', 'Waiting'),
  entry('stray', '-1', 'Waiting'),
);

const story = (set: ApplicationSet, apps: Application[] = [owned('a'), owned('b')]): SetStory => ({
  set,
  apps,
  now: Date.parse('2026-03-18T15:00:00Z'),
  zone: 'UTC',
});
const sentence = (set: ApplicationSet, apps?: Application[]) => textOf(setSentence(story(set, apps)));

const deleted = { name: 'shop', namespace: 'argocd', deletionTimestamp: '2026-03-18T14:02:00Z' };
const oneGenerator = { generators: [{ clusters: {} }], template: {} };

describe('the sentence of a set', () => {
  test.each<[string, ApplicationSet, Application[] | undefined]>([
    ['shop generates 2 applications from 2 generators; all are up to date.', sampleSet(), undefined],
    [
      'shop generates 1 application from 1 generator; it is up to date.',
      sampleSet(upToDate, { spec: oneGenerator }),
      [owned('a')],
    ],
    [
      'shop generates 12 applications from 2 generators; all are up to date.',
      sampleSet(upToDate, { status: { conditions: upToDate, resourcesCount: 12 } }),
      undefined,
    ],
    [
      'shop generates 2 applications from 2 generators: 1 needs attention and 1 is out of sync.',
      sampleSet(),
      [owned('a', { health: { status: 'Degraded' } }), owned('b', { sync: { status: 'OutOfSync' } })],
    ],
    [
      'shop generates 2 applications from 2 generators; not all of it is up to date yet.',
      sampleSet([{ type: 'ResourcesUpToDate', status: 'False' }]),
      undefined,
    ],
    ['shop generates no applications: nothing matches its 2 generators.', sampleSet(), []],
    ['shop is new: its generators have not been evaluated yet.', sampleSet([]), []],
    [
      'shop cannot be evaluated: “repository not found” since 14:02.',
      sampleSet(failed('error generating params from git: failed to list folders: repository not found')),
      undefined,
    ],
    [
      'shop cannot apply what it generates: “application b is already owned by ApplicationSet bank” since 14:02.',
      sampleSet(failed('application b is already owned by ApplicationSet bank', true)),
      undefined,
    ],
    [
      'shop cannot be evaluated: “spec.generators is a string”, and 1 more.',
      sampleSet([], { unreadable: ['spec.generators is a string', 'spec.template is a list'] }),
      [],
    ],
    ['shop is rolling out step 2 of 3: waiting for us and 1 more.', halfway, undefined],
    [
      'shop is rolling out step 3 of 3: waiting for last, which is Waiting.',
      rollout(entry('dev', '1', 'Healthy'), entry('last', '3', 'Waiting')),
      undefined,
    ],
    [
      'shop is being deleted since 14:02: 2 applications of it are left.',
      sampleSet(failed('x'), { metadata: deleted }),
      undefined,
    ],
    [
      'shop is being deleted since 14:02: nothing of it is left.',
      sampleSet(upToDate, { metadata: deleted }),
      [],
    ],
  ])('is %s', (words, set, apps) => {
    expect(sentence(set, apps)).toBe(words);
  });

  test('leads to what it names, on the page of the set', () => {
    const spans = setSentence(story(sampleSet(), [owned('a', { health: { status: 'Degraded' } })]));
    const addresses = spans.flatMap(({ target }) => (target?.to === 'address' ? [target.address] : []));
    expect(addresses).toEqual([
      '/applicationsets/argocd/shop',
      '/applicationsets/argocd/shop',
      '/applicationsets/argocd/shop?view=generators',
      '/applicationsets/argocd/shop?attention=yes',
    ]);
  });
});

describe('the list of sets', () => {
  test('opens with what is wrong, or with what there is', () => {
    expect(textOf(setsSentence([story(sampleSet())]))).toBe(
      '1 set generates 2 applications; all are up to date.',
    );
    expect(textOf(setsSentence([story(sampleSet(failed('x'))), story(halfway), story(sampleSet())]))).toBe(
      'Of 3 sets, 1 cannot be evaluated or applied and 1 is rolling out.',
    );
    expect(textOf(setsSentence([story(sampleSet([])), story(sampleSet())]))).toBe(
      'Of 2 sets, 1 is not up to date yet.',
    );
  });

  test('does not call applications up to date that need attention on the page of their set', () => {
    const sick = [
      owned('a', { health: { status: 'Degraded' } }),
      owned('b', { sync: { status: 'OutOfSync' } }),
    ];
    const one = story(sampleSet(), sick);
    const words = '1 needs attention and 1 is out of sync';
    expect(textOf(setsSentence([one]))).toBe(`1 set generates 2 applications: ${words}.`);
    expect(textOf(setsSentence([one, story(sampleSet(failed('x')))]))).toBe(
      `Of 2 sets, 1 cannot be evaluated or applied; of 4 applications, ${words}.`,
    );
    expect(setTrouble(one)).toBe(words);
    expect(healthInList(one)).toBe('Degraded');
    expect(healthInList(story(sampleSet()))).toBe('Healthy');
    expect(healthInList(story(sampleSet(), []))).toBe('Healthy');
  });

  test('says of each what needs attention', () => {
    expect(setTrouble(story(sampleSet()))).toBe('');
    expect(setTrouble(story(sampleSet(failed('x'))))).toBe('cannot be evaluated: “x” since 14:02');
    expect(setTrouble(story(sampleSet(), [owned('a', { health: { status: 'Degraded' } })]))).toBe(
      '1 needs attention',
    );
  });
});

test('the controller reference decides which set an application belongs to, in its own namespace', () => {
  const mine = owned('a');
  const [reference] = mine.metadata.ownerReferences ?? [];
  const elsewhere = { ...mine, metadata: { ...mine.metadata, namespace: 'team' } };
  const notController = owned('b');
  notController.metadata.ownerReferences = [owner];
  const otherGroup = owned('c');
  otherGroup.metadata.ownerReferences = [{ ...owner, ...reference, apiVersion: 'example.com/v1' }];
  expect(setOf(mine)).toEqual({ namespace: 'argocd', name: 'shop' });
  expect([notController, otherGroup, sampleApplication()].map(setOf)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  const all = ownedApplications([mine, elsewhere, notController, otherGroup]);
  expect(ownedIn(all, sampleSet())).toEqual([mine]);
  expect(
    ownedIn(all, sampleSet(upToDate, { metadata: { name: 'constructor', namespace: 'argocd' } })),
  ).toEqual([]);
});

test('health is what the set reports, or what its conditions amount to', () => {
  expect(healthOfSet(sampleSet())).toBe('Healthy');
  expect(healthOfSet(sampleSet(failed('x')))).toBe('Degraded');
  expect(healthOfSet(halfway)).toBe('Progressing');
  expect(healthOfSet(sampleSet([]))).toBe('Progressing');
  expect(healthOfSet(sampleSet(upToDate, { status: { health: { status: 'Degraded' } } }))).toBe('Degraded');
});

describe('notices', () => {
  test('are what the sentence leaves out, and nothing while all is well', () => {
    expect(setNotices(sampleSet())).toEqual([]);
    expect(setNotices(sampleSet(failed('repository not found.')))).toEqual([]);
    for (const message of ['x'.repeat(300), 'first line\nsecond line'])
      expect(setNotices(sampleSet(failed(message)))).toEqual([{ title: 'Error', message, tone: 'bad' }]);
    const conditions = [
      ...failed('failed to fetch: no route'),
      { type: 'InvalidRolloutConfig', status: 'True', message: 'step 2 has no operator' },
      { type: 'ConfigurationWarning', status: 'True', message: 'one thing; another' },
    ];
    expect(setNotices(sampleSet(conditions))).toEqual([
      { title: 'Error', message: 'failed to fetch: no route', tone: 'bad' },
      { title: 'Steps', message: 'step 2 has no operator', tone: 'bad' },
      { title: 'Warning', message: 'one thing; another', tone: 'warn' },
    ]);
  });
});

describe('generators in words', () => {
  const git = { repoURL: 'https://git.example.com/shop/deploy.git', directories: [{ path: 'apps/*' }] };
  test.each<[SetGenerator, string]>([
    [{ list: { elements: [{}, {}, {}] } }, 'a list of 3'],
    [{ list: { elementsYaml: '{{ x }}' } }, 'a list made by a template'],
    [{ clusters: {} }, 'every cluster'],
    [{ clusters: { selector: { matchLabels: { env: 'prod' } } } }, 'clusters with env=prod'],
    [{ git }, 'folders apps/* of git.example.com/shop/deploy'],
    [
      { git: { ...git, files: [{ path: 'a.json' }, { path: 'b.json' }], revision: 'v1' } },
      'files a.json and 1 more of git.example.com/shop/deploy at v1',
    ],
    [{ scmProvider: { github: { organization: 'shop' } } }, 'repositories of GitHub shop'],
    [{ pullRequest: { gitlab: { project: 42 } } }, 'pull requests of GitLab'],
    [{ pullRequest: { github: { owner: 'shop', repo: 'web' } } }, 'pull requests of GitHub shop/web'],
    [
      { matrix: { generators: [{ git }, { clusters: {} }] } },
      'folders apps/* of git.example.com/shop/deploy × every cluster',
    ],
    [
      { merge: { generators: [{ clusters: {} }, { list: {} }], mergeKeys: ['server'] } },
      'every cluster merged with a list of 0 by server',
    ],
    [{ plugin: { configMapRef: { name: 'mine' } } }, 'plugin mine'],
    [{ clusterDecisionResource: { configMapRef: 'decisions' } }, 'clusters chosen by decisions'],
    [{ list: {}, selector: { matchLabels: { a: 'b' } } }, 'a list of 0, where a=b'],
    [{}, 'a generator of no known kind'],
  ])('%j', (generator, words) => {
    expect(inWords(generator)).toBe(words);
  });

  test('stand among the facts, with the policy and the rollout', () => {
    expect(setFacts(sampleSet()).map(({ label, value, note }) => [label, value, note])).toEqual([
      ['Generators', 'a list of 2', 'every cluster'],
      ['Template', 'no source', undefined],
      ['Project', 'default', 'namespace argocd'],
      ['Policy', 'creates, updates and deletes', undefined],
      ['Rollout', 'all at once', undefined],
    ]);
    expect(setFacts(halfway)[4]?.value).toBe('in 3 steps');
  });
});

test('steps are lanes: what is done, what runs with the unfinished first, what waits, and what no step selects', () => {
  const lanes = rolloutLanes(halfway);
  expect(lanes.map((lane) => [lane.title, lane.state, laneTally(lane), lane.selects])).toEqual([
    ['Step 1', 'done', '1 application, all healthy', 'env in (dev,test)'],
    ['Step 2', 'current', '0 of 2 healthy', 'env in (prod); 25% at once'],
    ['Step 3', 'blocked', '0 of 1 healthy', 'every application; none by itself: sync each by hand'],
    [
      'No step',
      'blocked',
      '0 of 1 healthy',
      'selected by no step: the set updates these and never syncs them',
    ],
  ]);
  expect(lanes[1]?.entries.map(({ application }) => application)).toEqual(['us', 'eu']);
  expect(rolloutLanes(rollout()).map(({ state }) => state)).toEqual(['done', 'done', 'done']);
});
