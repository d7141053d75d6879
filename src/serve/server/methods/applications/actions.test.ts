import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Application,
  defaultProjectSpec,
  defaultSettings,
  inCluster,
  inClusterName,
  inClusterServer,
  type KubeObject,
  type ProjectSpec,
} from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { ClusterCache, Clusters, type LiveCluster } from '#control/live';
import { createScripts, type Scripts } from '#control/scripts';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { defaultTracking } from '#engine';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import type { ActionRequest } from '#serve/api';
import { permissionsOf } from '../../../../../test/policy.ts';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { actions, runAction, runActionWith } from './actions.ts';

let cluster: EmbeddedCluster;
let kube: KubeClient;
let cache: ClusterCache;
let scripts: Scripts;
let stop: AbortController;
let running: Promise<void>;
let ctx: Ctx;
let writes: string[];

const namespace = 'default';
const definition = (
  plural: string,
  kind: string,
  subresources: object,
  apiVersion = 'example.io/v1',
): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${apiVersion.split('/')[0]}` },
  spec: {
    group: apiVersion.split('/')[0],
    scope: 'Namespaced',
    names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` },
    versions: [
      {
        name: apiVersion.split('/')[1],
        served: true,
        storage: true,
        subresources,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});
const thing = (kind: string): KubeObject => ({
  apiVersion: 'example.io/v1',
  kind,
  metadata: { name: 'one', namespace },
  spec: { size: 1 },
});

beforeEach(async () => {
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  writes = [];
  kube = createKubeClient({
    transport: (request) => {
      const [path = '', query = ''] = request.path.split('?');
      const isDry = query.includes('dryRun=All') ? ' dry' : '';
      if (request.method !== 'GET')
        writes.push(`${request.method} ${path.split('/').slice(-2).join('/')}${isDry}`);
      return cluster.handle(request);
    },
  });
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock: realClock };
  await kube.create(ctx, definition('gears', 'Gear', { status: {} }));
  await kube.create(ctx, definition('cogs', 'Cog', {}));
  scripts = createScripts({ size: 1 });
  cache = new ClusterCache({ kube, tracking: defaultTracking, isExcluded: () => false });
  for (const kind of ['Gear', 'Cog']) await kube.create(ctx, thing(kind));
  running = cache.run(ctx);
  await cache.whenSynced(ctx);
  writes = [];
});

afterEach(async () => {
  stop.abort();
  await running;
  await scripts.close();
  await cluster.close();
});

const app: Application = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app', namespace: 'argocd' },
  spec: {
    project: 'default',
    source: { repoURL: 'https://git.example/a', path: '.' },
    destination: { server: inClusterServer, namespace },
  },
  status: {
    resources: ['Gear', 'Cog'].map((kind) => ({
      group: 'example.io',
      version: 'v1',
      kind,
      namespace,
      name: 'one',
    })),
  },
};

function depsWith(definitions: Record<string, string>, spec: ProjectSpec = {}): MethodDeps {
  const block = JSON.stringify({
    'discovery.lua': 'return { turn = {}, ["spin-up"] = { disabled = true, displayName = "Spin" } }',
    definitions: Object.entries(definitions).map(([name, script]) => ({ name, 'action.lua': script })),
  });
  const kinds = ['example.io/Gear', 'example.io/Cog', 'argoproj.io/Application'];
  const overrides = Object.fromEntries(kinds.map((kind) => [kind, { actions: block }]));
  const project = { ...app, kind: 'AppProject', metadata: { name: 'default' } };
  const home: LiveCluster = { server: inClusterServer, name: inClusterName, kube, cache, record: inCluster };
  return {
    kube,
    apps: { get: () => app, put: () => {} },
    context: {
      namespace: 'argocd',
      settings: () => ({ ...defaultSettings, resources: { ...defaultSettings.resources, overrides } }),
      clusters: new Clusters({ kube, namespace: 'argocd', open: () => ({ ...home, close: () => {} }) }),
      projects: { get: () => ({ ...project, spec: { ...defaultProjectSpec, ...spec } }) },
      scripts,
    },
  } as unknown as MethodDeps;
}

const at = (kind: string, more = {}) => ({
  group: 'example.io',
  kind,
  namespace,
  resourceName: 'one',
  ...more,
});
const asked = (kind: string): MethodCall => ({
  params: { name: 'app' },
  query: new URLSearchParams(at(kind)),
  body: undefined,
  user: undefined,
  permissions: permissionsOf(),
  client: { address: '192.0.2.1', isSecure: false },
});
const asking = (
  kind: string,
  action: string,
  parameters: Record<string, string> = {},
): MethodCall<ActionRequest> => ({
  ...asked(kind),
  query: new URLSearchParams(),
  body: {
    ...at(kind),
    action,
    resourceActionParameters: Object.entries(parameters).map(([name, value]) => ({ name, value })),
  },
});
const read = (kind: string, name = 'one') =>
  kube.find(ctx, { apiVersion: 'example.io/v1', kind, namespace, name }) as Promise<
    KubeObject<{ size?: number }> | undefined
  >;

