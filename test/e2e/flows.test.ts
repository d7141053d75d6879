import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Application, KubeObject, Operation } from '#base/model';
import { appOf, configMap, isSettled, type Plane, startPlane } from './in-process.ts';

// What an operator does with an application, each from commit to cluster, on a clock of its own.
let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
});
afterAll(() => plane?.stop());

const text = (object: object): string => JSON.stringify(object);
const made = { syncOptions: ['CreateNamespace=true'] };
const automated = { ...made, automated: { prune: true, selfHeal: true } };
const phaseOf = ({ status }: Application) => status?.operationState?.phase;
const jane = { username: 'jane' };
const annotated = (name: string, annotations: Record<string, string>): KubeObject =>
  configMap(name, { a: 'b' }, { annotations });

const configMapIn = (namespace: string, name: string) =>
  plane.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });
const namesIn = async (namespace: string): Promise<string[]> => {
  const { items } = await plane.kube.list(plane.ctx, { apiVersion: 'v1', kind: 'ConfigMap', namespace });
  return items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt');
};

/** Asks for an operation and waits for its end. */
async function finished(name: string, operation: Operation): Promise<Application> {
  await plane.request(name, { initiatedBy: jane, ...operation });
  return plane.untilApp(name, 'done', (app) => !app.operation && app.status?.operationState !== undefined);
}

const compared = (name: string, status: string) =>
  plane.untilApp(name, status, (app) => app.status?.sync?.status === status);

test('CreateNamespace makes the namespace with the metadata that is declared for it (S-41)', async () => {
  await plane.repository.commit({ 'made/cm.yaml': text(configMap('cm', { a: 'b' })) });
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  const managedNamespaceMetadata = { labels, annotations: { owner: 'team-a' } };
  await plane.apply(appOf(plane, 'made', { syncPolicy: { ...automated, managedNamespaceMetadata } }));
  await plane.untilApp('made', 'settled', isSettled);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', name: 'made' };
  expect((await plane.find(namespace))?.metadata).toMatchObject({ labels, annotations: { owner: 'team-a' } });
  const changed = { labels, annotations: { owner: 'team-b' } };
  await plane.edit('made', { spec: { syncPolicy: { managedNamespaceMetadata: changed } } });
  await plane.until(
    'the namespace follows',
    () => plane.find(namespace),
    (found) => found?.metadata.annotations?.owner === 'team-b',
  );
});

test('a spec that says less than it writes is stored without it (A-17)', async () => {
  await plane.repository.commit({ 'tidy/cm.yaml': text(configMap('cm', { a: 'b' })) });
  const source = {
    repoURL: plane.url,
    path: 'tidy',
    targetRevision: 'HEAD',
    helm: {},
    directory: { recurse: false },
  };
  const { project: _, ...spec } = appOf(plane, 'tidy', { source, syncPolicy: {} }).spec;
  await plane.apply({ ...appOf(plane, 'tidy'), spec });
  const app = await compared('tidy', 'OutOfSync');
  expect(app.spec).toEqual({
    project: 'default',
    source: { repoURL: plane.url, path: 'tidy', targetRevision: 'HEAD' },
    destination: app.spec.destination,
  });
  expect(app.status?.sync?.comparedTo?.source).toEqual(app.spec.source);
});

test('a dry run changes nothing, a selective sync only what is named, and neither is history (S-4, R-44)', async () => {
  await plane.repository.commit({
    'some/one.yaml': text(configMap('one', { a: 'b' })),
    'some/two.yaml': text(configMap('two', { a: 'b' })),
  });
  await plane.apply(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'some' } },
    appOf(plane, 'some'),
  );
  await compared('some', 'OutOfSync');
  const dry = await finished('some', { sync: { dryRun: true } });
  expect(phaseOf(dry)).toBe('Succeeded');
  expect(await namesIn('some')).toEqual([]);
  const part = await finished('some', {
    sync: { resources: [{ group: '', kind: 'ConfigMap', name: 'two' }] },
  });
  expect(phaseOf(part)).toBe('Succeeded');
  expect(await namesIn('some')).toEqual(['two']);
  expect(part.status?.history ?? []).toEqual([]);
});

