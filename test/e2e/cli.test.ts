import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from './cli-steps.ts';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';

// The commands that users of Argo CD type, with their output and exit codes.
let fairlead: Fairlead;

beforeAll(async () => {
  fairlead = await startFairlead();
  await fairlead.until('demo', 'settled', isSettled);
});

afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

const host = () => new URL(fairlead.url).host;

test('before a login every command says what to do', async () => {
  const { code, stderr } = await fairlead.cli('app', 'list');
  expect(code).toBe(20);
  expect(stderr).toContain('fairlead login');
});

test('a wrong password is refused in one sentence', async () => {
  const { code, stderr } = await fairlead.cli('login', host(), '--username', 'admin', '--password', 'wrong');
  expect(code).toBe(20);
  expect(stderr).toContain('Invalid username or password');
});

test('login, create, sync, wait, history, rollback, diff, delete', async () => {
  const login = await fairlead.cli('login', host(), '--username', 'admin', '--password', fairlead.password);
  expect(login).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("'admin:login' logged in successfully"),
  });

  const source = ['--repo', `file://${fairlead.demo}`, '--path', 'guestbook'];
  const dest = ['--dest-server', 'https://kubernetes.default.svc', '--dest-namespace', 'second'];
  const create = await fairlead.cli(
    'app',
    'create',
    'second',
    ...source,
    ...dest,
    '--sync-option',
    'CreateNamespace=true',
  );
  expect(create).toMatchObject({ code: 0, stdout: "application 'second' created\n" });

  const diff = await fairlead.cli('app', 'diff', 'second', '--refresh');
  expect(diff.code).toBe(1);
  expect(diff.stdout).toContain('===== apps/Deployment second/web ======');

  const sync = await fairlead.cli('app', 'sync', 'second', '--timeout', '60');
  expect(sync).toMatchObject({ code: 0, stdout: expect.stringContaining('Phase:              Succeeded') });
  const wait = await fairlead.cli('app', 'wait', 'second', '--timeout', '60');
  expect(wait).toMatchObject({ code: 0, stdout: expect.stringContaining('Health Status:      Healthy') });
  expect((await fairlead.cli('app', 'diff', 'second')).code).toBe(0);

  const list = await fairlead.cli('app', 'list', '-o', 'name');
  expect(list.stdout.split('\n')).toContain('argocd/second');
  const history = await fairlead.cli('app', 'history', 'second', '-o', 'id');
  expect(history.stdout).toBe('0\n');

  await fairlead.commit({
    'guestbook/greeting.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: greeting\ndata:\n  GREETING: Hello\n',
  });
  await fairlead.until('second', 'out of sync', ({ status }) => status?.sync?.status === 'OutOfSync');
  expect((await fairlead.cli('app', 'sync', 'second')).code).toBe(0);
  const rollback = await fairlead.cli('app', 'rollback', 'second', '0');
  expect(rollback).toMatchObject({ code: 0 });
  const { stdout } = await fairlead.kubectl(
    'get',
    'cm',
    'greeting',
    '-n',
    'second',
    '-o',
    'jsonpath={.data.GREETING}',
  );
  expect(stdout).toBe('Welcome aboard');

  const refused = await fairlead.cli('app', 'rollback', 'guestbook', '0');
  expect(refused.code).toBe(20);
  expect(refused.stderr).toContain('auto-sync');

  const remove = await fairlead.cli('app', 'delete', 'second', '--yes', '--wait');
  expect(remove).toMatchObject({ code: 0, stdout: "application 'second' deleted\n" });
  expect((await fairlead.cli('app', 'list', '-o', 'name')).stdout).not.toContain('second');
  const left = await fairlead.kubectl('get', 'deploy', '-n', 'second', '-o', 'name');
  expect(left.stdout).toBe('');
});