test('H-33: what a discovery script offers is listed by name, with what is disabled told', async () => {
  const { actions: found } = await actions(ctx, depsWith({}), asked('Gear'));
  expect(found).toEqual([
    { name: 'spin-up', disabled: true, displayName: 'Spin', available: true },
    { name: 'turn', disabled: false, available: true },
  ]);
});

test('H-34: the script sees its parameters, and what it returns is patched; the older form has none', async () => {
  const turn = "obj.spec.size = tonumber(actionParams['size'] or '7') return obj";
  const deps = depsWith({ turn });
  await runActionWith(ctx, deps, asking('Cog', 'turn', { size: '3' }));
  expect((await read('Cog'))?.spec).toEqual({ size: 3 });
  await runAction(ctx, deps, { ...asked('Cog'), body: 'turn' });
  expect((await read('Cog'))?.spec).toEqual({ size: 7 });
  writes = [];
  await runAction(ctx, deps, { ...asked('Cog'), body: 'turn' });
  expect(writes).toEqual([]); // an empty patch is none
});

test('H-35: the status goes to its subresource first, and with the rest where there is none', async () => {
  const deps = depsWith({ turn: 'obj.status = { done = true } obj.spec.size = 2 return obj' });
  await runActionWith(ctx, deps, asking('Gear', 'turn'));
  expect(writes).toEqual(['PATCH one/status', 'PATCH gears/one']);
  expect(await read('Gear')).toMatchObject({ spec: { size: 2 }, status: { done: true } });
  writes = [];
  await runActionWith(ctx, deps, asking('Cog', 'turn'));
  expect(writes.at(-1)).toBe('PATCH cogs/one');
  expect(await read('Cog')).toMatchObject({ spec: { size: 2 }, status: { done: true } });
});

const creating = (...names: string[]) => `return {
  ${names
    .map(
      (name) => `{ operation = 'create', resource = {
    apiVersion = 'example.io/v1', kind = 'Cog', metadata = { name = '${name}', namespace = 'default' } } }`,
    )
    .join(', ')}
}`;

test('H-35: every create is tried without effect before the first is made', async () => {
  await runActionWith(ctx, depsWith({ turn: creating('two', 'three') }), asking('Gear', 'turn'));
  expect(writes).toEqual([
    'POST default/cogs dry',
    'POST default/cogs dry',
    'POST default/cogs',
    'POST default/cogs',
  ]);
  const twice = depsWith({ turn: creating('four', 'one') });
  await expect(runActionWith(ctx, twice, asking('Gear', 'turn'))).rejects.toThrow('already exists');
  expect(await read('Cog', 'four')).toBeUndefined();
});

test('H-35: nothing is written when the project refuses one of the objects', async () => {
  const blacklist = [{ group: 'example.io', kind: 'Cog' }];
  const deps = depsWith({ turn: creating('two') }, { namespaceResourceBlacklist: blacklist });
  await expect(runActionWith(ctx, deps, asking('Gear', 'turn'))).rejects.toThrow('denies example.io/Cog');
  expect(writes).toEqual([]);
});

test('an action on the application itself changes the application, and nothing else', async () => {
  await kube.create(ctx, definition('applications', 'Application', {}, 'argoproj.io/v1alpha1'));
  await kube
    .create(ctx, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } })
    .catch(() => {});
  const { status: _status, ...fresh } = app;
  await kube.create(ctx, fresh);
  const itself = { ...at('Application'), group: 'argoproj.io', namespace: 'argocd', resourceName: 'app' };
  const call = (action: string): MethodCall<ActionRequest> => ({
    ...asking('Application', action),
    body: { ...itself, action },
  });
  const listed = { ...asked('Application'), query: new URLSearchParams(itself) };
  expect((await actions(ctx, depsWith({}), listed)).actions.map(({ name }) => name)).toContain('turn');
  await runActionWith(ctx, depsWith({ turn: "obj.spec.project = 'shop' return obj" }), call('turn'));
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd', name: 'app' };
  expect(await kube.get(ctx, ref)).toMatchObject({ spec: { project: 'shop' } });
  writes = [];
  await expect(runActionWith(ctx, depsWith({ turn: creating('two') }), call('turn'))).rejects.toThrow(
    'may change nothing else',
  );
  expect(writes).toEqual([]);
});

test('what is not in the tree, or has no such action, is NotFound', async () => {
  const deps = depsWith({});
  await expect(actions(ctx, deps, asked('Pod'))).rejects.toThrow('Pod one is not part of application app');
  await expect(runActionWith(ctx, deps, asking('Gear', 'fly'))).rejects.toThrow('has no action fly');
});