test('what is synced is history, and can be gone back to (R-44, R-45)', async () => {
  const first = await plane.repository.commit({ 'back/cm.yaml': text(configMap('cm', { version: 'one' })) });
  await plane.apply(appOf(plane, 'back', { syncPolicy: made }));
  await compared('back', 'OutOfSync');
  await finished('back', { sync: {} });
  await compared('back', 'Synced');
  const second = await plane.repository.commit({ 'back/cm.yaml': text(configMap('cm', { version: 'two' })) });
  await compared('back', 'OutOfSync');
  await finished('back', { sync: {} });
  const app = await compared('back', 'Synced');
  expect(app.status?.history?.map(({ revision, initiatedBy }) => [revision, initiatedBy?.username])).toEqual([
    [first, 'jane'],
    [second, 'jane'],
  ]);
  const rolled = await finished('back', { sync: { revision: first } });
  expect(phaseOf(rolled)).toBe('Succeeded');
  expect(await configMapIn('back', 'cm')).toMatchObject({ data: { version: 'one' } });
  await compared('back', 'OutOfSync');
});

test('Replace puts the object as Git has it; Force makes anew what cannot be changed (S-31, S-32)', async () => {
  const options = { 'argocd.argoproj.io/sync-options': 'Replace=true' };
  const frozen = {
    ...annotated('frozen', { 'argocd.argoproj.io/sync-options': 'Force=true,Replace=true' }),
    immutable: true,
  };
  await plane.repository.commit({
    'anew/whole.yaml': text(annotated('whole', options)),
    'anew/frozen.yaml': text(frozen),
  });
  await plane.apply(appOf(plane, 'anew', { syncPolicy: automated }));
  await plane.untilApp('anew', 'settled', isSettled);
  const before = await configMapIn('anew', 'frozen');
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'anew', name: 'whole' };
  await plane.kube.patch(plane.ctx, ref, { type: 'merge', body: { data: { somebody: 'else' } } });
  await plane.repository.commit({
    'anew/whole.yaml': text({ ...annotated('whole', options), data: { a: 'c' } }),
    'anew/frozen.yaml': text({ ...frozen, data: { a: 'c' } }),
  });
  await plane.until(
    'both follow',
    () => configMapIn('anew', 'frozen'),
    (found) => (found as { data?: { a?: string } })?.data?.a === 'c',
  );
  expect((await configMapIn('anew', 'frozen'))?.metadata.uid).not.toBe(before?.metadata.uid);
  await plane.until(
    'both follow',
    () => configMapIn('anew', 'whole'),
    (found) => JSON.stringify((found as { data?: object })?.data) === '{"a":"c"}',
  );
});

test('Prune=false keeps what left Git, and the application stays out of sync for it (S-37)', async () => {
  const keep = { 'argocd.argoproj.io/sync-options': 'Prune=false' };
  await plane.repository.commit({
    'keeps/kept.yaml': text(annotated('kept', keep)),
    'keeps/gone.yaml': text(configMap('gone', { a: 'b' })),
    'keeps/stays.yaml': text(configMap('stays', { a: 'b' })),
  });
  await plane.apply(appOf(plane, 'keeps', { syncPolicy: automated }));
  await plane.untilApp('keeps', 'settled', isSettled);
  await plane.repository.commit({ 'keeps/kept.yaml': undefined, 'keeps/gone.yaml': undefined });
  await plane.until(
    'one is pruned',
    () => namesIn('keeps'),
    (names) => names.join() === 'kept,stays',
  );
  const app = await plane.app('keeps');
  expect(app.status?.sync?.status).toBe('OutOfSync');
});

