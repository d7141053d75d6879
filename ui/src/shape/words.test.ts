import { describe, expect, test } from 'vitest';
import { annotation, type RevisionHistory } from '#base/model';
import { boxWidth } from './box-width.ts';
import { checkedFact, destinationFact, policyFact, sourceFact } from './facts.ts';
import { applicationFor, commandsFor, firstDraft, whyNotYet } from './first-application.ts';
import { autoSyncNote, deploymentsOf, whyNoRollback } from './history.ts';
import { favicon, healthShapes } from './mark-shapes.ts';
import { noticesOf } from './notices.ts';
import { headlineOf } from './operation-headline.ts';
import { type Findable, search } from './palette.ts';
import { authorOf, commitUrl, repoName, shortRevision, subjectOf } from './revision.ts';
import { commit, sampleApplication, sampleOperation, sampleRun } from './sample-application.ts';
import { worstHealth } from './state.ts';
import { windowNotice } from './windows.ts';

const automated = { syncPolicy: { automated: { prune: true, selfHeal: true } } };

describe('facts', () => {
  test('say where it comes from and where it goes', () => {
    expect(sourceFact(sampleApplication())).toEqual({
      label: 'Source',
      value: 'git.example.com/shop/deploy',
      note: 'payments at main',
      url: 'https://git.example.com/shop/deploy',
    });
    const sources = [
      { repoURL: 'oci://r.example.com/charts', chart: 'web', targetRevision: '1.2' },
      { repoURL: 'x' },
    ];
    expect(sourceFact(sampleApplication({}, { sources }))).toMatchObject({ note: 'web at 1.2, and 1 more' });
    expect(destinationFact(sampleApplication())).toMatchObject({
      value: 'in-cluster',
      note: 'namespace payments',
    });
  });

  test('say what happens by itself', () => {
    expect(policyFact(sampleApplication()).value).toBe('Manual sync');
    expect(policyFact(sampleApplication({}, automated))).toMatchObject({
      value: 'Auto-sync',
      note: 'prune, self-heal',
    });
  });

  test('say how fresh the comparison is', () => {
    const now = Date.parse('2026-03-18T14:30:00Z');
    const compared = sampleApplication({ reconciledAt: '2026-03-18T14:27:00Z', sourceType: 'Helm' });
    expect(checkedFact(compared, now)).toEqual({ label: 'Compared', value: '3 min ago' });
    expect(sourceFact(compared).note).toBe('payments at main · Helm');
    expect(checkedFact(sampleApplication(), now).value).toBe('not yet');
  });
});

describe('a revision', () => {
  test.each([
    ['https://user:word@git.example.com/a/b.git', 'git.example.com/a/b'],
    ['git@git.example.com:a/b.git', 'git@git.example.com:a/b'],
    ['file:///home/ada/work/.fairlead/demo', '…/.fairlead/demo'],
    ['/srv/repo', '/srv/repo'],
  ])('from %s comes from %s', (url, name) => {
    expect(repoName(url)).toBe(name);
  });

  test('is short, and has a subject and an author', () => {
    expect(shortRevision(commit)).toBe('3f9c2e1');
    expect(shortRevision('v1.2.3')).toBe('v1.2.3');
    expect(subjectOf({ message: 'fix it\n\nbecause' })).toBe('fix it');
    expect(subjectOf({ message: 'x'.repeat(80) })).toHaveLength(72);
    expect(authorOf({ author: 'Ada <ada@example.com>' })).toBe('Ada');
  });

  test('has a page where its host has pages', () => {
    const source = { repoURL: 'https://token@github.com/shop/deploy.git', path: '.' };
    expect(commitUrl(sampleApplication({}, { source }), commit)).toBe(
      `https://github.com/shop/deploy/commit/${commit}`,
    );
    expect(commitUrl(sampleApplication(), commit)).toBeUndefined();
    expect(commitUrl(sampleApplication({}, { source }), '1.2.3')).toBeUndefined();
  });
});

