import { createSocket, type Socket } from 'node:dgram';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { HostResolver } from './resolve-host.ts';

// A name server on a UDP port of this machine, and files of its own instead of those in /etc.

let folder: string;
let socket: Socket;
let queries: string[];
const zone = new Map<string, string[]>();
const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-dns-'));
  zone.clear();
  queries = [];
  // hundreds of queries arrive before this process reads the first
  socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 }, (message, from) => {
    const { name, type } = questionIn(message);
    queries.push(`${type === 28 ? 'AAAA' : 'A'} ${name}`);
    if (/silent/.test(name)) return;
    socket.send(answerTo(message, type, zone.get(name)), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  await rm(folder, { recursive: true, force: true });
});

async function resolverWith({ hosts = '', resolvConf = '' } = {}): Promise<HostResolver> {
  const files = { hosts: join(folder, 'hosts'), resolvConf: join(folder, 'resolv.conf') };
  await Promise.all([writeFile(files.hosts, hosts), writeFile(files.resolvConf, resolvConf)]);
  return new HostResolver({ ...files, servers: [`127.0.0.1:${(socket.address() as AddressInfo).port}`] });
}

test('the hosts file comes before DNS, in any case of letters', async () => {
  const resolver = await resolverWith({
    hosts: '# a comment\n10.1.2.3  Git git.corp # more\n::5 git.corp\n10.9.9.9 other\n',
  });
  expect(await resolver.addresses(ctx, 'GIT.corp')).toEqual(['10.1.2.3', '::5']);
  expect(await resolver.addresses(ctx, 'localhost')).toEqual(['127.0.0.1', '::1']);
  expect(await resolver.addresses(ctx, 'a.localhost.')).toEqual(['127.0.0.1', '::1']);
  expect(queries).toEqual([]);
});

test('both kinds of addresses are found, IPv4 first', async () => {
  zone.set('git.example.com', ['2001:db8::7', '192.0.2.7']);
  const resolver = await resolverWith();
  expect(await resolver.addresses(ctx, 'git.example.com')).toEqual(['192.0.2.7', '2001:db8::7']);
});

test('search domains are tried as the number of dots says', async () => {
  zone.set('gitea.shop.svc.cluster.local', ['10.96.0.7']);
  zone.set('git.example.com', ['192.0.2.7']);
  const resolver = await resolverWith({
    resolvConf: 'nameserver 10.96.0.10\nsearch argocd.svc.cluster.local svc.cluster.local\noptions ndots:5\n',
  });
  expect(await resolver.addresses(ctx, 'gitea.shop')).toEqual(['10.96.0.7']);
  expect(await resolver.addresses(ctx, 'git.example.com')).toEqual(['192.0.2.7']);
  queries = [];
  expect(await resolver.addresses(ctx, 'git.example.com.')).toEqual(['192.0.2.7']);
  expect(queries.sort()).toEqual(['A git.example.com', 'AAAA git.example.com']);
});

test('a name that does not exist is Unavailable', async () => {
  const resolver = await resolverWith();
  await expect(resolver.addresses(ctx, 'no.example.com')).rejects.toMatchObject({ code: 'Unavailable' });
});

test('a name is found while three hundred silent ones are being looked for', async () => {
  zone.set('git.example.com', ['192.0.2.7']);
  const resolver = await resolverWith();
  const stop = new AbortController();
  const hanging = { ...ctx, signal: stop.signal };
  let ended = 0;
  const onEnd = (): void => {
    ended += 1;
  };
  const others = Array.from({ length: 300 }, (_unused, at) =>
    resolver.addresses(hanging, `silent-${at}.example.com`).then(onEnd, onEnd),
  );
  expect(await resolver.addresses(ctx, 'git.example.com')).toEqual(['192.0.2.7']);
  expect(ended).toBe(0);
  stop.abort(new Error('the test is over'));
  await Promise.all(others);
});

test('however many want one name, it is asked for once', async () => {
  zone.set('git.example.com', ['192.0.2.7']);
  const resolver = await resolverWith();
  await Promise.all(Array.from({ length: 20 }, () => resolver.addresses(ctx, 'git.example.com')));
  expect(queries.length).toBe(2);
});

function questionIn(message: Buffer): { name: string; type: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1) };
}

/** RFC 1035, as little of it as a resolver needs. */
function answerTo(message: Buffer, type: number, addresses: readonly string[] | undefined): Buffer {
  const end = message.indexOf(0, 12) + 5;
  const records = (addresses ?? [])
    .filter((address) => address.includes(':') === (type === 28))
    .map((address) => {
      const data = address.includes(':')
        ? Buffer.from([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7])
        : Buffer.from(address.split('.').map(Number));
      const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]);
      return Buffer.concat([head, data]);
    });
  const header = Buffer.from([
    message[0] ?? 0,
    message[1] ?? 0,
    0x81,
    addresses ? 0x80 : 0x83,
    0,
    1,
    0,
    records.length,
    0,
    0,
    0,
    0,
  ]);
  return Buffer.concat([header, message.subarray(12, end), ...records]);
}
