import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { launchBrowser } from './browser.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

// The web terminal: a shell in a container of an application, over the WebSocket that the page uses.

let fairlead: Fairlead;
let cookie: string;
let pod: { name: string; namespace: string };

beforeAll(async () => {
  fairlead = await startFairlead();
  await fairlead.until('guestbook', 'healthy', ({ status }) => status?.health?.status === 'Healthy');
  cookie = await cookieOf('admin', fairlead.password);
  const found = await fairlead.kubectl('get', 'pods', '-A', '-o', 'json');
  const { items } = JSON.parse(found.stdout) as { items: { metadata: typeof pod }[] };
  const own = items.find(({ metadata }) => metadata.namespace === 'guestbook');
  if (!own) throw new Error(`no pod of guestbook: ${found.stdout.slice(0, 500)}`);
  pod = own.metadata;
});
afterAll(async () => {
  await fairlead.stop();
  forget(fairlead);
});

async function cookieOf(username: string, password: string): Promise<string> {
  const answer = await fetch(`${fairlead.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

type Opened = { readonly cookie?: string; readonly origin?: string; readonly query?: Record<string, string> };

function terminal({ cookie: sent = cookie, origin = fairlead.url, query = {} }: Opened = {}): WebSocket {
  const { name, namespace } = pod;
  const named = {
    appName: 'guestbook',
    appNamespace: 'argocd',
    projectName: 'default',
    pod: name,
    namespace,
  };
  const search = new URLSearchParams({ ...named, container: 'web', ...query });
  const url = `${fairlead.url.replace(/^http/, 'ws')}/terminal?${search}`;
  return new WebSocket(url, { headers: { ...(sent && { cookie: sent }), origin } });
}

/** The status with which the server refuses; 101 when it does not. */
function statusOf(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => {
    socket.on('error', () => {});
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.on('open', () => {
      socket.close();
      resolve(101);
    });
  });
}

/** Resolves when what was printed contains the text. */
function printed(socket: WebSocket, text: string): Promise<string> {
  let all = '';
  return new Promise((resolve, reject) => {
    socket.on('close', (code) => reject(new Error(`closed with ${code} after: ${all}`)));
    socket.on('error', reject);
    socket.on('message', (message) => {
      const { operation, data } = JSON.parse(String(message)) as { operation: string; data: string };
      if (operation === 'stdout') all += data;
      if (all.includes(text)) resolve(all);
    });
  });
}

const type = (socket: WebSocket, data: string): void =>
  socket.send(JSON.stringify({ operation: 'stdin', data }));

/** Changes settings and waits until the program has them, which `/terminal` shows. */
async function setting(data: Record<string, string>, status: number): Promise<void> {
  await fairlead.kubectl('-n', 'argocd', 'patch', 'cm', 'argocd-cm', '-p', JSON.stringify({ data }));
  await expect
    .poll(async () => (await fetch(`${fairlead.url}/terminal`)).status, { timeout: 30_000 })
    .toBe(status);
}

test('it is off by default: there is nothing', async () => {
  expect((await fetch(`${fairlead.url}/terminal`)).status).toBe(404);
  expect(await statusOf(terminal())).toBe(404);
});

test('switched on, it runs the first shell that there is', async () => {
  await setting({ 'exec.enabled': 'true', 'exec.shells': 'fish,sh' }, 400);
  const socket = terminal();
  await printed(socket, '$ ');
  socket.send(JSON.stringify({ operation: 'resize', rows: 24, cols: 80 }));
  type(socket, 'hostname\r');
  await printed(socket, `hostname\r\n${pod.name}\r\n$ `);
  const closed = once(socket, 'close');
  type(socket, 'exit\r');
  await closed;
});

test('the page has a terminal for a pod, and types into it', async () => {
  const browser = await launchBrowser();
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const [name = '', value = ''] = cookie.split(/=(.*)/s);
  await context.addCookies([{ name, value, url: fairlead.url }]);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  const node = encodeURIComponent(`/Pod/${pod.namespace}/${pod.name}`);
  await page.goto(`${fairlead.url}/applications/argocd/guestbook?node=${node}&tab=terminal`);
  const terminal = page.getByRole('textbox', { name: /^Terminal in / });
  await page.getByText('Connected.').waitFor();
  await terminal.press('x');
  await terminal.press('Backspace');
  await page.keyboard.type('hostname');
  await page.keyboard.press('Enter');
  await expect.poll(() => terminal.inputValue()).toContain(`$ hostname\n${pod.name}\n$ `);
  expect(problems).toEqual([]);
  await page.keyboard.type('exit');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Connect again' }).waitFor();
  await browser.close();
});

test.each([
  ['no cookie', () => terminal({ cookie: '' }), 400],
  ['a page of another site', () => terminal({ origin: 'https://evil.example' }), 403],
  ['a cookie that nobody signed', () => terminal({ cookie: 'argocd.token=a.b.c' }), 401],
  ['a pod of nobody', () => terminal({ query: { pod: 'other' } }), 404],
  ['a pod of another namespace', () => terminal({ query: { namespace: 'kube-system' } }), 404],
  ['a name that is a path', () => terminal({ query: { pod: '../secrets' } }), 400],
  ['a shell that is not listed', () => terminal({ query: { shell: 'python' } }), 400],
  ['an application that is not there', () => terminal({ query: { appName: 'none', projectName: '' } }), 403],
])('refused: %s', async (_what, open, status) => {
  expect(await statusOf(open())).toBe(status);
});

test('it needs exec on the application, and ends when that is revoked', async () => {
  const kubectl = (...args: string[]) => fairlead.kubectl('-n', 'argocd', ...args);
  await setting({ 'accounts.jane': 'login' }, 400);
  const admin = { 'content-type': 'application/json', cookie };
  const body = JSON.stringify({
    name: 'jane',
    currentPassword: fairlead.password,
    newPassword: 'a-long-secret',
  });
  await expect
    .poll(async () => {
      const { status } = await fetch(`${fairlead.url}/api/v1/account/password`, {
        method: 'PUT',
        headers: admin,
        body,
      });
      return status;
    })
    .toBe(200);
  const jane = await cookieOf('jane', 'a-long-secret');
  const policy = (...lines: string[]) =>
    kubectl(
      'patch',
      'cm',
      'argocd-rbac-cm',
      '-p',
      JSON.stringify({ data: { 'policy.csv': lines.join('\n') } }),
    );
  const get = 'p, jane, applications, get, default/guestbook, allow';
  await policy(get);
  await expect.poll(() => statusOf(terminal({ cookie: jane }))).toBe(403);
  await policy(get, 'p, jane, exec, create, default/guestbook, allow');
  await expect.poll(() => statusOf(terminal({ cookie: jane }))).toBe(101);
  const socket = terminal({ cookie: jane });
  await printed(socket, '$ ');
  const told = printed(socket, '{"Code":1}');
  const closed = once(socket, 'close');
  await policy(get);
  await told;
  await closed;
});

test('a request that offers to change to another protocol is answered as if it offered nothing', async () => {
  const { request } = await import('node:http');
  const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABk' };
  const status = await new Promise<number>((resolve, reject) => {
    const sent = request(`${fairlead.url}/api/version`, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end();
  });
  expect(status).toBe(200);
});