describe('history', () => {
  const entry = (id: number, rest: Partial<RevisionHistory> = {}): RevisionHistory => ({
    id,
    revision: commit,
    deployedAt: '2026-03-18T14:01:30Z',
    ...rest,
  });
  const history = [
    entry(1, { initiatedBy: { automated: true }, deployStartedAt: '2026-03-18T14:01:00Z' }),
    entry(2, { initiatedBy: { username: 'ada' } }),
  ];

  test('is newest first, with who, how long, and what runs now', () => {
    expect(deploymentsOf(sampleApplication({ history }))).toMatchObject([
      { id: 2, by: 'ada', isCurrent: true, why: 'This is what runs now.' },
      { id: 1, by: 'auto-sync', isCurrent: false, ms: 30_000 },
    ]);
    expect(deploymentsOf(sampleApplication({ history }))[1]).not.toHaveProperty('why');
  });

  test('can be rolled back to after auto-sync is turned off, which its owner may turn on again', () => {
    const app = sampleApplication({ history }, automated);
    expect(deploymentsOf(app)[1]).not.toHaveProperty('why');
    expect(autoSyncNote(app)).toBe('It would undo the rollback. Turn it on again when Git is mended.');
    app.metadata.annotations = { [annotation.trackingId]: 'demo:argoproj.io/Application:argocd/shop' };
    expect(autoSyncNote(app)).toContain(
      'The application demo, which deploys this one, may turn it on again.',
    );
    app.metadata.ownerReferences = [
      {
        apiVersion: 'argoproj.io/v1alpha1',
        kind: 'ApplicationSet',
        name: 'shops',
        uid: '1',
        controller: true,
      },
    ];
    expect(autoSyncNote(app)).toContain('The ApplicationSet shops may turn it on again.');
    expect(autoSyncNote(sampleApplication({ history }))).toBeUndefined();
  });

  test('cannot be rolled back to while a sync runs', () => {
    const running = sampleApplication({ history, operationState: sampleRun() });
    expect(deploymentsOf(running)[1]?.why).toContain('A sync is running');
    expect(whyNoRollback(deploymentsOf(running))).toContain('A sync is running');
    expect(whyNoRollback(deploymentsOf(sampleApplication({ history })))).toBeUndefined();
    expect(whyNoRollback(deploymentsOf(sampleApplication()))).toBeUndefined();
  });
});

describe('the palette', () => {
  const choice = (kind: Findable['kind'], title: string, note?: string): Findable => ({
    id: title,
    kind,
    title,
    ...(note && { note }),
  });
  const choices = [
    choice('Page', 'Applications'),
    choice('Application', 'payments-api', 'shop'),
    choice('Application', 'api', 'bank'),
    choice('Resource', 'api-gateway', 'Deployment'),
    choice('Action', 'Sync'),
  ];
  const titles = (typed: string) => search(choices, typed).map(({ title }) => title);

  test('shows actions first when nothing is typed', () => {
    expect(titles('')).toEqual(['Sync', 'payments-api', 'api', 'api-gateway', 'Applications']);
  });

  test.each([
    ['api', ['api', 'api-gateway', 'payments-api', 'Applications']],
    ['pmapi', ['payments-api']],
    ['bank', ['api']],
    ['api deployment', ['api-gateway']],
    ['zzz', []],
  ])('finds for "%s" %o', (typed, found) => {
    expect(titles(typed)).toEqual(found);
  });
});

describe('the first application', () => {
  const draft = { name: 'web', repo: 'https://git.example.com/a b.git', path: '' };
  test('is three commands that a shell reads as they are meant', () => {
    expect(commandsFor(draft, 'localhost:8080')).toEqual([
      'fairlead login localhost:8080',
      expect.stringContaining("--repo 'https://git.example.com/a b.git' \\\n  --path . "),
      'fairlead app sync web',
    ]);
  });

  test('says what is missing', () => {
    expect(whyNotYet(firstDraft)).toContain('repository');
    expect(whyNotYet({ ...draft, name: 'Web!' })).toContain('name');
    expect(whyNotYet(draft)).toBeUndefined();
    expect(applicationFor(draft).spec.source).toEqual({
      repoURL: draft.repo,
      path: '.',
      targetRevision: 'HEAD',
    });
  });
});

