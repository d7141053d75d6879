import { readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from '#lang/yaml';
import { type IssuedCertificates, issueCertificates } from '../certificates.ts';
import { type ProxyServer, proxyServer } from '../proxy-server.ts';
import { launchBrowser } from './browser.ts';
import { type Fairlead, forget, startFairlead } from './fairlead.ts';

// The form of a cluster in the page: another program's, behind a gate that recognises its users by name and password.

let fairlead: Fairlead;
let other: Fairlead;
let gate: Server;
let issued: IssuedCertificates;
let proxy: ProxyServer;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  [fairlead, other, browser, proxy, issued] = await Promise.all([
    startFairlead('--no-demo'),
    startFairlead('--no-demo'),
    launchBrowser(),
    proxyServer(),
    issueCertificates(['127.0.0.1']),
  ]);
  gate = await gateBefore(other);
  const { url, password } = fairlead;
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
  page.setDefaultTimeout(30_000);
  const data = { username: 'admin', password };
  await page.request.post(`${url}/api/v1/session`, { data, headers: { origin: url } });
  await page.goto(`${url}/settings/clusters`);
});
afterAll(async () => {
  await browser?.close();
  gate?.close();
  gate?.closeAllConnections();
  await proxy?.close();
  await Promise.allSettled([fairlead?.stop(), other?.stop()]);
  forget(fairlead);
  forget(other);
});

type Kubeconfig = {
  clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
  users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
};

const login = `Basic ${btoa('eve:first-canary')}`;

/** Leads requests of the one user to the cluster, with a certificate that it knows. */
async function gateBefore({ dataDir }: Fairlead): Promise<Server> {
  const config = parse(readFileSync(join(dataDir, 'kubeconfig'), 'utf8')) as unknown as Kubeconfig;
  const [{ cluster }, { user }] = [config.clusters[0], config.users[0]];
  const bytes = (text: string): Buffer => Buffer.from(text, 'base64');
  const identity = {
    ca: bytes(cluster['certificate-authority-data']),
    cert: bytes(user['client-certificate-data']),
    key: bytes(user['client-key-data']),
  };
  const { certificate: cert, key } = issued.server;
  const server = createServer({ cert, key }, (incoming, response) => {
    const { authorization, ...headers } = incoming.headers;
    if (authorization !== login) {
      response.writeHead(401).end();
      return;
    }
    const target = new URL(incoming.url ?? '/', cluster.server);
    const options = { ...identity, method: incoming.method ?? 'GET', headers };
    const inner = request(target, options, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    inner.on('error', () => response.destroy());
    response.on('close', () => inner.destroy());
    incoming.pipe(inner);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const dialog = () => page.getByRole('dialog');
const field = (label: string) => dialog().getByRole('textbox', { name: new RegExp(`^${label}\\b`) });
const fill = async (fields: Readonly<Record<string, string>>): Promise<void> => {
  for (const [label, value] of Object.entries(fields)) await field(label).fill(value);
};
const more = () => dialog().getByText('User and password, proxy').click();
const edit = async (): Promise<void> => {
  await page.getByRole('button', { name: 'Edit gated' }).click();
  await more();
};
/** What is stored, as the Secret has it. */
async function stored(): Promise<Record<string, unknown>> {
  const name = ['-l', 'argocd.argoproj.io/secret-type=cluster', '-o', 'jsonpath={.items[0].data.config}'];
  const { stdout } = await fairlead.kubectl('-n', 'argocd', 'get', 'secrets', ...name);
  return JSON.parse(Buffer.from(stdout, 'base64').toString());
}

test('a cluster is registered with a user and a password, which the page never has again', async () => {
  await page.getByRole('button', { name: 'Add a cluster' }).click();
  await more();
  const address = `https://127.0.0.1:${(gate.address() as AddressInfo).port}`;
  await fill({ Address: address, Name: 'gated', 'Certificate authority': issued.authority });
  await fill({ User: 'eve', Password: 'first-canary' });
  await dialog().getByRole('button', { name: 'Add', exact: true }).click();
  await dialog().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Edit gated' }).waitFor();
  expect(await stored()).toMatchObject({ username: 'eve', password: 'first-canary' });
  const answer = await page.request.get(`${fairlead.url}/api/v1/clusters`);
  expect(await answer.text()).not.toContain('canary');
  await edit();
  expect(await field('Password').inputValue()).toBe('');
  expect(await field('Password').getAttribute('type')).toBe('password');
  await dialog().getByRole('button', { name: 'Cancel' }).click();
});

test('a stored password is not sent through another proxy: the field says so, and the server refuses', async () => {
  await edit();
  const again = dialog()
    .locator('label', { hasText: 'Proxy' })
    .getByText(/never sent another way.*give it again/);
  expect(await again.count()).toBe(0);
  await fill({ Proxy: `http://127.0.0.1:${proxy.port}` });
  await again.waitFor();
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog()
    .getByText(/proxyUrl would send the stored password another way: give it again/)
    .waitFor();
  expect(proxy.asked).toEqual([]);
  expect((await stored()).proxyUrl).toBeUndefined();
});

test('given again it is stored with the proxy, the user stays, and the cluster is reached through it', async () => {
  await fill({ Password: 'first-canary' });
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'detached' });
  expect(proxy.asked.join()).toContain('http 127.0.0.1');
  const proxyUrl = `http://127.0.0.1:${proxy.port}`;
  expect(await stored()).toMatchObject({ username: 'eve', password: 'first-canary', proxyUrl });
  await expect
    .poll(async () => {
      await edit();
      const shown = await field('Proxy').inputValue();
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      return shown;
    })
    .toBe(proxyUrl);
});

test('an emptied proxy is removed, and the credentials stay', async () => {
  await edit();
  await fill({ Proxy: '' });
  await dialog().getByRole('button', { name: 'Save' }).click();
  await dialog().waitFor({ state: 'detached' });
  const left = await stored();
  expect(left).toMatchObject({ username: 'eve', password: 'first-canary' });
  expect(left.proxyUrl).toBeUndefined();
});