test('actions: listed, run with a parameter, written in Lua, and refused in words (H-32, H-37)', async () => {
  const source = ['--repo', `file://${fairlead.demo}`, '--path', 'guestbook'];
  const dest = ['--dest-server', 'https://kubernetes.default.svc', '--dest-namespace', 'acted'];
  const options = ['--sync-option', 'CreateNamespace=true'];
  await fairlead.cli('app', 'create', 'acted', ...source, ...dest, ...options);
  expect((await fairlead.cli('app', 'sync', 'acted', '--timeout', '60')).code).toBe(0);
  const actions = (...words: string[]) => fairlead.cli('app', 'actions', ...words);
  const web = ['--kind', 'Deployment', '--resource-name', 'web'];
  const read = async (path: string) => {
    const { stdout } = await fairlead.kubectl(
      'get',
      'deploy',
      'web',
      '-n',
      'acted',
      '-o',
      `jsonpath=${path}`,
    );
    return stdout;
  };

  const list = await actions('list', 'acted', ...web);
  expect(list.code).toBe(0);
  expect(list.stdout.split('\n')[0]).toBe('GROUP  KIND        NAME  ACTION   DISABLED');
  expect(list.stdout).toMatch(/^apps {3}Deployment {2}web {3}restart +false$/m);
  const json = await actions('list', 'acted', ...web, '-o', 'json');
  expect(JSON.parse(json.stdout)).toContainEqual({
    Group: 'apps',
    Kind: 'Deployment',
    Name: 'web',
    Action: 'scale',
    Disabled: false,
  });

  expect(await actions('run', 'acted', 'restart', ...web)).toEqual({ code: 0, stdout: '', stderr: '' });
  const annotations = '{.spec.template.metadata.annotations}';
  expect(await read(annotations)).toContain('kubectl.kubernetes.io/restartedAt');
  expect((await actions('run', 'acted', 'scale', ...web, '--param', 'replicas=3')).code).toBe(0);
  expect(await read('{.spec.replicas}')).toBe('3');
  const wrong = await actions('run', 'acted', 'scale', ...web, '--param', 'replicas=many');
  expect(wrong).toMatchObject({ code: 20, stderr: expect.stringContaining('not a number of replicas') });
  const several = await actions('run', 'acted', 'restart', '--kind', 'Deployment');
  expect(several).toMatchObject({ code: 20, stderr: expect.stringContaining('--all') });
  expect((await actions('run', 'acted', 'fly', ...web)).code).toBe(20);

  const block = `mergeBuiltinActions: true
discovery.lua: return { label = { params = { { name = "value" } } } }
definitions:
  - name: label
    action.lua: |
      obj.metadata.labels = obj.metadata.labels or {}
      obj.metadata.labels.acted = actionParams.value
      return obj
`;
  const patch = JSON.stringify({ data: { 'resource.customizations.actions.apps_Deployment': block } });
  await fairlead.kubectl('patch', 'configmap', 'argocd-cm', '-n', 'argocd', '--type=merge', '-p', patch);
  const names = async () => (await actions('list', 'acted', ...web)).stdout;
  await expect.poll(names, { timeout: 20_000 }).toContain('label');
  expect((await actions('run', 'acted', 'label', ...web, '--param', 'value=yes')).code).toBe(0);
  expect(await read('{.metadata.labels.acted}')).toBe('yes');
  const events = await fairlead.kubectl('get', 'events', '-n', 'argocd', '-o', 'json');
  const told = JSON.parse(events.stdout).items.map((item: { message: string }) => item.message);
  expect(told).toContain('admin ran restart on Deployment web');
  expect(told).toContainEqual(expect.stringMatching(/^admin started a sync/));
  expect((await fairlead.cli('app', 'delete', 'acted', '--yes')).code).toBe(0);
});