test('the favicon has the shape of the state', () => {
  expect(decodeURIComponent(favicon('Degraded'))).toContain(healthShapes.Degraded.fill);
  expect(decodeURIComponent(favicon('Missing'))).toContain('stroke-dasharray');
  expect(favicon('Healthy')).toMatch(/^data:image\/svg\+xml,/);
});

test('the worst health is the one a person should look at first', () => {
  expect(worstHealth(['Healthy', undefined, 'Progressing', 'Missing'])).toBe('Missing');
  expect(worstHealth([undefined])).toBeUndefined();
});

test('conditions that the sentence does not tell are listed, errors first', () => {
  const conditions = [
    { type: 'OrphanedResourceWarning' as const, message: 'two orphans' },
    { type: 'ComparisonError' as const, message: 'told by the sentence' },
    { type: 'SyncError' as const, message: 'failed last night' },
  ];
  expect(noticesOf(sampleApplication({ conditions }))).toEqual([
    { title: 'Sync error', message: 'failed last night', tone: 'bad' },
    { title: 'Orphaned resource', message: 'two orphans', tone: 'warn' },
  ]);
});

describe('a sync window', () => {
  const held =
    'sync is blocked: deny window "0 0 * * *" for 1h is active; it may pass from 2026-06-01T01:00:00Z';
  const why = 'deny window "0 0 * * *" for 1h is active; it may pass from 2026-06-01T01:00:00Z';
  const behind = { sync: { status: 'OutOfSync' as const } };

  test('that holds an application is told with who waits, and until when', () => {
    expect(windowNotice(sampleApplication(behind, automated), { held, canSync: true })).toEqual({
      title: 'Sync window',
      message: `automated sync waits: ${why}; one by hand may begin`,
      tone: 'warn',
    });
    expect(windowNotice(sampleApplication({}, automated), { held, canSync: false })).toEqual({
      title: 'Sync window',
      message: `automated sync would wait: ${why}`,
      tone: 'rest',
    });
    expect(windowNotice(sampleApplication(), { held, canSync: false })?.message).toBe(
      `no sync may begin: ${why}`,
    );
  });

  test('that holds nobody is not', () => {
    expect(windowNotice(sampleApplication(), { held, canSync: true })).toBeUndefined();
    expect(windowNotice(sampleApplication(behind, automated), { canSync: true })).toBeUndefined();
    expect(windowNotice(sampleApplication(behind, automated), {})).toBeUndefined();
  });
});

test('an operation has a title and the facts people ask for', () => {
  const now = Date.parse('2026-03-18T14:30:00Z');
  expect(headlineOf(sampleOperation(), now, 'UTC')).toEqual({
    title: 'Last sync succeeded',
    tone: 'good',
    facts: ['commit 3f9c2e1', 'by auto-sync', '14:01, took 30 s'],
  });
  const operation = {
    sync: { dryRun: true, prune: true, revision: '1.2.0' },
    initiatedBy: { username: 'ada' },
  };
  const run = sampleRun({ operation, syncResult: {}, retryCount: 1 });
  expect(headlineOf(run, now, 'UTC')).toEqual({
    title: 'Syncing',
    tone: 'busy',
    facts: ['version 1.2.0', 'by ada', 'since 14:01, 29 min', 'dry run', 'with prune', 'attempt 2'],
  });
});

test('a box of the tree is about as wide as its words, within bounds', () => {
  const width = (name: string) =>
    boxWidth({ id: '', application: { name, health: 'Healthy', sync: 'Synced' }, children: [] }, 0);
  expect(width('a')).toBeLessThan(width('a-rather-long-name-it-is'));
  expect(width('x'.repeat(200))).toBe(264);
});