test('a sync that waits can be terminated, and says what ended it (R-41)', async () => {
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'never', annotations: { 'argocd.argoproj.io/hook': 'PreSync' } },
    spec: {
      suspend: true,
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example/job:1.0' }] },
      },
    },
  };
  await plane.repository.commit({
    'long/job.yaml': text(job),
    'long/cm.yaml': text(configMap('cm', { a: 'b' })),
  });
  await plane.apply(appOf(plane, 'long', { syncPolicy: made }));
  await compared('long', 'OutOfSync');
  await plane.request('long', { initiatedBy: jane, sync: {} });
  const waiting = await plane.untilApp('long', 'waiting', ({ status }) =>
    /never/.test(status?.operationState?.message ?? ''),
  );
  expect(phaseOf(waiting)).toBe('Running');
  await plane.edit('long', { status: { operationState: { phase: 'Terminating' } } });
  const ended = await plane.untilApp('long', 'ended', (app) => !app.operation);
  expect(phaseOf(ended)).toBe('Failed');
  expect(ended.status?.operationState?.message).toMatch(/terminated/i);
  const hook = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'long', name: 'never' };
  await plane.until(
    'the hook goes',
    () => plane.find(hook),
    (found) => found === undefined,
  );
  expect(await configMapIn('long', 'cm')).toBeUndefined();
});

test('manifests that come with an operation stand in for Git until the next one (A-20, R-18)', async () => {
  await plane.repository.commit({ 'brought/cm.yaml': text(configMap('cm', { from: 'git' })) });
  await plane.apply(appOf(plane, 'brought', { syncPolicy: made }));
  await compared('brought', 'OutOfSync');
  const manifests = [text(configMap('cm', { from: 'a laptop' })), text(configMap('more', { a: 'b' }))];
  expect(phaseOf(await finished('brought', { sync: { manifests } }))).toBe('Succeeded');
  expect(await configMapIn('brought', 'cm')).toMatchObject({ data: { from: 'a laptop' } });
  expect(await namesIn('brought')).toEqual(['cm', 'more']);
  await plane.edit('brought', { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'hard' } } });
  const app = await plane.untilApp(
    'brought',
    'looked at',
    ({ metadata }) => !metadata.annotations?.['argocd.argoproj.io/refresh'],
  );
  expect(app.status?.sync).toMatchObject({ status: 'Synced' });
  expect(app.status?.sync?.revision).toBeUndefined();

  const broken = await finished('brought', { sync: { manifests: ['not yaml: ['] } });
  expect([phaseOf(broken), broken.status?.operationState?.message]).toEqual([
    'Error',
    expect.stringContaining('operation.sync.manifests[0]'),
  ]);
  expect(phaseOf(await finished('brought', { sync: {} }))).toBe('Succeeded');
  expect(await configMapIn('brought', 'cm')).toMatchObject({ data: { from: 'git' } });
});

test('an operation that asks for nothing deploys nothing (R-31)', async () => {
  await plane.repository.commit({ 'idle/cm.yaml': text(configMap('cm', { a: 'b' })) });
  await plane.apply(appOf(plane, 'idle', { syncPolicy: made }));
  await compared('idle', 'OutOfSync');
  const app = await finished('idle', {});
  expect([phaseOf(app), app.status?.operationState?.message]).toEqual([
    'Error',
    expect.stringContaining('no operation specified'),
  ]);
  expect([await namesIn('idle'), app.status?.history ?? []]).toEqual([[], []]);
});

test('automated sync that is turned on syncs at once, and a status that was taken away comes back (§2.3, R-8)', async () => {
  await plane.repository.commit({ 'toggled/cm.yaml': text(configMap('cm', { a: 'b' })) });
  await plane.apply(appOf(plane, 'toggled', { syncPolicy: made }));
  await compared('toggled', 'OutOfSync');
  const before = plane.ctx.clock.now().getTime();
  await plane.edit('toggled', { spec: { syncPolicy: automated } });
  await plane.untilApp('toggled', 'settled', isSettled);
  await plane.edit('toggled', { status: null });
  await plane.untilApp('toggled', 'settled', isSettled);
  expect(plane.ctx.clock.now().getTime() - before).toBeLessThan(60_000); // the timer rings after two minutes
});

