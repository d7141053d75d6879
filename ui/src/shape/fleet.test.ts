import { describe, expect, test } from 'vitest';
import type { Application, ApplicationStatus } from '#base/model';
import { arrange, clusterOf, facetsOf, filterOf, isNarrowed } from './application-filter.ts';
import { fleetSentence, stripOf, tallyOf } from './fleet.ts';
import { sampleApplication, sampleOperation, sampleRun } from './sample-application.ts';
import { textOf } from './span.ts';

const app = (name: string, status: ApplicationStatus = {}, project = 'shop') =>
  sampleApplication(status, { project }, name);
const degraded = { health: { status: 'Degraded' as const } };
const drifted = { sync: { status: 'OutOfSync' as const } };
const running = { operationState: sampleRun() };

const sentence = (...apps: Application[]) => textOf(fleetSentence(tallyOf(apps)));

describe('the sentence over the list', () => {
  test.each([
    [[app('a')], 'The one application is healthy and in sync.'],
    [[app('a'), app('b')], 'All 2 applications are healthy and in sync.'],
    [[app('a'), app('b', degraded)], 'Of 2 applications, 1 needs attention.'],
    [
      [app('a', drifted), app('b', degraded), app('c', degraded)],
      'Of 3 applications, 2 need attention and 1 is out of sync.',
    ],
    [
      [app('a', drifted), app('b', degraded), app('c', running), app('d', running)],
      'Of 4 applications, 1 needs attention, 1 is out of sync and 2 are syncing.',
    ],
    [
      [app('a', { operationState: sampleOperation({ phase: 'Failed' }) })],
      'Of 1 application, 1 needs attention.',
    ],
  ])('is %#', (apps, words) => {
    expect(sentence(...apps)).toBe(words);
  });
});

test('the strip counts states, worst first, and an application without a status is Unknown', () => {
  const { health, sync } = stripOf([app('a'), app('b', degraded), app('c'), { ...app('d'), status: {} }]);
  expect(health.map(({ code, count, share }) => [code, count, share])).toEqual([
    ['Degraded', 1, 0.25],
    ['Unknown', 1, 0.25],
    ['Healthy', 2, 0.5],
  ]);
  expect(sync.map(({ code }) => code)).toEqual(['Unknown', 'Synced']);
});

const names = (apps: Application[], query: string) =>
  arrange(apps, filterOf(new URLSearchParams(query))).flatMap(({ apps: found }) =>
    found.map(({ metadata }) => metadata.name),
  );

describe('the filter', () => {
  const other = app('zebra', degraded, 'bank');
  other.metadata.labels = { team: 'stripes' };
  other.metadata.annotations = { 'example.com/tier': 'gold' };
  const apps = [other, app('beta', drifted), app('alpha', running)];
  test.each([
    ['', ['zebra', 'alpha', 'beta']],
    ['sort=name', ['alpha', 'beta', 'zebra']],
    ['sort=-name', ['zebra', 'beta', 'alpha']],
    ['sort=health', ['zebra', 'alpha', 'beta']],
    ['sort=sync', ['beta', 'alpha', 'zebra']],
    ['sort=nonsense', ['zebra', 'alpha', 'beta']],
    ['health=Degraded,Missing', ['zebra']],
    ['sync=OutOfSync', ['beta']],
    ['proj=bank', ['zebra']],
    ['cluster=in-cluster&namespace=payments', ['zebra', 'alpha', 'beta']],
    ['namespace=elsewhere', []],
    ['attention=yes', ['zebra']],
    ['operation=Running', ['alpha']],
    ['operation=Succeeded', ['zebra', 'beta']],
    ['operation=Syncing,Sync failed', ['alpha']],
    ['operation=Failed,Error,None', []],
    ['search=SHOP beta', ['beta']],
    ['search=team%3Dstripes', ['zebra']],
    ['search=git.example.com payments', ['zebra', 'alpha', 'beta']],
  ])('"%s" shows %o', (query, found) => {
    expect(names(apps, query)).toEqual(found);
  });

  test('narrows by favourite, repository, set, label and policy too', () => {
    const starred = arrange(
      apps,
      filterOf(new URLSearchParams('showFavorites=true')),
      new Set(['argocd/beta']),
    );
    expect(starred[0]?.apps.map(({ metadata }) => metadata.name)).toEqual(['beta']);
    expect(names(apps, 'labels=team=stripes')).toEqual(['zebra']);
    expect(names(apps, 'labels=team')).toEqual(['zebra']);
    expect(names(apps, 'annotations=example.com/tier=gold')).toEqual(['zebra']);
    expect(names(apps, 'annotations=example.com%252Ftier%253Dgold')).toEqual(['zebra']);
    expect(names(apps, 'annotations=example.com/tier=silver')).toEqual([]);
    expect(names(apps, 'targetRevision=main')).toEqual(names(apps, ''));
    expect(names(apps, 'targetRevision=v2')).toEqual([]);
    expect(names(apps, 'repo=https://git.example.com/shop/deploy.git')).toHaveLength(3);
    expect(names(apps, 'autoSync=Enabled')).toEqual([]);
    expect(names(apps, 'appset=none')).toEqual([]);
  });

  test('counts a sync that waits for its next try as one that failed', () => {
    const operationState = sampleOperation({ phase: 'Running', retryCount: 2 });
    expect(names([app('retried', { operationState })], 'operation=Failed')).toEqual(['retried']);
  });

  test('offers what there is to choose from, with counts', () => {
    expect(
      facetsOf(apps).map(({ name, values }) => [name, values.map(({ value, count }) => `${value} ${count}`)]),
    ).toEqual([
      ['proj', ['bank 1', 'shop 2']],
      ['labels', ['team=stripes 1']],
      ['operation', ['Running 1', 'Succeeded 2']],
    ]);
  });

  test('says whether it narrows anything', () => {
    expect(isNarrowed(new URLSearchParams('sort=health&group=project'))).toBe(false);
    expect(isNarrowed(new URLSearchParams('health=Degraded'))).toBe(true);
  });
});

test('groups come by name, each with its worst state', () => {
  const apps = [app('b', degraded), app('a'), app('c', {}, 'bank')];
  expect(arrange(apps, filterOf(new URLSearchParams('group=project')))).toMatchObject([
    { name: 'bank', worst: 'Healthy' },
    { name: 'shop', worst: 'Degraded', apps: [{ metadata: { name: 'b' } }, { metadata: { name: 'a' } }] },
  ]);
});

test.each([
  [{ server: 'https://kubernetes.default.svc' }, 'in-cluster'],
  [{ server: 'https://10.0.0.1:6443' }, '10.0.0.1:6443'],
  [{ name: 'edge' }, 'edge'],
  [{}, 'no cluster'],
])('the cluster of %o is called %s', (destination, name) => {
  expect(clusterOf(sampleApplication({}, { destination }))).toBe(name);
});
