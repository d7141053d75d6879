import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { type IssuedCertificates, issueCertificates } from '../../../../test/certificates.ts';
import { temporaryFolder } from '../../../../test/git-repository.ts';
import { machineTrust } from './machine.ts';
import { fetchWeb, type Terms } from './request.ts';
import { noTrust, type SystemTrust, type Trust } from './trust.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let issued: IssuedCertificates;
/** An authority that signed nothing here. */
const [stranger = ''] = rootCertificates;
let open: Server;
let strict: Server;

beforeAll(async () => {
  folder = await temporaryFolder();
  issued = await issueCertificates(['127.0.0.1']);
  const { certificate: cert, key } = issued.server;
  const asks = { ca: issued.authority, requestCert: true, rejectUnauthorized: true };
  open = createServer({ cert, key }, (_, response) => response.end('hello'));
  strict = createServer({ cert, key, ...asks }, (_, response) => response.end('hello'));
  for (const server of [open, strict]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }
});
afterAll(async () => {
  for (const server of [open, strict]) server.close();
  await folder.remove();
});

/** What a host says to somebody whose machine believes such a list. */
async function ask(machine: SystemTrust, server = open, terms: Terms = {}, trust: Partial<Trust> = {}) {
  const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const outside = { egress: { loopback: true }, trust: { ...noTrust, machine, ...trust }, proxy: {} };
  const { body } = await fetchWeb(ctx, outside, { url, most: 1000, ms: 10_000, terms });
  return Buffer.from(body).toString();
}
const unbelieved = { code: 'Unavailable', message: expect.stringContaining('argocd-tls-certs-cm') };

test('a host that only the list of the machine vouches for is believed (TLS-1), and a list that changed is read anew', async () => {
  const file = join(folder.path, 'list.pem');
  await expect(ask({})).rejects.toMatchObject(unbelieved);
  await writeFile(file, stranger);
  await expect(ask({ file })).rejects.toMatchObject(unbelieved);
  await writeFile(file, `# both\n${stranger}\nno certificate\n${issued.authority}`);
  await utimes(file, 1, 1);
  expect(await ask({ file })).toBe('hello');
});

test('folders and files that the environment adds count beside it', async () => {
  const [file, extra, more] = ['theirs.pem', 'ours.pem', 'more'].map((name) => join(folder.path, name));
  if (!file || !extra || !more) throw new Error('three names');
  await writeFile(file, stranger);
  await writeFile(extra, issued.authority);
  await mkdir(more);
  await writeFile(join(more, 'a.pem'), issued.authority);
  expect(await ask({ file, extra })).toBe('hello');
  expect(await ask({ file, folder: `/nowhere:${more}` })).toBe('hello');
});

test('a client certificate goes along with it (TLS-2)', async () => {
  const file = join(folder.path, 'for-clients.pem');
  await writeFile(file, issued.authority);
  const { certificate: cert, key } = issued.client;
  expect(await ask({ file }, strict, { certificate: { cert, key } })).toBe('hello');
  await expect(ask({ file }, strict)).rejects.toMatchObject({ code: 'Unavailable' });
});

test('a list that is named and of no use is told, unless the host has authorities of its own', async () => {
  const empty = join(folder.path, 'empty.pem');
  await writeFile(empty, 'nobody');
  for (const file of ['/nowhere/list.pem', empty]) {
    const told = { code: 'InvalidSpec', message: expect.stringContaining('SSL_CERT_FILE') };
    await expect(ask({ file })).rejects.toMatchObject(told);
    expect(await ask({ file }, open, { insecure: true })).toBe('hello');
    expect(await ask({ file }, open, {}, { certificates: { '127.0.0.1': issued.authority } })).toBe('hello');
  }
});

test('the same list is read once, and another certificate of ours is another way to connect', async () => {
  const { certificate: cert, key } = issued.client;
  const [first, second, shown] = await Promise.all([
    machineTrust(),
    machineTrust({}),
    machineTrust({}, { cert, key }),
  ]);
  expect(second.context).toBe(first.context);
  expect(shown.context).not.toBe(first.context);
  expect(shown.version).not.toBe(first.version);
});
