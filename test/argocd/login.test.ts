import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { runHere } from '../e2e/cli-steps.ts';
import { forget } from '../e2e/fairlead.ts';
import { type Argocd, startArgocd } from './argocd.ts';

// compat server §3.4, §8.2: how the unmodified argocd gets in: over TLS and plaintext, gRPC and gRPC-web, below a root path, by a token.

let argocd: Argocd | undefined;
afterEach(async () => {
  await argocd?.fairlead.stop();
  if (argocd) forget(argocd.fairlead);
  argocd = undefined;
});

const login = ({ host, fairlead }: Argocd, ...flags: string[]): string[] => [
  ...['login', host, '--username', 'admin', '--password', fairlead.password],
  ...flags,
];

test('over plaintext: by password, by token, by gRPC-web, and no longer after a logout', async () => {
  argocd = await startArgocd();
  const { run, runWith, prints, host } = argocd;
  expect(await run('app', 'list', '--server', host, '--plaintext')).toMatchObject({
    code: 20,
    stderr: expect.stringContaining('code = Unauthenticated'),
  });
  const wrong = ['login', host, '--username', 'admin', '--password', 'wrong', '--plaintext'];
  for (const more of [[], ['--grpc-web']])
    expect(await run(...wrong, ...more)).toMatchObject({
      code: 20,
      stderr: expect.stringContaining('code = Unauthenticated desc = Invalid username or password'),
    });
  // what it probes first is TLS: the answer must be quick, and then it asks
  expect(await runWith('n\n', ...login(argocd))).toMatchObject({
    stdout: expect.stringContaining('server is not configured with TLS'),
  });
  await prints(login(argocd, '--plaintext'), /'admin:login' logged in successfully/);
  await prints(['version', '--short'], /^argocd-server: v/m);
  await prints(['account', 'get-user-info'], /Logged In: true\nUsername: admin\nIssuer: argocd/);
  const token = (await prints(['account', 'session-token'])).trim();
  const names = /^argocd\/demo$/m;
  const other = ['app', 'list', '-o', 'name', '--server', host, '--plaintext', '--auth-token'];
  await prints([...other, token], names);
  await prints([...other, token, '--grpc-web'], names);
  expect((await run(...other, `${token}x`)).code).toBe(20);
  await prints(['logout', host, '--plaintext'], /Logged out from/);
  expect(await run(...other, token)).toMatchObject({
    code: 20,
    stderr: expect.stringContaining('Unauthenticated'),
  });
});

test('relogin takes the place of a token that is no longer valid', async () => {
  argocd = await startArgocd();
  const { prints, run, host, fairlead } = argocd;
  await prints(login(argocd, '--plaintext'), /logged in successfully/);
  const token = (await prints(['account', 'session-token'])).trim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const ended = await fetch(`${fairlead.url}/api/v1/session`, { method: 'DELETE', headers });
  expect(ended.status).toBe(200);
  expect((await run('app', 'list')).code).toBe(20);
  expect((await run('relogin', '--password', 'wrong')).code).toBe(20);
  await prints(
    ['relogin', '--password', fairlead.password],
    /Relogging in as 'admin:login'/,
    new RegExp(`Context '${host}' updated`),
  );
  await prints(['app', 'list', '-o', 'name'], /^argocd\/demo$/m);
});

test('over TLS with a certificate that signs itself: it is shown, and --insecure accepts it', async () => {
  argocd = await startArgocd('--tls');
  const { runWith, prints, run } = argocd;
  expect(await runWith('n\n', ...login(argocd))).toMatchObject({
    stdout: expect.stringMatching(/server certificate had error: .*x509/),
  });
  await prints(login(argocd, '--insecure'), /logged in successfully/);
  await prints(['app', 'list', '-o', 'name'], /^argocd\/demo$/m);
  await prints(login(argocd, '--insecure', '--grpc-web'), /logged in successfully/);
  const isHealthy = async () => (await run('app', 'wait', 'guestbook', '--health', '--timeout', '60')).code;
  await expect.poll(isHealthy, { timeout: 60_000 }).toBe(0); // the demo creates it
  await prints(['app', 'logs', 'guestbook', '--tail', '1'], /simulated/);
});

test('behind a root path: by gRPC-web with --grpc-web-root-path', async () => {
  argocd = await startArgocd('--rootpath', '/gitops');
  const { prints, host } = argocd;
  await prints(login(argocd, '--plaintext', '--grpc-web-root-path', '/gitops'), /logged in successfully/);
  await prints(['app', 'list', '-o', 'name'], /^argocd\/demo$/m);
  const headers = { 'content-type': 'application/grpc-web+proto' };
  const elsewhere = await fetch(`http://${host}/version.VersionService/Version`, { method: 'POST', headers });
  expect(elsewhere.status).toBe(404);
});

