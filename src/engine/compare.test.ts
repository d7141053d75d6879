import { expect, test } from 'vitest';
import {
  type Application,
  defaultSettings,
  type Health,
  type KubeObject,
  type ResourceKey,
  type ResourceStatus,
} from '#base/model';
import { FairleadError } from '#base/std';
import { anyType } from '#kubernetes/schema';
import { cases } from '../../test/cases.ts';
import { type CompareOptions, compare, diffCacheOf, dryRunsFor } from './compare.ts';
import { canReuse, type ReuseQuestion } from './diff/cache.ts';
import { serverSideDiffWanted } from './diff/dry-runs.ts';
import { prepareTarget } from './target.ts';
import { defaultTracking, ownerOf } from './tracking.ts';

type Wanted = {
  status: string;
  health: Health;
  resources: string[];
  hooks?: string[];
  deleteHooks?: string[];
  conditions?: string[];
};

function spelled({
  kind,
  name,
  status,
  health,
  hook,
  requiresPruning,
  requiresDeletionConfirmation,
  syncWave,
}: ResourceStatus): string {
  const flags = [
    hook && 'hook',
    requiresPruning && 'prune',
    requiresDeletionConfirmation && 'confirm',
    syncWave && `wave ${syncWave}`,
  ];
  return [kind, name, status, health?.status, ...flags].filter(Boolean).join(' ');
}

/** Answers of a server by key; a text is the reason of a refusal. */
const answersOf = (answers: Record<string, KubeObject | string>): CompareOptions['dryRuns'] =>
  new Map(
    Object.entries(answers).map(([key, answer]) => [
      key as ResourceKey,
      typeof answer === 'string' ? new FairleadError('PermissionDenied', answer) : answer,
    ]),
  );

test.each(cases<Wanted>(new URL('./testdata/compare/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const {
      targets,
      live,
      denied = [],
      unknown = [],
      childHealth = 'off',
      destinationNamespace = 'd',
      managedNamespaceMetadata,
      syncResult,
      spec = {},
      annotations,
      overrides = {},
      dryRuns,
      described = true,
    } = input[0];
    const app: Application = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'app', namespace: 'argocd', ...(annotations && { annotations }) },
      spec: {
        destination: { name: 'c', namespace: destinationNamespace },
        syncPolicy: managedNamespaceMetadata ? { managedNamespaceMetadata } : {},
        ...spec,
      },
      ...(syncResult && {
        status: { operationState: { operation: {}, phase: 'Succeeded', startedAt: '', syncResult } },
      }),
    };
    const isNamespaced = ({ kind }: { kind: string }) =>
      unknown.includes(kind) ? undefined : kind !== 'Namespace';
    const target = prepareTarget(targets, {
      owner: ownerOf(app, 'argocd'),
      tracking: defaultTracking,
      isNamespaced,
    });
    const result = compare(
      app,
      { target, live },
      {
        controlPlaneNamespace: 'argocd',
        tracking: defaultTracking,
        resources: { ...defaultSettings.resources, overrides },
        ...(dryRuns && { dryRuns: answersOf(dryRuns) }),
        ...(!described && { typeOf: () => undefined }),
        isNamespaced,
        denies: ({ kind }) => (denied.includes(kind) ? 'denied' : undefined),
        health: { child: { mode: childHealth } },
      },
    );
    expect({
      status: result.status,
      health: result.health,
      resources: result.resources.map(({ status }) => spelled(status)),
      hooks: result.hooks.map(({ metadata }) => metadata.name),
      deleteHooks: result.deleteHooks.map(({ metadata }) => metadata.name),
      conditions: result.conditions.map(({ type, message }) => `${type}: ${message}`),
    }).toEqual({ hooks: [], deleteHooks: [], conditions: [], ...wanted });
  },
);

const options: CompareOptions = {
  controlPlaneNamespace: 'argocd',
  tracking: defaultTracking,
  resources: defaultSettings.resources,
  isNamespaced: () => true,
};
const source = { repoURL: 'https://git.example/apps', path: 'a' };
const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app', namespace: 'argocd' },
  spec: { source, destination: { name: 'c', namespace: 'd' } },
  status: {
    sync: {
      status: 'Synced',
      revision: 'abc',
      comparedTo: { source, destination: { name: 'c', namespace: 'd' } },
    },
  },
};
const configMap = (name: string, data: Record<string, string>, extra = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace: 'd',
      annotations: { 'argocd.argoproj.io/tracking-id': `app:/ConfigMap:d/${name}` },
      ...extra,
    },
    data,
  }) as KubeObject;
const sidesOf = (objects: KubeObject[], live: KubeObject[]) => ({
  target: { objects, conditions: [] },
  live,
});
const withOptions = (text: string): Application => ({
  ...app,
  metadata: { ...app.metadata, annotations: { 'argocd.argoproj.io/compare-options': text } },
});

