import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Application, isAutomated } from '#base/model';
import { eventually } from '../eventually.ts';
import { runHere } from './cli-steps.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

// What the command line asks at a terminal (server §8.1), and what it does with each answer, over TLS with a certificate of the server's own.

let fairlead: Fairlead;
let host: string;

beforeAll(async () => {
  fairlead = await startFairlead('--tls');
  host = new URL(fairlead.url).host;
  const { code, stderr } = await typed(`login ${host} --name tls`, 'y', 'admin', fairlead.password);
  expect(code, stderr).toBe(0);
  const create = [
    `app create shop --repo file://${fairlead.demo} --path guestbook --dest-namespace shop`,
    '--dest-server https://kubernetes.default.svc --sync-option CreateNamespace=true',
  ];
  expect(await typed(create.join(' '))).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await fairlead?.stop();
  if (fairlead) forget(fairlead);
});

/** A line typed at a terminal, and the answers to what it asks; an answer that is missing fails it. */
const typed = (line: string, ...answers: string[]) =>
  runHere(fairlead, line.split(' '), { isTerminal: true, answers });

test('login asks for what no flag gives: whether to trust the certificate, the name and the password', async () => {
  const env = { HOME: join(fairlead.folder, 'elsewhere') };
  mkdirSync(env.HOME);
  const login = (...answers: string[]) =>
    runHere(fairlead, ['login', host], { isTerminal: true, answers, env });
  const refused = await login('n');
  expect(refused).toMatchObject({ code: 20, stdout: '' });
  expect(refused.stderr).toMatch(/certificate.*\nProceed insecurely \(y\/n\)\? fairlead: /s);
  expect(await login('y', 'admin', 'wrong')).toMatchObject({ code: 20 });
  const done = await login('y', 'admin', fairlead.password);
  expect(done).toEqual({
    code: 0,
    stdout: `'admin:login' logged in successfully\nContext '${host}' updated\n`,
    stderr: expect.stringMatching(/Proceed insecurely \(y\/n\)\? Username: Password: $/),
  });
  // the login keeps that the certificate is accepted
  expect(await runHere(fairlead, ['app', 'list', '-o', 'name'], { env })).toMatchObject({ code: 0 });
});

test('without input login ends with what to do', async () => {
  const { code, stderr } = await fairlead.cli('login', host, '--insecure');
  expect({ code, stderr }).toEqual({
    code: 20,
    stderr: expect.stringMatching(
      /^Username: \nfairlead: no answer to 'Username:': .*give the answer with a flag/,
    ),
  });
});

test('a sync with --preview-changes shows them and starts only after yes', async () => {
  const preview = 'app sync shop --preview-changes --timeout 60';
  const question = /Do you want to continue with the sync\? \[y\/n\] $/;
  const isSynced = async () => /Sync Status: +Synced/.test((await typed('app get shop')).stdout);
  const refused = await typed(preview, 'n');
  expect(refused).toMatchObject({ code: 0, stderr: expect.stringMatching(question) });
  expect(refused.stdout).toContain('===== apps/Deployment shop/web ======');
  expect(await isSynced()).toBe(false);
  expect((await typed(preview)).code).toBe(20);
  expect(await typed(preview, 'yes')).toMatchObject({ code: 0 });
  expect(await isSynced()).toBe(true);
  expect(await typed(`${preview} --prompts-enabled=false`)).toMatchObject({ code: 0, stderr: '' });
});

test('a rollback under auto-sync turns it off first, after yes and only at a terminal (server §11.8)', async () => {
  // the root application of the demo creates it in a wave of its own
  await eventually(async () => expect((await typed('app list -o name')).stdout).toContain('/guestbook\n'));
  expect(await typed('app wait guestbook --timeout 60')).toMatchObject({ code: 0 });
  await fairlead.commit({
    'guestbook/more.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n',
  });
  await eventually(async () => expect((await typed('app history guestbook -o id')).stdout).toContain('1\n'));
  const rollback = 'app rollback guestbook 0 --timeout 60';
  const isOn = async () =>
    isAutomated((JSON.parse((await typed('app get guestbook -o json')).stdout) as Application).spec);
  expect(await runHere(fairlead, rollback.split(' '))).toMatchObject({
    code: 20,
    stderr: expect.stringContaining('auto-sync'),
  });
  expect(await typed(`${rollback} --prompts-enabled=false`)).toMatchObject({ code: 20 });
  expect(await typed(rollback, 'n')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Disable auto-sync and roll back to 0? [y/n] '),
  });
  expect(await isOn()).toBe(true);
  expect(await typed('app rollback guestbook 77')).toMatchObject({
    code: 20,
    stderr: expect.stringContaining('no history entry 77'),
  });
  const done = await typed(rollback, 'y');
  expect(done).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('auto-sync disabled: enable it again with fairlead app set guestbook'),
  });
  expect(await isOn()).toBe(false);
});

