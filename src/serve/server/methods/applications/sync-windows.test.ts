import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type Application,
  asKubeObject,
  defaultProjectSpec,
  defaultSettings,
  inClusterName,
  inClusterServer,
  type SyncWindow,
} from '#base/model';
import { type Ctx, type LogFields, realClock, silent, virtualClock } from '#base/std';
import { Clusters, Informer, type LiveCluster } from '#control/live';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { memoryStore } from '#platform/store';
import type { SyncRequest } from '#serve/api';
import { permissionsOf, policyOf } from '../../../../../test/policy.ts';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { create } from './create.ts';
import { windows } from './windows.ts';
import { sync } from './write.ts';

const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd', name: 'app' };
const nightly: SyncWindow = { kind: 'deny', schedule: '0 0 * * *', duration: '1h', applications: ['*'] };
const override = 'fairlead.io/sync-window-override';
const clock = virtualClock({ start: new Date('2026-06-01T00:20:00Z') });

let cluster: EmbeddedCluster;
let kube: KubeClient;
let told: { message: string; fields?: LogFields | undefined }[];
let ctx: Ctx;

beforeEach(async () => {
  cluster = await createCluster({ store: memoryStore(), clock: realClock });
  kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  told = [];
  const log = {
    ...silent,
    warn: (message: string, fields?: LogFields) => void told.push({ message, fields }),
  };
  ctx = { signal: new AbortController().signal, log, clock };
  const text = readFileSync('deploy/crds/application.yaml', 'utf8');
  await kube.apply(ctx, asKubeObject(parse(text), 'crd'), { fieldManager: 'test', force: true });
  await kube.create(ctx, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
});

afterEach(() => cluster.close());

function depsWith(...syncWindows: SyncWindow[]): MethodDeps {
  const spec = { ...defaultProjectSpec, syncWindows };
  const home = { server: inClusterServer, name: inClusterName, kube } as LiveCluster;
  return {
    kube,
    apps: new Informer<Application>(kube, ref),
    context: {
      namespace: 'argocd',
      settings: () => defaultSettings,
      clusters: new Clusters({ kube, namespace: 'argocd', open: () => ({ ...home, close: () => {} }) }),
      projects: {
        get: () => ({ ...ref, kind: 'AppProject', metadata: { name: 'default', namespace: 'argocd' }, spec }),
      },
    },
  } as unknown as MethodDeps;
}

const call = <Body>(body: Body): MethodCall<Body> => ({
  params: { name: 'app' },
  query: new URLSearchParams('validate=false'), // the repositories are invented
  body,
  user: { username: 'jane' } as NonNullable<MethodCall['user']>,
  permissions: permissionsOf(),
  client: { address: '192.0.2.1', isSecure: false },
});

async function given(deps: MethodDeps, annotations: Record<string, string> = {}): Promise<void> {
  await create(
    ctx,
    deps,
    call<Application>({
      apiVersion: ref.apiVersion,
      kind: ref.kind,
      metadata: { name: 'app', namespace: 'argocd', annotations },
      spec: {
        project: 'default',
        source: { repoURL: 'https://git.example/a', path: '.' },
        destination: { server: inClusterServer, namespace: 'default' },
      },
    }),
  );
}

test('a person is refused while a window is closed, and told by which and until when (P-41, P-44)', async () => {
  const deps = depsWith(nightly);
  await given(deps);
  await expect(sync(ctx, deps, call<SyncRequest>({}))).rejects.toMatchObject({
    code: 'PermissionDenied',
    message:
      'cannot sync: blocked by sync window: sync is blocked: deny window "0 0 * * *" for 1h is active; ' +
      'it may pass from 2026-06-01T01:00:00Z; manualSync on the window would let people through',
  });
});

test('force does not open it (P-47, X-23), manualSync does (P-41)', async () => {
  const closed = depsWith(nightly);
  await given(closed);
  const forced: SyncRequest = { strategy: { hook: { force: true } } };
  await expect(sync(ctx, closed, call(forced))).rejects.toThrow('--force does not open it');
  const open = { ...depsWith({ ...nightly, manualSync: true }), apps: closed.apps };
  expect((await sync(ctx, open, call<SyncRequest>({}))).operation?.initiatedBy?.username).toBe('jane');
});

test('a window that cannot be read refuses with what is wrong with it (P-43)', async () => {
  const deps = depsWith({ ...nightly, schedule: '@daily', manualSync: true });
  await given(deps);
  await expect(sync(ctx, deps, call<SyncRequest>({}))).rejects.toThrow(
    'names such as @daily are not known here',
  );
});

test('an override lets a person through, is logged, and goes along with the operation (X-22)', async () => {
  const deps = depsWith(nightly);
  await given(deps, { [override]: '2026-06-01T00:40:00Z' });
  const forged = { name: override, value: '2030-01-01T00:00:00Z' };
  const { operation } = await sync(
    ctx,
    deps,
    call<SyncRequest>({ infos: [forged, { name: 'why', value: 'fire' }] }),
  );
  expect(operation?.info).toEqual([
    { name: 'why', value: 'fire' },
    { name: override, value: '2026-06-01T00:40:00.000Z' },
  ]);
  expect(told).toContainEqual({
    message: 'sync windows overridden',
    fields: { app: 'app', user: 'jane', until: '2026-06-01T00:40:00.000Z' },
  });
});

test('the windows of an application are told, with what they come to for people and for automation', async () => {
  const allow: SyncWindow = { ...nightly, kind: 'allow', schedule: '0 9 * * *', manualSync: true };
  const elsewhere: SyncWindow = { ...nightly, applications: ['other'] };
  const asked = async (...all: SyncWindow[]) => {
    const spec = {
      source: { repoURL: 'https://git.example/a', path: '.' },
      destination: { name: inClusterName },
    };
    const apps = { get: () => ({ ...ref, metadata: { name: 'app', namespace: 'argocd' }, spec }) };
    return windows(ctx, { ...depsWith(...all), apps } as unknown as MethodDeps, call(undefined));
  };
  const denied = { kind: 'deny', schedule: '0 0 * * *', duration: '1h', manualSync: false };
  expect(await asked(nightly, allow, elsewhere)).toEqual({
    activeWindows: [denied],
    assignedWindows: [denied, { ...denied, kind: 'allow', schedule: '0 9 * * *', manualSync: true }],
    canSync: false,
    held: expect.stringMatching(/deny window "0 0 \* \* \*" for 1h is active; it may pass from 2026-06-01T/),
  });
  expect(await asked(allow)).toMatchObject({ activeWindows: [], canSync: true, held: expect.anything() });
  expect(await asked(elsewhere)).toEqual({ activeWindows: [], assignedWindows: [], canSync: true });
});

test('an application with fields nobody reads is not accepted (A-19, X-20)', async () => {
  const deps = depsWith();
  const body = {
    ...ref,
    metadata: { name: 'app' },
    spec: { destination: { server: inClusterServer }, destinations: [] },
  };
  await expect(create(ctx, deps, call(body as Application))).rejects.toThrow(
    'ApplicationSet with a list generator',
  );
});

test('local manifests are refused where a signature is required, where they are too large, and under automated sync (R-46)', async () => {
  const deps = depsWith();
  await given(deps);
  const request = call<SyncRequest>({ manifests: ['{}'] });
  const large = call<SyncRequest>({ manifests: ['x'.repeat(600_000), 'ü'.repeat(300_000)] });
  await expect(sync(ctx, deps, large)).rejects.toThrow(
    'local manifests of 1200000 bytes are too large: an operation holds at most 1048576',
  );
  const project = deps.context.projects.get('argocd', 'default');
  const spec = { ...defaultProjectSpec, signatureKeys: [{ keyID: '4AEE18F83AFDEB23' }] };
  const projects = { get: () => project && { ...project, spec } };
  const signed = { ...deps, context: { ...deps.context, projects } };
  await expect(sync(ctx, signed, request)).rejects.toThrow('the project wants the signatures');
  const patch = { type: 'merge' as const, body: { spec: { syncPolicy: { automated: {} } } } };
  deps.apps.put((await kube.patch(ctx, ref, patch)) as Application);
  await expect(sync(ctx, deps, request)).rejects.toMatchObject({
    code: 'PolicyFailed',
    message: expect.stringContaining('while automated sync is on'),
  });
  expect(((await kube.get(ctx, ref)) as Application).operation).toBeUndefined();
  const { operation } = await sync(ctx, deps, call<SyncRequest>({ manifests: ['{}'], dryRun: true }));
  expect(operation?.sync).toMatchObject({ manifests: ['{}'], dryRun: true });
});

test('local manifests become part of the operation', async () => {
  const deps = depsWith();
  await given(deps);
  const { operation } = await sync(ctx, deps, call<SyncRequest>({ manifests: ['{"kind":"ConfigMap"}'] }));
  expect(operation?.sync?.manifests).toEqual(['{"kind":"ConfigMap"}']);
});

test('the permission override is needed for local manifests, for another revision where the setting says so, and against a window', async () => {
  const deps = depsWith();
  await given(deps, { [override]: '2026-06-01T00:40:00Z' });
  const csv = 'p, jane, applications, get, */*, allow\np, jane, applications, sync, */*, allow';
  const asJane = (body: SyncRequest, more = '') => ({
    ...call(body),
    permissions: permissionsOf(policyOf({ 'policy.csv': `${csv}\n${more}` }), {
      user: 'jane',
      isLocal: true,
    }),
  });
  const missing = 'permission denied: applications, override, default/app, sub: jane';
  await expect(sync(ctx, deps, asJane({ manifests: ['{}'] }))).rejects.toThrow(missing);
  const server = { ...defaultSettings.server, revisionSyncNeedsOverride: true };
  const settings = () => ({ ...defaultSettings, server });
  const strict = { ...deps, context: { ...deps.context, settings } };
  await expect(sync(ctx, strict, asJane({ revision: 'v1' }))).rejects.toThrow(missing);
  const closed = { ...depsWith(nightly), apps: deps.apps };
  await expect(sync(ctx, closed, asJane({}))).rejects.toThrow('blocked by sync window');
  const more = 'p, jane, applications, override, default/app, allow';
  expect((await sync(ctx, closed, asJane({}, more))).operation).toBeDefined();
});

test('an operation that is sent along with a new application is dropped', async () => {
  const spec = {
    project: 'default',
    source: { repoURL: 'https://git.example/a', path: '.' },
    destination: { server: inClusterServer, namespace: 'default' },
  };
  const body: Application = {
    apiVersion: ref.apiVersion,
    kind: ref.kind,
    metadata: { name: 'app', namespace: 'argocd' },
    spec,
    operation: { sync: { manifests: ['{}'] } },
  };
  await create(ctx, depsWith(), call(body));
  expect(((await kube.get(ctx, ref)) as Application).operation).toBeUndefined();
});
