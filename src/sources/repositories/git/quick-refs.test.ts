import { execFileSync } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type IssuedCertificates, issueCertificates } from '../../../../test/certificates.ts';
import { type GitRepositoryFixture, gitRepository } from '../../../../test/git-repository.ts';
import { isOurs, type ListedRepository, listedRepository } from '../../../../test/listed-repository.ts';
import { type ProxyServer, proxyServer } from '../../../../test/proxy-server.ts';

// The same question put again and again: first by git, then without it.

let world: ListedRepository;
let issued: IssuedCertificates;
let proxy: ProxyServer;

beforeAll(async () => {
  world = await listedRepository();
  issued = await issueCertificates(['127.0.0.1', 'git.hidden.test']);
  proxy = await proxyServer();
});
afterEach(() => world.reset());
afterAll(async () => {
  await proxy.close();
  await world.remove();
});

describe('a repository is listed without a program as git lists it', () => {
  const shapes: Record<string, (git: GitRepositoryFixture['git']) => Promise<unknown>> = {
    'one branch': async () => {},
    'tags of every kind': async (git) => {
      await git('tag', 'light');
      await git('tag', '-a', '-m', 'x', 'noted');
      await git('tag', '-a', '-m', 'x', 'of-a-tag', 'noted');
      await git('tag', '-a', '-m', 'x', 'of-a-tree', 'HEAD^{tree}');
      await git('tag', 'of-a-file', 'HEAD:a.yaml');
      await git('update-ref', 'refs/odd/tagged', 'refs/tags/noted');
    },
    'another branch as HEAD': async (git) => {
      await git('branch', 'trunk');
      await git('symbolic-ref', 'HEAD', 'refs/heads/trunk');
    },
    'a HEAD that is no branch': (git) => git('checkout', '--quiet', '--detach'),
    'a HEAD without a commit': (git) => git('symbolic-ref', 'HEAD', 'refs/heads/nothing-yet'),
    'names that stand for names': async (git) => {
      await git('symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
      await git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/heads/main');
      await git('symbolic-ref', 'refs/heads/dangling', 'refs/heads/nowhere');
    },
    'odd names': async (git) => {
      const names = [
        'größe',
        '日本/東京',
        '🚀',
        'a@b',
        "it's",
        '"x"',
        '#1',
        '%41',
        'a+b=c',
        '-',
        'x^'.slice(0, 1),
        'x'.repeat(200),
      ];
      for (const name of names) await git('update-ref', `refs/heads/${name}`, 'HEAD');
      await git('update-ref', 'refs/pull/1/head', 'HEAD');
      await git('update-ref', 'refs/notes/commits', 'HEAD');
      await git('symbolic-ref', 'HEAD', 'refs/heads/größe');
    },
    'hidden names': async (git) => {
      await git('update-ref', 'refs/secret/x', 'HEAD');
      await git('config', 'uploadpack.hideRefs', 'refs/secret');
    },
  };
  const versions = [
    [2, undefined],
    [1, 'version=1'],
    [0, ''],
  ] as const;

  test.each(Object.keys(shapes))('%s', async (shape) => {
    const at = `shape-${Object.keys(shapes).indexOf(shape)}`;
    const one = await gitRepository(join(world.folder, 'srv', at));
    await one.commit({ 'a.yaml': 'a: 1\n' });
    await shapes[shape]?.(one.git);
    for (const [version, speaks] of versions) {
      const server = await world.host(speaks === undefined ? {} : { speaks });
      const refs = await world.expectQuick(world.sources(), { url: `${server.url}/${at}/.git` });
      expect(refs.byName.size).toBeGreaterThan(0);
      const posts = server.requests.filter((line) => line.startsWith('POST')).length;
      expect(posts).toBe(version === 2 ? 3 : 0);
      expect(server.requests.length).toBe(version === 2 ? 5 : 3);
    }
  });

  test('no commits at all, then the first', async () => {
    const one = await gitRepository(join(world.folder, 'srv/empty'));
    for (const [, speaks] of versions) {
      const { url } = await world.host(speaks === undefined ? {} : { speaks });
      expect((await world.expectQuick(world.sources(), { url: `${url}/empty/.git` })).byName.size).toBe(0);
    }
    const server = await world.host();
    const sources = world.sources();
    const repository = { url: `${server.url}/empty/.git` };
    await world.list(sources, repository);
    await world.list(sources, repository);
    const commit = await one.commit({ a: '1' });
    expect((await world.list(sources, repository)).byName.get('refs/heads/main')).toBe(commit);
  });

  test('a repository of SHA-256 objects is refused as ever (GIT-13)', async () => {
    execFileSync('git', ['init', '--quiet', '--object-format=sha256', join(world.folder, 'srv/wide')]);
    const git = (...args: string[]) =>
      execFileSync('git', [
        '-C',
        join(world.folder, 'srv/wide'),
        '-c',
        'user.name=a',
        '-c',
        'user.email=a@b',
        ...args,
      ]);
    git('commit', '--quiet', '--allow-empty', '-m', 'x');
    const { url } = await world.host();
    const sources = world.sources();
    for (let round = 1; round <= 2; round++) {
      await expect(world.list(sources, { url: `${url}/wide/.git` })).rejects.toThrow('only SHA-1 is');
      expect(await world.gitLists()).toBe(round);
    }
  });

  test('what changed is seen, what did not is the very same list', async () => {
    const { url } = await world.host();
    const sources = world.sources();
    const repository = { url: `${url}/repo/.git` };
    await world.list(sources, repository);
    const before = await world.list(sources, repository);
    expect(await world.list(sources, repository)).toBe(before);
    const commit = await world.repo.commit({ 'a.yaml': 'a: 2\n' });
    expect((await world.list(sources, repository)).byName.get('refs/heads/main')).toBe(commit);
    expect(await world.gitLists()).toBe(1);
  });
});

describe('who we are and whom we believe', () => {
  const tls = () => ({ cert: issued.server.certificate, key: issued.server.key });
  const trusting = (...hosts: string[]) => ({
    trust: () => ({
      certificates: Object.fromEntries(hosts.map((name) => [name, issued.authority])),
      knownHosts: '',
    }),
  });

  test('credentials are shown', async () => {
    const authorization = `Basic ${Buffer.from('joe:hunter2').toString('base64')}`;
    const server = await world.host({ authorization });
    const credentials = { username: 'joe', password: 'hunter2' };
    await world.expectQuick(world.sources(), { url: `${server.url}/repo/.git`, credentials });
    expect(server.requests.every((line) => line.endsWith(authorization))).toBe(true);
  });

  test('the authority of the host and a client certificate count (TLS-1, TLS-2)', async () => {
    const server = await world.host({ tls: { ...tls(), clientAuthority: issued.authority } });
    const credentials = { tlsClientCertData: issued.client.certificate, tlsClientCertKey: issued.client.key };
    await world.expectQuick(world.sources(trusting('127.0.0.1')), {
      url: `${server.url}/repo/.git`,
      credentials,
    });
  });

  test('a repository that checks nothing does so for itself (TLS-3)', async () => {
    const server = await world.host({ tls: tls() });
    const sources = world.sources();
    const url = `${server.url}/repo/.git`;
    await world.expectQuick(sources, { url, insecure: true });
    await expect(world.list(sources, { url })).rejects.toThrow('argocd-tls-certs-cm');
  });

  test('a host that is no longer believed is not spoken to over a connection of before', async () => {
    const other = await issueCertificates(['127.0.0.1']);
    const server = await world.host({ tls: tls() });
    let { authority } = issued;
    const trust = () => ({ certificates: { '127.0.0.1': authority }, knownHosts: '' });
    const sources = world.sources({ trust });
    const repository = { url: `${server.url}/repo/.git` };
    await world.expectQuick(sources, repository);
    const asked = server.requests.length;
    authority = other.authority;
    await expect(world.list(sources, repository)).rejects.toMatchObject({ code: 'Unavailable' });
    expect(server.requests).toHaveLength(asked);
  });

  test.each(['http', 'socks5'])('a proxy of kind %s is gone through (PRX-1)', async (kind) => {
    proxy.asked.length = 0;
    const server = await world.host({ tls: tls() });
    const url = `${server.url.replace('127.0.0.1', 'git.hidden.test')}/repo/.git`;
    const through = `${kind}://joe:pw@127.0.0.1:${proxy.port}`;
    await world.expectQuick(world.sources(trusting('git.hidden.test')), { url, proxy: through });
    expect(new Set(proxy.asked)).toEqual(new Set([`${kind} git.hidden.test joe:pw`]));
  });
});

describe('connections', () => {
  test('are kept for a while, for the same user alone, and end with the sources', async () => {
    const sockets = new Set<Socket>();
    const server = await world.host({
      first: (request) => {
        if (isOurs(request)) sockets.add(request.socket);
        return false;
      },
    });
    const sources = world.sources();
    const url = `${server.url}/repo/.git`;
    await world.expectQuick(sources, { url });
    expect(sockets.size).toBe(1);
    const credentials = { username: 'joe', password: 'x' };
    await world.list(sources, { url, credentials });
    await world.list(sources, { url, credentials });
    expect(sockets.size).toBe(2);
    const closed = Promise.all(
      [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
    );
    await sources.close();
    await closed;
  });

  test('one that the host ends at the moment we use it is replaced', async () => {
    const used = new Set<Socket>();
    let ended = 0;
    const server = await world.host({
      first: (request) => {
        if (!isOurs(request)) return false;
        const isKept = used.has(request.socket);
        used.add(request.socket);
        if (isKept) ended += 1;
        if (isKept) request.socket.destroy();
        return isKept;
      },
    });
    await world.expectQuick(world.sources(), { url: `${server.url}/repo/.git` });
    expect(ended).toBeGreaterThan(0);
  });
});
