import { afterEach, expect, test } from 'vitest';
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
