import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, print } from '#lang/yaml';
import { logInAtProvider } from '../cookie-jar.ts';
import { eventually } from '../eventually.ts';
import { forget } from './fairlead.ts';
import { type SsoTenants, startSsoTenants } from './sso-tenants.ts';

// The command line logs in with the identity provider: a callback on a port of this machine, PKCE, a refresh token in the file.

const program = join(import.meta.dirname, '../../dist/main/fairlead.js');
let sso: SsoTenants;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  sso = await startSsoTenants();
  const { folder } = sso.tenants.fairlead;
  const file = join(folder, 'authority.pem');
  writeFileSync(file, sso.provider.authority);
  env = { PATH: process.env.PATH, HOME: folder, SSL_CERT_FILE: file };
  await eventually(async () => {
    const { text } = await sso.newJar().ask(`${sso.url}/api/v1/settings`);
    expect(text).toContain('oidcConfig');
  });
});
afterAll(async () => {
  await sso.stop();
  forget(sso.tenants.fairlead);
});

const start = (...args: string[]): ChildProcess => spawn(process.execPath, [program, ...args], { env });

async function outputOf(child: ChildProcess): Promise<{ code: number; text: string }> {
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      text += chunk;
    });
  const [code] = await once(child, 'close');
  return { code: Number(code), text };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The status line of the response to a request for a target that any page can send. */
async function statusLine(port: number, host: string, target: string): Promise<string> {
  const socket = connect(port, host);
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return text.split('\r\n', 1)[0] ?? '';
}

/** Runs a command that prints an address, and logs in there. */
async function withBrowser(child: ChildProcess, account: string): Promise<{ code: number; text: string }> {
  const done = outputOf(child);
  if (!child.stdout) throw new Error('no output');
  const address = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      if (line.startsWith('https://')) resolve(line);
    });
  });
  const url = await Promise.race([address, done.then(({ text }) => Promise.reject(new Error(text)))]);
  const jar = sso.newJar();
  const page = await logInAtProvider(jar, url, account);
  const forged = (page.location ?? '').replace(/state=[^&]*/, 'state=forged');
  expect((await jar.ask(forged)).status).toBe(404);
  const { port, hostname } = new URL(forged);
  for (const target of ['//[', 'http://[bad/auth/callback'])
    expect(await statusLine(Number(port), hostname, target)).toContain(' 404 ');
  expect((await jar.ask(page.location ?? '')).text).toBe('You are logged in. You can close this page.\n');
  return done;
}

const configFile = () => join(sso.tenants.fairlead.folder, '.config/argocd/config');

test('server §4.4: login --sso, a refresh when the token has expired, relogin and logout', async () => {
  const server = new URL(sso.url).host;
  const flags = ['--sso-port', String(await freePort()), '--sso-launch-browser=false'];
  const login = await withBrowser(start('login', server, '--plaintext', '--sso', ...flags), 'mia');
  expect([login.code, login.text]).toEqual([0, expect.stringContaining("'mia@shop.example' logged in")]);
  expect((await outputOf(start('app', 'get', 'web'))).code).toBe(0);
  expect((await outputOf(start('app', 'get', 'vault'))).code).toBe(20);

  type Config = { users: { 'auth-token'?: string; 'refresh-token'?: string }[] };
  const config = parse(readFileSync(configFile(), 'utf8')) as Config;
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const expired = `${part({ alg: 'RS256' })}.${part({ iss: sso.provider.issuer, sub: 'mia', exp: 1 })}.x`;
  for (const user of config.users) user['auth-token'] = expired;
  writeFileSync(configFile(), print(config), { mode: 0o600 });
  expect((await outputOf(start('app', 'get', 'web'))).code).toBe(0);
  expect(readFileSync(configFile(), 'utf8')).not.toContain(expired);

  const again = await withBrowser(start('relogin', ...flags), 'noah');
  expect([again.code, again.text]).toEqual([0, expect.stringContaining("'noah@shop.example' logged in")]);
  expect((await outputOf(start('app', 'get', 'web'))).code).toBe(20);
  const { users } = parse(readFileSync(configFile(), 'utf8')) as Config;
  const stolen = users[0]?.['auth-token'] ?? '';
  expect((await outputOf(start('logout', server))).code).toBe(0);
  expect(readFileSync(configFile(), 'utf8')).not.toContain(stolen);
  const answer = await sso.tenants.ask({ token: stolen }, 'GET', '/api/v1/applications');
  expect(answer.status).toBe(401);
});

test('without a provider the command says what to do instead', async () => {
  await sso.tenants.configure('argocd-cm', { 'oidc.config': null });
  await eventually(async () => {
    const { code, text } = await outputOf(start('login', new URL(sso.url).host, '--plaintext', '--sso'));
    expect([code, text]).toEqual([
      20,
      expect.stringContaining('has no single sign-on: log in with --username'),
    ]);
  });
});
