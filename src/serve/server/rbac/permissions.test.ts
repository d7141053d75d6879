import { expect, test } from 'vitest';
import { type Application, type AppProject, defaultSettings } from '#base/model';
import { type Ctx, type LogFields, realClock, silent } from '#base/std';
import { findApplication } from '../methods/applications/find.ts';
import { list, watch } from '../methods/applications/list.ts';
import type { MethodDeps } from '../methods/deps.ts';
import type { MethodCall } from '../rest/request.ts';
import { LivePolicy } from './live-policy.ts';
import { Permissions } from './permissions.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

/** Feeds that a test publishes to. */
function feed<T>() {
  const readers = new Set<(item: T) => void>();
  return {
    publish: (item: T) => {
      for (const reader of readers) reader(item);
    },
    changes: async function* ({ signal }: Ctx): AsyncGenerator<T> {
      const waiting: T[] = [];
      let wake = () => {};
      const add = (item: T) => {
        waiting.push(item);
        wake();
      };
      readers.add(add);
      signal.addEventListener('abort', () => wake());
      while (!signal.aborted) {
        while (waiting.length > 0) yield waiting.shift() as T;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      readers.delete(add);
    },
  };
}

type Change = { before?: Application; after?: Application };

function house(data: Record<string, string>) {
  const state = { data, projects: new Map<string, AppProject>(), apps: new Map<string, Application>() };
  const [maps, projects, apps] = [feed<{ name: string }>(), feed<unknown>(), feed<Change>()];
  const reported: string[] = [];
  const policy = new LivePolicy({
    namespace: 'argocd',
    settings: {
      current: defaultSettings,
      dataOf: () => state.data,
      changes: feed<unknown>().changes,
      dataChanges: maps.changes,
      whenSynced: async () => {},
    },
    projects: { get: (_namespace, name) => state.projects.get(name), changes: projects.changes },
    apps,
    onProblems: async (_ctx, problems) => void reported.push(...problems.map(({ message }) => message)),
  });
  const deps = {
    apps: {
      get: (_namespace: string, name: string) => state.apps.get(name),
      list: () => [...state.apps.values()],
      changes: apps.changes,
    },
    context: {
      namespace: 'argocd',
      clusters: {
        resolve: () => {
          throw new Error('none');
        },
      },
    },
  } as unknown as MethodDeps;
  const put = (name: string, project: string) => {
    const app = { metadata: { name, namespace: 'argocd' }, spec: { project } } as Application;
    const before = state.apps.get(name);
    state.apps.set(name, app);
    apps.publish({ ...(before && { before }), after: app });
  };
  return {
    ...{ policy, deps, state, reported, put },
    setPolicy: (next: Record<string, string>) => {
      state.data = next;
      maps.publish({ name: 'argocd-rbac-cm' });
    },
    setProject: (project: AppProject) => {
      state.projects.set(project.metadata.name, project);
      projects.publish({});
    },
    call: (user: string, name: string, query: Record<string, string> = {}): MethodCall => {
      const token = { id: 'x', issued: 1_780_000_000 };
      const subject = { user, isLocal: true };
      const session = { username: user, issuer: 'argocd', subject, kind: 'login' as const, token };
      const permissions = new Permissions(policy, session);
      const [params, client] = [{ name }, { address: '', isSecure: true }];
      const search = new URLSearchParams(query);
      return { params, query: search, body: undefined, user: session, permissions, client };
    },
  };
}
const projectWith = (name: string, ...policies: string[]): AppProject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name, namespace: 'argocd' },
  spec: { roles: [{ name: 'dev', policies }] },
});
const outcome = (act: () => unknown): string => {
  try {
    act();
    return 'found';
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
};
const missing = (name: string) =>
  `NotFound: applications.argoproj.io "${name}" not found in namespace argocd`;

// jane may see shop and sync nothing; web is in shop, vault in bank
const policy = 'p, jane, applications, get, shop/*, allow\np, tom, applications, *, bank/*, allow';

test.each([
  ['what exists and may be seen', 'web', {}, 'found'],
  ['the same with its project', 'web', { project: 'shop' }, 'found'],
  ['what exists and may not be seen', 'vault', {}, 'PermissionDenied: permission denied'],
  ['what does not exist', 'nothing', {}, 'PermissionDenied: permission denied'],
  ['a hidden one with its project', 'vault', { project: 'bank' }, 'PermissionDenied: permission denied'],
  ['an absent one in a hidden project', 'none', { project: 'bank' }, 'PermissionDenied: permission denied'],
  ['an absent project', 'web', { project: 'none' }, 'PermissionDenied: permission denied'],
  ['an absent one in a visible project', 'none', { project: 'shop' }, missing('none')],
  ['a hidden one, as of a visible project', 'vault', { project: 'shop' }, missing('vault')],
])('server §2.4: %s', (_what, name, query, expected) => {
  const { deps, call, put } = house({ 'policy.csv': policy });
  put('web', 'shop');
  put('vault', 'bank');
  expect(outcome(() => findApplication(deps, call('jane', name, query), 'get'))).toBe(expected);
});

test('a caller that may see the application learns which permission is missing', () => {
  const { deps, call, put } = house({ 'policy.csv': policy });
  put('web', 'shop');
  const text = 'permission denied: applications, sync, shop/web, sub: jane, iat: 2026-05-28T20:26:40Z';
  for (const query of [{}, { project: 'shop' }])
    expect(outcome(() => findApplication(deps, call('jane', 'web', query), 'sync'))).toBe(
      `PermissionDenied: ${text}`,
    );
});

test('a list holds only what the caller may get, with the policy of that moment', async () => {
  const { deps, call, put, setPolicy, setProject } = house({ 'policy.csv': policy });
  put('web', 'shop');
  put('vault', 'bank');
  const names = async (user: string) =>
    [...(await list(ctx, deps, call(user, ''))).items].map(({ metadata }) => metadata.name);
  expect([await names('jane'), await names('tom'), await names('eve')]).toEqual([['web'], ['vault'], []]);
  setPolicy({ 'policy.csv': policy, 'policy.default': 'role:readonly' });
  expect(await names('eve')).toEqual(['vault', 'web']);
  setPolicy({ 'policy.csv': '' });
  setProject(projectWith('bank', 'p, proj:bank:dev, applications, get, bank/*, allow'));
  expect([await names('jane'), await names('proj:bank:dev')]).toEqual([[], ['vault']]);
  setProject(projectWith('bank'));
  expect(await names('proj:bank:dev')).toEqual([]);
});

test('two questions do not share a cached decision, wherever the spaces in them stand', () => {
  const { call } = house({ 'policy.csv': 'p, jane, applications, action/a, "b shop/web", allow' });
  const { permissions } = call('jane', '');
  const may = (action: string, object: string) =>
    permissions.may({ resource: 'applications', action, object });
  expect([may('action/a', 'b shop/web'), may('action/a b', 'shop/web')]).toEqual([true, false]);
});

test('server §5.3: an unreadable policy is reported, and the last readable one stays in force', async () => {
  const { policy: live, deps, call, put, setPolicy, reported } = house({ 'policy.csv': policy });
  put('web', 'shop');
  const stop = new AbortController();
  const logged: LogFields[] = [];
  const log = { ...silent, warn: (_line: string, fields?: LogFields) => void logged.push(fields ?? {}) };
  const running = live.run({ ...ctx, signal: stop.signal, log });
  expect(outcome(() => findApplication(deps, call('jane', 'web'), 'get'))).toBe('found');
  setPolicy({ 'policy.csv': `${policy}\np, jane, applications, sync` });
  await expect.poll(() => reported).toEqual([expect.stringContaining('needs 6')]);
  expect(logged).toMatchObject([{ configMap: 'argocd-rbac-cm', key: 'policy.csv', line: 3 }]);
  expect(outcome(() => findApplication(deps, call('jane', 'web'), 'get'))).toBe('found');
  stop.abort();
  await running;
});

test.each<[string, (of: ReturnType<typeof house>) => void]>([
  ['the policy', ({ setPolicy }) => setPolicy({})],
  ['the role of the project', ({ setProject }) => setProject(projectWith('shop'))],
  ['the project of the application', ({ put }) => put('web', 'bank')],
])('a stream of one application ends when %s no longer allows it', async (what, revoke) => {
  const isRole = what === 'the role of the project';
  const of = house({ 'policy.csv': policy });
  of.setProject(projectWith('shop', 'p, proj:shop:dev, applications, get, shop/web, allow'));
  of.put('web', 'shop');
  const stop = new AbortController();
  const inner = { ...ctx, signal: stop.signal };
  const running = of.policy.run(inner);
  const call = of.call(isRole ? 'proj:shop:dev' : 'jane', 'web');
  findApplication(of.deps, call, 'get');
  let isOver = false;
  const over = call.permissions.untilRevoked(inner).then(() => {
    isOver = true;
  });
  of.setPolicy({ 'policy.csv': `${policy}\ng, x, y` }); // a change that takes nothing from the caller
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  revoke(of);
  await over;
  stop.abort();
  await running;
});

test('a watch shows no event of what the caller may not get, and reports what it lost as deleted', async () => {
  const of = house({ 'policy.csv': policy });
  of.put('web', 'shop');
  of.put('vault', 'bank');
  const stop = new AbortController();
  const events: string[] = [];
  const reading = (async () => {
    for await (const { type, application } of watch(
      { ...ctx, signal: stop.signal },
      of.deps,
      of.call('jane', ''),
    ))
      events.push(`${type} ${application.metadata.name} ${application.spec.project}`);
  })();
  await expect.poll(() => events).toEqual(['ADDED web shop']);
  of.put('vault', 'bank');
  of.put('vault', 'shop');
  of.put('web', 'bank');
  await expect.poll(() => events).toEqual(['ADDED web shop', 'ADDED vault shop', 'DELETED web shop']);
  of.setPolicy({});
  of.put('vault', 'shop');
  of.setPolicy({ 'policy.csv': policy });
  of.put('late', 'shop');
  await expect.poll(() => events.slice(3)).toContain('ADDED late shop');
  stop.abort();
  await reading;
});
