import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueCertificates } from '../certificates.ts';
import { launchBrowser } from './browser.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

// The port of the started program: TLS with a certificate of its own and of the user's, plain HTTP, and everything below a path.

let fairlead: Fairlead;
beforeAll(async () => {
  fairlead = await startFairlead('--no-demo', '--tls', '--rootpath', '/argo-cd');
});
afterAll(async () => {
  await fairlead.stop();
  forget(fairlead);
});

const port = () => Number(new URL(fairlead.url).port);

type Asked = {
  readonly ca?: string;
  readonly isTls?: boolean;
  readonly body?: object;
  readonly host?: string;
};
type Answer = { status: number; headers: IncomingMessage['headers']; text: string };

function ask(path: string, { ca, isTls = true, body, host }: Asked = {}): Promise<Answer> {
  const options = {
    ...{ port: port(), path, agent: false as const, host: 'localhost' },
    method: body ? 'POST' : 'GET',
    headers: { accept: 'text/html, */*', 'content-type': 'application/json', ...(host && { host }) },
  };
  return new Promise((resolve, reject) => {
    const answered = async (answer: IncomingMessage): Promise<void> => {
      let text = '';
      for await (const chunk of answer) text += chunk;
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
    };
    const sent = isTls ? httpsRequest({ ...options, ca }, answered) : httpRequest(options, answered);
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

async function secretValue(name: string, key: string): Promise<string> {
  const path = `jsonpath={.data['${key.replaceAll('.', '\\.')}']}`;
  const { stdout } = await fairlead.kubectl('-n', 'argocd', 'get', 'secret', name, '-o', path);
  return Buffer.from(stdout, 'base64').toString();
}

/** The certificate that a client gets to see. */
function shown(): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({ port: port(), host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

test('server §1.5: the certificate that was made stands in argocd-secret, and names this machine', async () => {
  const ca = await secretValue('argocd-secret', 'tls.crt');
  expect((await ask('/argo-cd/api/version', { ca })).status).toBe(200);
  await expect(ask('/argo-cd/api/version')).rejects.toThrow('self-signed certificate');
});

test('server §2.1: plain HTTP is sent to TLS, and probes are answered', async () => {
  const { status, headers } = await ask('/argo-cd/x?a=b', { isTls: false });
  expect([status, headers.location]).toEqual([307, `https://localhost:${port()}/argo-cd/x?a=b`]);
  expect((await ask('/x', { isTls: false, host: 'a b/"' })).status).toBe(400);
  expect((await ask('/healthz', { isTls: false })).text).toBe('ok\n');
});

test('server §2.1: below a root path there is everything, and nothing beside it', async () => {
  const ca = await secretValue('argocd-secret', 'tls.crt');
  const page = await ask('/argo-cd/applications', { ca });
  expect(page.text).toContain('data-base="/argo-cd/"');
  expect(page.headers['content-security-policy']).toContain("frame-ancestors 'self'");
  expect(page.headers['strict-transport-security']).toBeUndefined(); // other programs share the name localhost
  expect((await ask('/', { ca })).headers.location).toBe('/argo-cd/');
  expect((await ask('/api/version', { ca })).status).toBe(404);
  const { servers } = JSON.parse((await ask('/argo-cd/swagger.json', { ca })).text) as { servers: object[] };
  expect(servers).toEqual([{ url: '/argo-cd' }]);
  const login = { username: 'admin', password: fairlead.password };
  const { headers } = await ask('/argo-cd/api/v1/session', { ca, body: login });
  expect(headers['set-cookie']?.[0]).toContain('Path=/argo-cd; SameSite=lax; HttpOnly; Secure');
});

test('server §8.1: the command line needs to know the certificate, or to be told that it need not', async () => {
  const server = `localhost:${port()}/argo-cd`;
  const flags = ['--username', 'admin', '--password', fairlead.password];
  const refused = await fairlead.cli('login', server, ...flags);
  expect([refused.code, refused.stderr]).toEqual([20, expect.stringContaining('or with --server-crt')]);
  const file = join(fairlead.folder, 'server.crt');
  writeFileSync(file, await secretValue('argocd-secret', 'tls.crt'));
  expect((await fairlead.cli('login', server, ...flags, '--server-crt', file)).code).toBe(0);
  expect((await fairlead.cli('app', 'list')).code).toBe(0);
  expect((await fairlead.cli('login', server, ...flags, '--insecure')).code).toBe(0);
  expect((await fairlead.cli('app', 'list')).code).toBe(0);
});

const unfinished = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'web', namespace: 'argocd' },
  spec: {
    project: 'default',
    source: { repoURL: 'file:///nowhere', path: '.' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'web' },
  },
};

test('the page works below the path, over TLS, and finds its way back after a reload', async () => {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ ignoreHTTPSErrors: true });
    await page.goto(fairlead.url);
    await page.waitForURL('**/argo-cd/login*');
    await page.getByLabel('Password').fill(fairlead.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/argo-cd/applications');
    await page.getByRole('heading', { name: 'There are no applications yet' }).waitFor();
    await page.getByRole('link', { name: 'ApplicationSets' }).first().click();
    await page.waitForURL('**/argo-cd/applicationsets');
    await page.reload();
    await page.waitForURL('**/argo-cd/applicationsets');
    await fairlead.apply(unfinished);
    await page.goto(`${fairlead.url}/applications`);
    await page.getByRole('row', { name: 'web' }).getByRole('cell', { name: 'default', exact: true }).click();
    await page.waitForURL('**/argo-cd/applications/argocd/web');
    await page.getByRole('tab', { name: 'Tree' }).waitFor();
  } finally {
    await browser.close();
  }
});

test('a certificate of the user is shown to the next client, without a restart', async () => {
  const { server } = await issueCertificates(['localhost', '127.0.0.1']);
  const [crt, key] = ['own.crt', 'own.key'].map((name) => join(fairlead.folder, name)) as [string, string];
  writeFileSync(crt, server.certificate);
  writeFileSync(key, server.key);
  const name = 'argocd-server-tls';
  const made = await fairlead.kubectl(
    '-n',
    'argocd',
    'create',
    'secret',
    'tls',
    name,
    '--cert',
    crt,
    '--key',
    key,
  );
  expect(made.code, made.stderr).toBe(0);
  await expect.poll(shown).toBe(new X509Certificate(server.certificate).fingerprint256);
});

test('server §1.4: server.insecure takes effect without a restart', async () => {
  const patch = (data: object) =>
    fairlead.kubectl(
      '-n',
      'argocd',
      'patch',
      'cm',
      'argocd-cmd-params-cm',
      '--type=merge',
      '-p',
      JSON.stringify({ data }),
    );
  await patch({ 'server.insecure': 'true' });
  await expect.poll(async () => (await ask('/argo-cd/api/version', { isTls: false })).status).toBe(200);
  await patch({ 'server.insecure': null, 'server.tls.minversion': '1.3' });
  await expect.poll(async () => (await ask('/argo-cd/api/version', { isTls: false })).status).toBe(307);
});