test('a server-side diff is wanted when the installation or the Application says so, and no Application is forced (D-23)', () => {
  const [on, off] = [{ serverSideDiff: true }, { serverSideDiff: false }];
  expect(serverSideDiffWanted(app, off)).toBe(false);
  expect(serverSideDiffWanted(app, on)).toBe(true);
  expect(serverSideDiffWanted(withOptions('ServerSideDiff=true'), off)).toBe(true);
  expect(serverSideDiffWanted(withOptions('ServerSideDiff=false'), on)).toBe(false);
  expect(serverSideDiffWanted(withOptions('ServerSideDiff=true,ServerSideDiff=false'), on)).toBe(false);
});

test('only pairs with both sides are sent to the server (D-23)', () => {
  const both = configMap('both', {});
  const hook = configMap('hook', {}, { annotations: { 'argocd.argoproj.io/hook': 'PreSync' } });
  const sides = sidesOf([configMap('new', {}), both, hook], [configMap('extra', {}), both, hook]);
  expect(dryRunsFor(app, sides, options)).toEqual([{ key: '/ConfigMap/d/both', target: both }]);
});

const question: ReuseQuestion = {
  hard: false,
  serverSideDiff: true,
  sources: [source],
  revisions: ['abc'],
};
const changed = (spec: Partial<Application['spec']>): Application => ({
  ...app,
  spec: { ...app.spec, ...spec },
});