test('a definition and an object of it are one sync, and nothing is healed afterwards (T-12)', async () => {
  const names = { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const group = 'flows.example.com';
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gadgets.${group}` },
    spec: {
      group,
      names,
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
  const gadget = { apiVersion: `${group}/v1`, kind: 'Gadget', metadata: { name: 'g' }, spec: { a: 1 } };
  await plane.repository.commit({ 'defined/crd.yaml': text(definition), 'defined/g.yaml': text(gadget) });
  await plane.apply(appOf(plane, 'defined', { syncPolicy: automated }));
  const app = await plane.untilApp('defined', 'settled', isSettled);
  await plane.pass(30_000);
  const { status } = await plane.app('defined');
  expect(status?.operationState?.startedAt).toBe(app.status?.operationState?.startedAt);
  const kinds = status?.operationState?.syncResult?.resources?.map(({ kind }) => kind);
  expect(kinds?.toSorted()).toEqual(['CustomResourceDefinition', 'Gadget', 'Namespace']);
});

test('an operation that is taken away ends, and another one is not taken for it (R-32)', async () => {
  const hook = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'pre', annotations: { 'argocd.argoproj.io/hook': 'PreSync' } },
    spec: {
      suspend: true,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'tool:1' }] } },
    },
  };
  await plane.repository.commit({
    'taken/pre.yaml': text(hook),
    'taken/cm.yaml': text(configMap('cm', { a: 'b' })),
  });
  await plane.apply(appOf(plane, 'taken', { syncPolicy: made }));
  await compared('taken', 'OutOfSync');
  const isWaiting = ({ status }: Application) =>
    status?.operationState?.message?.startsWith('waiting for Job taken/pre') === true;
  await plane.request('taken', { sync: {} });
  await plane.untilApp('taken', 'waiting', isWaiting);
  await plane.edit('taken', { operation: null });
  const ended = await plane.untilApp('taken', 'ended', (app) => phaseOf(app) === 'Failed');
  expect(ended.status?.operationState?.message).toContain('removed before it ended');

  await plane.request('taken', { sync: {} });
  await plane.untilApp('taken', 'waiting', isWaiting);
  // at one go, as whoever writes the whole object does
  await plane.edit('taken', { operation: { sync: { syncStrategy: { hook: null, apply: {} } } } });
  await plane.untilApp('taken', 'synced without its hooks', (app) => phaseOf(app) === 'Succeeded');
  expect(await namesIn('taken')).toEqual(['cm']);
});

test('a child keeps the finalizers of its delete hooks, whatever its parent has for it (dev A-28)', async () => {
  const finalizers = ['resources-finalizer.argocd.argoproj.io'];
  const child = appOf(plane, 'kid', { syncPolicy: automated });
  const hook = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'bye', annotations: { 'argocd.argoproj.io/hook': 'PreDelete' } },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'tool:1' }] } } },
  };
  await plane.repository.commit({
    'parent/kid.yaml': text({ ...child, metadata: { ...child.metadata, finalizers } }),
    'kid/bye.yaml': text(hook),
    'kid/cm.yaml': text(configMap('cm', { a: 'b' })),
  });
  const destination = { server: 'https://kubernetes.default.svc', namespace: 'argocd' };
  await plane.apply(appOf(plane, 'parent', { destination, syncPolicy: automated }));
  const isArmed = ({ metadata }: Application) =>
    metadata.finalizers?.includes('pre-delete-finalizer.argocd.argoproj.io') === true;
  await plane.until(
    'the hook is armed',
    () => plane.find({ apiVersion: child.apiVersion, kind: child.kind, namespace: 'argocd', name: 'kid' }),
    (found) => found !== undefined && isArmed(found as Application),
  );
  await plane.pass(30_000);
  expect(isArmed(await plane.app('kid'))).toBe(true);
  expect((await plane.app('parent')).status?.sync?.status).toBe('Synced');
  await plane.edit('kid', { metadata: { finalizers } }); // as whoever applies it from a file does
  await plane.untilApp('kid', 'armed again', isArmed);
});