/** Ours, with the configuration file of the peer's. */
const runOurs = ({ fairlead, folder }: Argocd, ...words: string[]) =>
  runHere(fairlead, words, { env: { HOME: folder, ARGOCD_CONFIG_DIR: join(folder, 'config') } });

/** The token of a context, read by ours. */
const tokenOf = async (argocd: Argocd, context: string): Promise<string> =>
  (await runOurs(argocd, 'account', 'session-token', '--argocd-context', context)).stdout.trim();

const listed = { code: 0, stdout: expect.stringMatching(/^argocd\/demo$/m) };

test('a context of one command line works in the other, which switches it and signs it out (server §8.1)', async () => {
  argocd = await startArgocd();
  const { prints, run, host, folder } = argocd;
  await prints(login(argocd, '--plaintext', '--name', 'theirs'), /logged in successfully/);
  expect(await runOurs(argocd, 'app', 'list', '-o', 'name')).toMatchObject(listed);
  expect(await runOurs(argocd, ...login(argocd))).toMatchObject({ code: 0 });
  await prints(['app', 'list', '-o', 'name'], /^argocd\/demo$/m);
  await prints(
    ['context'],
    new RegExp(`^ +theirs +${host}$`, 'm'),
    new RegExp(`^\\* +${host} +${host}$`, 'm'),
  );

  // what one changes of the file, the other reads
  await prints(['configure', '--prompts-enabled=true'], /enabled/);
  await prints(['context', 'theirs'], /Switched to context 'theirs'/);
  expect((await runOurs(argocd, 'context')).stdout).toMatch(/^\* +theirs/m);
  expect(await runOurs(argocd, 'context', host)).toMatchObject({ code: 0 });
  await prints(['context'], new RegExp(`^\\* +${host}`, 'm'));
  expect(readFileSync(join(folder, 'config/config'), 'utf8')).toMatch(/^prompts-enabled: true$/m);

  // each signs the login of the other out, also on the server: argocd takes the name of a context for its server
  const [ours, theirs] = [await tokenOf(argocd, host), await tokenOf(argocd, 'theirs')];
  const isValid = async (token: string) =>
    (await run('app', 'list', '--server', host, '--plaintext', '--auth-token', token)).code === 0;
  expect([await isValid(ours), await isValid(theirs)]).toEqual([true, true]);
  expect(await runOurs(argocd, 'logout', 'theirs')).toMatchObject({ code: 0 });
  expect((await run('app', 'list', '--argocd-context', 'theirs')).code).toBe(20);
  expect([await isValid(ours), await isValid(theirs)]).toEqual([true, false]);
  await prints(['logout', host, '--plaintext', '--prompts-enabled=false'], /Logged out from/);
  expect(await runOurs(argocd, 'app', 'list', '--argocd-context', host)).toMatchObject({ code: 20 });
  expect(await isValid(ours)).toBe(false);
  await prints(['context', 'theirs', '--delete'], /deleted/);
  expect((await runOurs(argocd, 'context')).stdout).not.toMatch(/theirs/);
});

test('a shared context keeps that a certificate is accepted, and whether gRPC-web is wanted', async () => {
  argocd = await startArgocd('--tls');
  const { prints } = argocd;
  await prints(login(argocd, '--insecure', '--grpc-web'), /logged in successfully/);
  expect(await runOurs(argocd, 'app', 'list', '-o', 'name')).toMatchObject(listed);
  expect(await runOurs(argocd, ...login(argocd, '--insecure', '--name', 'ours'))).toMatchObject({ code: 0 });
  await prints(['app', 'list', '-o', 'name'], /^argocd\/demo$/m);
  expect(readFileSync(join(argocd.folder, 'config/config'), 'utf8')).toMatch(/^ {2}grpc-web: true$/m);
});

test('a shared context keeps the root path', async () => {
  argocd = await startArgocd('--rootpath', '/gitops');
  const { prints, host, fairlead } = argocd;
  await prints(login(argocd, '--plaintext', '--grpc-web-root-path', '/gitops'), /logged in successfully/);
  expect(await runOurs(argocd, 'app', 'list', '-o', 'name')).toMatchObject(listed);
  const account = ['--username', 'admin', '--password', fairlead.password, '--plaintext'];
  const ours = await runOurs(argocd, 'login', `${host}/gitops`, ...account, '--name', 'ours');
  expect(ours).toMatchObject({ code: 0 });
  await prints(['app', 'list', '-o', 'name', '--argocd-context', 'ours'], /^argocd\/demo$/m);
});