const asked: Application = {
  ...app,
  metadata: { ...app.metadata, annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
};

test('what a server answered is used again only while nothing that made it has changed (D-31)', () => {
  expect(canReuse(app, question)).toBe(true);
  expect(canReuse(app, { ...question, hard: true })).toBe(false);
  expect(canReuse(app, { ...question, revisions: ['def'] })).toBe(false);
  expect(canReuse(app, { ...question, sources: [source, source] })).toBe(false);
  expect(canReuse({ ...app, status: {} }, question)).toBe(false);
  expect(canReuse(changed({ destination: { name: 'c', namespace: 'e' } }), question)).toBe(false);
  expect(canReuse(changed({ source: { ...source, path: 'b' } }), question)).toBe(false);
  expect(canReuse(changed({ ignoreDifferences: [{ kind: 'ConfigMap' }] }), question)).toBe(false);
  expect(canReuse(asked, question)).toBe(false);
});

test('what was only computed may be used again whoever asks, unless the look is a hard one (D-31)', () => {
  const computed = { ...question, serverSideDiff: false };
  for (const one of [app, asked, { ...app, status: {} }, changed({ source: { ...source, path: 'b' } })])
    expect(canReuse(one, computed)).toBe(true);
  expect(canReuse(app, { ...computed, hard: true })).toBe(false);
});

test('it is computed anew for other rules, other annotations and another description of the kind (D-31)', () => {
  const live = configMap('a', { x: '1' }, { resourceVersion: '7', uid: 'u' });
  const sides = sidesOf([configMap('a', { x: '2' })], [live]);
  const typeOf = () => anyType;
  const first = compare(app, sides, { ...options, typeOf });
  const cache = diffCacheOf(app, first, { ...options, typeOf });
  const found = (one: Application, more: Partial<CompareOptions> = {}) =>
    compare(one, sides, { ...options, typeOf, cache, ...more }).resources[0]?.diff;
  const annotated = { ...app, metadata: { ...app.metadata, annotations: { a: 'b' } } };
  const ignoring = changed({ ignoreDifferences: [{ kind: 'ConfigMap', jsonPointers: ['/data/x'] }] });
  expect(found(app)).toBe(first.resources[0]?.diff);
  expect(found(asked)).toBe(first.resources[0]?.diff);
  expect(found(ignoring)?.modified).toBe(false);
  for (const again of [
    found(annotated),
    found(app, { jqTimeoutMs: 5 }),
    found(app, { typeOf: () => ({ ...anyType }) }),
  ]) {
    expect(again).toEqual(first.resources[0]?.diff);
    expect(again).not.toBe(first.resources[0]?.diff);
  }
});

test('what was found about an object stands until its resourceVersion moves (D-31)', () => {
  const live = configMap('a', { x: '1' }, { resourceVersion: '7', uid: 'u' });
  const target = configMap('a', { x: '2' });
  const first = compare(app, sidesOf([target], [live]), options);
  const cache = diffCacheOf(app, first, options);
  const again = (sides: { objects?: KubeObject[]; live?: KubeObject }, more: Partial<CompareOptions> = {}) =>
    compare(app, sidesOf(sides.objects ?? [target], [sides.live ?? live]), { ...options, cache, ...more })
      .resources[0]?.diff;
  const found = first.resources[0]?.diff;
  expect(again({ live: structuredClone(live) })).toBe(found);
  expect(dryRunsFor(app, sidesOf([target], [live]), { ...options, cache })).toHaveLength(1);
  const answered = { ...options, dryRuns: new Map() };
  const asked = {
    ...answered,
    cache: diffCacheOf(app, compare(app, sidesOf([target], [live]), answered), answered),
  };
  expect(dryRunsFor(app, sidesOf([target], [live]), asked)).toEqual([]);
  expect(again({}, { dryRuns: new Map() })).not.toBe(found);
  expect(again({ live: configMap('a', { x: '2' }, { resourceVersion: '8', uid: 'u' }) })).not.toBe(found);
  expect(again({ live: configMap('a', { x: '1' }, { resourceVersion: '7', uid: 'v' }) })).not.toBe(found);
  expect(again({ objects: [configMap('a', { x: '3' })] })).not.toBe(found);
  expect(again({}, { resources: { ...options.resources } })).not.toBe(found);
});

test('a comparison that failed leaves nothing to use again (D-31)', () => {
  const broken = changed({ ignoreDifferences: [{ kind: 'ConfigMap', jqPathExpressions: ['.['] }] });
  const failed = compare(broken, sidesOf([configMap('a', {})], [configMap('a', {})]), options);
  expect(failed.status).toBe('Unknown');
  expect(diffCacheOf(broken, failed, options).entries.size).toBe(0);
});

test('an expression that ran out of steps is not tried on the other objects, and the setting says how many there are (D-12)', () => {
  const costly = '.data.x | select([range(3000)] | length > 0)';
  const ignoring = changed({ ignoreDifferences: [{ kind: 'ConfigMap', jqPathExpressions: [costly] }] });
  const objects = ['a', 'b'].map((name) => configMap(name, { x: '1' }));
  const live = ['a', 'b'].map((name) => configMap(name, { x: '2' }));
  const codes = (jqTimeoutMs: number) =>
    compare(ignoring, sidesOf(objects, live), { ...options, jqTimeoutMs }).resources.map(
      ({ status }) => status.status,
    );
  expect(codes(1000)).toEqual(['Synced', 'Synced']);
  expect(codes(1)).toEqual(['OutOfSync', 'OutOfSync']);
});

test('what is honoured but hardly meant is hinted at (X-12, X-43, X-47)', () => {
  const service = {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: { name: 's', namespace: 'd' },
    spec: { traffic: [{ percent: 100, latestRevision: true }] },
  } as KubeObject;
  const odd = changed({
    ignoreDifferences: [
      {
        group: 'serving.knative.dev',
        kind: 'Service',
        jsonPointers: ['/spec/traffic', '/metadata/generation'],
      },
    ],
    syncPolicy: { syncOptions: ['ServerSideApply=true'] },
  });
  const { hints, notes, warnings } = compare(odd, sidesOf([service, configMap('a', {})], []), options);
  expect(warnings).toEqual([]);
  expect(hints).toEqual([
    'ignoreDifferences for serving.knative.dev/Service: /metadata/generation never differs, so ignoring it does nothing',
    'serving.knative.dev/Service/d/s declares spec.traffic, which an ignore rule leaves out; remove one of the two',
  ]);
  expect(notes).toEqual([
    'ServerSideApply=true without ServerSideDiff=true: the server merges, but the difference is predicted without a dry run',
  ]);
  const asked = compare(odd, sidesOf([service], []), { ...options, dryRuns: new Map() });
  expect(asked.notes).toEqual([]);
  expect(compare(app, sidesOf([service], []), options).hints).toEqual([]);
});

const respecting = (spec: Partial<Application['spec']> = {}): Application => ({
  ...app,
  spec: { ...app.spec, ...spec, syncPolicy: { syncOptions: ['RespectIgnoreDifferences=true'] } },
});

test('D-31: what the server answered does not outlive a change of RespectIgnoreDifferences, which changes what is sent', () => {
  const live = configMap('a', { k: '1' }, { resourceVersion: '7', uid: 'u' });
  const sides = sidesOf([configMap('a', { k: '1' })], [live]);
  const answered = { ...options, dryRuns: new Map() };
  const cache = diffCacheOf(app, compare(app, sides, answered), answered);
  expect(dryRunsFor(app, sides, { ...answered, cache })).toEqual([]);
  expect(dryRunsFor(respecting(), sides, { ...answered, cache })).toHaveLength(1);
});

test('RespectIgnoreDifferences reads the ignore rules no more often while nothing is sent to the server', () => {
  let reads = 0;
  const rule = {
    kind: 'ConfigMap',
    get jsonPointers() {
      reads += 1;
      return ['/data/x'];
    },
  };
  const readBy = (one: Application): number => {
    reads = 0;
    compare(one, sidesOf([configMap('a', { k: '1' })], [configMap('a', { k: '2' })]), options);
    return reads;
  };
  const plain = readBy(changed({ ignoreDifferences: [rule] }));
  expect(readBy(respecting({ ignoreDifferences: [rule] }))).toBe(plain);
});