test('T-8: what nobody declares is told where the project asks for it', async () => {
  await fairlead.kubectl('create', 'namespace', 'strays');
  await fairlead.kubectl('create', 'configmap', 'lost', '-n', 'strays');
  await fairlead.apply({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'tidy', namespace: 'argocd' },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      orphanedResources: { warn: true },
    },
  });
  const source = ['--project', 'tidy', '--repo', `file://${fairlead.demo}`, '--path', 'guestbook'];
  const dest = ['--dest-server', 'https://kubernetes.default.svc', '--dest-namespace', 'strays'];
  expect(await fairlead.cli('app', 'create', 'tidy', ...source, ...dest)).toMatchObject({ code: 0 });
  const get = await fairlead.cli('app', 'get', 'tidy', '--refresh');
  expect(get.stdout).toMatch(/OrphanedResourceWarning +Git does not declare ConfigMap lost in/);
});

test('a dry run ends by itself, a typo is said at once, and an empty selection is refused', async () => {
  const dry = await fairlead.cli('app', 'sync', 'guestbook', '--dry-run', '--timeout', '20');
  expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('dry run') });
  const typo = await fairlead.cli('app', 'wait', 'guestbok', '--timeout', '20');
  expect(typo).toMatchObject({ code: 20, stderr: expect.stringContaining('"guestbok" not found') });
  const nothing = await fairlead.cli('app', 'sync', 'guestbook', '--resource', 'apps:Deployment:nope');
  expect(nothing).toMatchObject({
    code: 20,
    stderr: expect.stringContaining('no resource apps:Deployment:nope'),
  });
});

test('help teaches, and a wrong flag says so', async () => {
  const help = await fairlead.cli('app', 'sync', '--help');
  expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('--prune') });
  const wrong = await fairlead.cli('app', 'sync', 'x', '--frobnicate');
  expect(wrong.code).toBe(20);
  expect(wrong.stderr).toContain('--frobnicate');
  expect((await fairlead.cli('app', 'frobnicate')).code).toBe(20);
  expect((await fairlead.cli('app', 'list', '-o', 'frobnicate')).code).toBe(20);
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor begins with this character
const cursor = /\u001b\[\d+A\u001b\[0J/;

test('on a terminal a sync shows its waves in order and what it waits for, and a diff its colours; elsewhere plain lines', async () => {
  const labelled = (name: string, wave: number, text: string) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, annotations: {argocd.argoproj.io/sync-wave: "${wave}"}}\ndata: {text: ${text}}\n`;
  const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {argocd.argoproj.io/sync-wave: "1"}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "example/web:1.0"}]}
`;
  await fairlead.commit({
    'waves/first.yaml': labelled('first', -1, 'one'),
    'waves/web.yaml': deployment,
    'waves/last.yaml': labelled('last', 3, 'one'),
  });
  const source = ['--repo', `file://${fairlead.demo}`, '--path', 'waves'];
  const dest = ['--dest-server', 'https://kubernetes.default.svc', '--dest-namespace', 'waves'];
  const options = ['--sync-option', 'CreateNamespace=true'];
  expect((await fairlead.cli('app', 'create', 'waves', ...source, ...dest, ...options)).code).toBe(0);

  const terminal = { isTerminal: true };
  const diff = await runHere(fairlead, ['app', 'diff', 'waves'], terminal);
  expect(diff).toMatchObject({ code: 1, stdout: expect.stringContaining('\u001b[32m+') });
  const sync = await runHere(fairlead, ['app', 'sync', 'waves', '--timeout', '60'], terminal);
  expect(sync.code).toBe(0);
  expect(sync.stdout).toMatch(cursor);
  expect(sync.stdout).toMatch(/wave -1: [\s\S]*wave 1: [\s\S]*wave 3: /);
  expect(sync.stdout).toContain('Waiting\u001b[0m: ');

  const plain = await runHere(fairlead, ['app', 'sync', 'waves', '--timeout', '60']);
  expect(plain.stdout).toMatch(/^TIMESTAMP +GROUP +KIND/m);
  expect(plain.stdout).toMatch(/^Phase: +Succeeded$/m);
  expect(plain.stdout + plain.stderr).not.toContain('\u001b');
  expect((await fairlead.cli('app', 'delete', 'waves', '--yes', '--wait')).code).toBe(0);
});