test('an editor changes an application and a project; an editor that changes nothing cancels', async () => {
  const edit = (line: string, change: (text: string) => string) =>
    runHere(fairlead, line.split(' '), { isTerminal: true, edit: change });
  expect(await edit('app edit shop', (text) => text)).toMatchObject({
    code: 0,
    stdout: 'Edit cancelled, no changes made.\n',
  });
  const revised = await edit('app edit shop', (text) =>
    text.replace(/^( *)path: guestbook$/m, '$1path: guestbook\n$1targetRevision: main'),
  );
  expect(revised).toMatchObject({ code: 0, stderr: '' });
  expect((await typed('app get shop -o json')).stdout).toContain('"targetRevision": "main"');
  expect(await typed('proj create edited')).toMatchObject({ code: 0 });
  const described = await edit('proj edit edited', () => 'description: by hand\n');
  expect(described).toMatchObject({ code: 0, stderr: '' });
  expect((await typed('proj get edited -o json')).stdout).toContain('"description": "by hand"');
  expect(await runHere(fairlead, ['app', 'edit', 'shop'])).toMatchObject({
    code: 20,
    stderr: expect.stringContaining('no terminal to edit in'),
  });
});

test('cluster add without flags asks before it makes an account with all rights', async () => {
  const context = (await fairlead.kubectl('config', 'current-context')).stdout.trim();
  const accounts = async () =>
    (await fairlead.kubectl('get', 'sa', '-n', 'kube-system', '-o', 'name')).stdout;
  expect(await typed(`cluster add ${context}`, 'n')).toMatchObject({
    ...{ code: 0, stdout: '' },
    stderr: expect.stringMatching(/full rights in the whole cluster .*Continue\? \[y\/n\] $/),
  });
  expect(await accounts()).not.toContain('argocd-manager');
  expect(await typed(`cluster add ${context}`, 'y')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(`^Cluster 'https://\\S+' added as '${context}'\n$`),
  });
  expect(await accounts()).toContain('argocd-manager');
  expect(await typed(`cluster rm ${context}`, 'n')).toMatchObject({ code: 0, stdout: '' });
  expect(await typed(`cluster rm ${context}`, 'y')).toMatchObject({
    stdout: expect.stringContaining('removed'),
  });
});

test('a new password is typed twice, and the login stays (server §3.5)', async () => {
  const old = fairlead.password;
  const update = 'account update-password';
  expect(await typed(update, old, 'new-password-1', 'new-password-2')).toMatchObject({
    code: 20,
    stderr: expect.stringContaining('the two passwords differ'),
  });
  expect(await typed(update, old, 'new-password-1', 'new-password-1')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Context 'tls' updated\n"),
  });
  expect(await typed('account get-user-info')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Username: admin'),
  });
  expect(await typed(update, 'new-password-1', old, old)).toMatchObject({ code: 0 });
});

test('a deletion waits for yes; configure turns that off, and what the peer writes into the file does not', async () => {
  const exists = async () => (await typed('app get shop')).code === 0;
  expect(await typed('app delete shop --wait', 'n')).toMatchObject({
    ...{ code: 0, stdout: '' },
    stderr: "Delete 'shop' and all its resources? [y/n] ",
  });
  expect(await typed('configure --prompts-enabled=false')).toMatchObject({
    stdout: 'Prompts are disabled\n',
  });
  expect(await typed('app delete shop --wait --prompts-enabled', 'n')).toMatchObject({ stdout: '' });
  expect(await exists()).toBe(true);
  expect(await typed('app delete shop --wait')).toMatchObject({
    stdout: "application 'shop' deleted\n",
    stderr: '',
  });
  expect(await typed('configure --prompts-enabled')).toMatchObject({ stdout: 'Prompts are enabled\n' });
  expect(await typed('proj delete edited')).toMatchObject({ code: 0 });
  expect(await exists()).toBe(false);
});
