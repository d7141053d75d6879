import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runCli } from '../../run.ts';
// loaded before the tests, as their limit is for what they do
import './admin-overrides.ts';
import './admin-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'fairlead-rbac-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function rbac(...args: string[]) {
  let [out, err] = ['', ''];
  const io = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    env: {},
    isTerminal: false,
    prompt: async () => '',
  };
  const signal = new AbortController().signal;
  const openManifests = () => Promise.reject(new Error('nothing is rendered here'));
  const options = { io, signal, version: '0', roles: [], openManifests };
  const code = await runCli(['admin', 'settings', 'rbac', ...args], options);
  return { code, out, err };
}

const csv = file('policy.csv', 'p, role:dev, applications, sync, shop/*, allow\ng, jane, role:dev\n');
const map = file(
  'rbac.yaml',
  [
    'apiVersion: v1',
    'kind: ConfigMap',
    'metadata: { name: argocd-rbac-cm }',
    'data:',
    '  policy.default: role:readonly',
    '  policy.csv: |',
    '    p, role:dev, applications, sync, shop/*, allow',
    '  policy.team.csv: |',
    '    g, jane, role:dev',
  ].join('\n'),
);

test('can says Yes with exit code 0 and No with 1 (server §8.6)', async () => {
  expect(await rbac('can', 'jane', 'sync', 'app', 'shop/web', '--policy-file', csv)).toEqual({
    code: 0,
    out: 'Yes\n',
    err: '',
  });
  expect(await rbac('can', 'jane', 'sync', 'app', 'bank/web', '--policy-file', csv)).toEqual({
    code: 1,
    out: 'No\n',
    err: '',
  });
});

test('can tells which line decided, or says nothing but its exit code (server §8.6)', async () => {
  const yes = await rbac(
    'can',
    'jane',
    'sync',
    'applications',
    'shop/web',
    '--policy-file',
    map,
    '--explain',
  );
  expect(yes.out).toBe(
    'Yes\ndecided for jane by policy.csv line 1: p, role:dev, applications, sync, shop/*, allow\n',
  );
  const no = await rbac('can', 'bob', 'sync', 'applications', 'shop/web', '--policy-file', map, '--explain');
  expect(no.out).toBe('No\nno line of the policy says anything about it\n');
  const admin = await rbac('can', 'role:admin', 'sync', 'app', '--policy-file', csv, '--explain');
  expect(admin.out).toContain('by the built-in policy line');
  expect(await rbac('can', 'bob', 'sync', 'apps', '-q', '--policy-file', csv)).toEqual({
    code: 1,
    out: '',
    err: '',
  });
});

test('a ConfigMap brings its default role, which a flag may replace; overlays count (server §5.3, §8.6)', async () => {
  expect((await rbac('can', 'bob', 'get', 'app', '--policy-file', map)).out).toBe('Yes\n');
  expect((await rbac('can', 'bob', 'get', 'app', '--policy-file', map, '--default-role', '')).out).toBe(
    'No\n',
  );
  expect((await rbac('can', 'jane', 'sync', 'app', 'shop/x', '--policy-file', map)).out).toBe('Yes\n');
});

test('the built-in policy can be left out (server §8.6)', async () => {
  const ask = ['can', 'role:admin', 'get', 'cluster', 'https://c1', '--policy-file', csv];
  expect((await rbac(...ask)).out).toBe('Yes\n');
  expect((await rbac(...ask, '--use-builtin-policy=false')).out).toBe('No\n');
});

test('what nobody asks about is refused, unless it is meant (server §8.6)', async () => {
  expect(await rbac('can', 'jane', 'eat', 'app', '--policy-file', csv)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('fairlead: unknown action "eat" on applications'),
  });
  expect((await rbac('can', 'jane', 'eat', 'app', '--policy-file', csv, '--strict=false')).out).toBe('No\n');
});

test('validate names the line and the fix, and warns of what may not be meant (server §8.6)', async () => {
  expect(await rbac('validate', '--policy-file', csv)).toEqual({
    code: 0,
    out: 'Policy is valid.\n',
    err: '',
  });
  const bad = file('bad.csv', 'g, jane\n');
  expect(await rbac('validate', '--policy-file', bad)).toEqual({
    code: 1,
    out: '',
    err: 'fairlead: invalid policy: policy.csv line 1: a g line has 2 fields and needs 3: g, member, role\n',
  });
  const odd = file('odd.csv', 'g, jane, role:none\n');
  expect((await rbac('validate', '--policy-file', odd)).out).toBe(
    'warning: policy.csv line 1: the role role:none has no permissions; is its name right?\nPolicy is valid.\n',
  );
});

test('a file that is not there is told', async () => {
  expect(await rbac('validate', '--policy-file', join(folder, 'none'))).toMatchObject({
    code: 20,
    err: expect.stringContaining('there is no such file'),
  });
});
