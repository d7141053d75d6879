import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fairlead, forget, isSettled, startFairlead } from './fairlead.ts';

// fairlead appset …: what users of Argo CD type for ApplicationSets, and the preview that is ours.
let fairlead: Fairlead;
let file = '';

const manifest = (names: readonly string[], path = 'guestbook') => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  metadata: { name: 'fleet' },
  spec: {
    goTemplate: true,
    goTemplateOptions: ['missingkey=error'],
    generators: [{ list: { elements: names.map((name) => ({ name })) } }],
    template: {
      metadata: { name: '{{ .name }}' },
      spec: {
        project: 'default',
        source: { repoURL: `file://${fairlead.demo}`, path, targetRevision: 'HEAD' },
        destination: { server: 'https://kubernetes.default.svc', namespace: '{{ .name }}' },
        syncPolicy: { automated: {}, syncOptions: ['CreateNamespace=true'] },
      },
    },
  },
});
const save = (...given: Parameters<typeof manifest>) => writeFile(file, JSON.stringify(manifest(...given)));

beforeAll(async () => {
  fairlead = await startFairlead();
  file = join(fairlead.folder, 'fleet.json');
  const host = new URL(fairlead.url).host;
  const login = await fairlead.cli('login', host, '--username', 'admin', '--password', fairlead.password);
  expect(login.code).toBe(0);
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

test('generate shows the applications of a file before anything is stored', async () => {
  await save(['east', 'west']);
  const names = await fairlead.cli('appset', 'generate', file, '-o', 'name');
  expect(names).toMatchObject({ code: 0, stdout: 'argocd/east\nargocd/west\n' });
  const diff = await fairlead.cli('appset', 'generate', file, '--diff');
  expect(diff.code).toBe(1);
  expect(diff.stdout).toContain('2 to create, 0 to update, 0 to delete, 0 unchanged');
  const rehearsal = await fairlead.cli('appset', 'create', file, '--dry-run');
  expect(rehearsal).toMatchObject({ code: 0, stdout: "ApplicationSet 'fleet' created (dry run)\n" });
  expect((await fairlead.cli('appset', 'list', '-o', 'name')).stdout).toBe('');
});

test('create, list, get, and the applications follow', async () => {
  const created = await fairlead.cli('appset', 'create', file);
  expect(created).toMatchObject({ code: 0, stdout: "ApplicationSet 'fleet' created\n" });
  for (const name of ['east', 'west']) await fairlead.until(name, 'settled', isSettled);
  expect((await fairlead.cli('appset', 'list', '-o', 'name')).stdout).toBe('argocd/fleet\n');
  await expect
    .poll(async () => (await fairlead.cli('appset', 'get', 'fleet')).stdout, { timeout: 20_000 })
    .toMatch(/Applications: +2\n[\s\S]*ResourcesUpToDate +True/);
  const tree = await fairlead.cli('appset', 'get', 'fleet', '-o', 'tree');
  expect(tree.stdout).toMatch(/^ApplicationSet\/fleet .*\n├─Application\/east .*\n└─Application\/west .*\n$/);
});

test('create and delete with --wait return when the applications are as the set says', async () => {
  const own = join(fairlead.folder, 'waited.json');
  const named = (...names: string[]) => {
    const set = manifest(names);
    return writeFile(own, JSON.stringify({ ...set, metadata: { ...set.metadata, name: 'waited' } }));
  };
  const names = async () => (await fairlead.cli('app', 'list', '-o', 'name')).stdout;
  await named('waited-a');
  expect((await fairlead.cli('appset', 'create', own, '--wait')).code).toBe(0);
  expect(await names()).toContain('argocd/waited-a');
  // the condition of the spec before this one says that it is up to date
  await named('waited-a', 'waited-b');
  expect((await fairlead.cli('appset', 'create', own, '--upsert', '--wait')).code).toBe(0);
  expect(await names()).toContain('argocd/waited-b');
  const deleted = await fairlead.cli('appset', 'delete', 'waited', '-y', '--wait');
  expect(deleted).toMatchObject({ code: 0, stdout: "applicationset 'waited' deleted\n" });
  expect((await fairlead.cli('appset', 'get', 'waited')).code).toBe(20);
  expect((await fairlead.cli('appset', 'delete', 'waited', '-y', '--wait')).code).toBe(20);
});

test('generate by name, kubectl diff and the preview agree that nothing would change', async () => {
  const generated = await fairlead.cli('appset', 'generate', 'fleet', '-o', 'yaml');
  expect(generated.code).toBe(0);
  const yaml = join(fairlead.folder, 'generated.yaml');
  await writeFile(yaml, generated.stdout);
  expect(await fairlead.kubectl('diff', '-f', yaml)).toMatchObject({ code: 0, stdout: '' });
  const preview = await fairlead.cli('appset', 'generate', 'fleet', '--diff');
  expect(preview).toMatchObject({ code: 0, stdout: '0 to create, 0 to update, 0 to delete, 2 unchanged\n' });
});

test('the preview of an edit names what is created, updated and deleted', async () => {
  await save(['east', 'north'], '.');
  const preview = await fairlead.cli('appset', 'generate', file, '--diff');
  expect(preview.code).toBe(1);
  expect(preview.stdout).toContain('===== update argocd/east ======\n');
  expect(preview.stdout).toMatch(/-\s+path: guestbook\n\+\s+path: \.\n/);
  expect(preview.stdout).toContain('===== create argocd/north ======\n===== delete argocd/west ======\n');
  expect(preview.stdout).toContain('1 to create, 1 to update, 1 to delete, 0 unchanged\n');
});

test('another spec needs --upsert', async () => {
  await save(['east']);
  const refused = await fairlead.cli('appset', 'create', file);
  expect(refused.code).toBe(20);
  expect(refused.stderr).toContain(
    'existing ApplicationSet spec is different, use upsert flag to force update',
  );
  expect((await fairlead.cli('appset', 'create', file, '--upsert')).code).toBe(0);
  await expect
    .poll(async () => (await fairlead.cli('app', 'list', '-o', 'name')).stdout, { timeout: 20_000 })
    .not.toContain('argocd/west');
});

const inProject = (project: string) => ({ spec: { ...manifest([]).spec.template.spec, project } });

test.each([
  ['a generator that is none', () => ({ generators: [{ lst: {} }] }), 'spec.generators[0]'],
  ['a templated project', () => ({ template: inProject('{{ .p }}') }), 'templated `project`'],
  ['an unknown project', () => ({ template: inProject('nowhere') }), 'project nowhere which does not exist'],
])('%s is refused with its place', async (_, part, text) => {
  const whole = manifest(['east']);
  await writeFile(file, JSON.stringify({ ...whole, spec: { ...whole.spec, ...part() } }));
  const refused = await fairlead.cli('appset', 'create', file, '--upsert');
  expect(refused.code).toBe(20);
  expect(refused.stderr).toContain(text);
});

test('delete removes the set and its applications', async () => {
  const deleted = await fairlead.cli('appset', 'delete', 'fleet', '-y');
  expect(deleted).toMatchObject({ code: 0, stdout: "applicationset 'fleet' deleted\n" });
  await expect
    .poll(async () => (await fairlead.cli('app', 'list', '-o', 'name')).stdout, { timeout: 20_000 })
    .not.toContain('argocd/east');
  const gone = await fairlead.cli('appset', 'get', 'fleet');
  expect(gone.code).toBe(20);
  expect(gone.stderr).toContain('"fleet" not found, or you may not see it');
});
