import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { realClock } from '#base/std';
import {
  isOurs,
  type ListedRepository,
  listedRepository,
  shown,
} from '../../../../test/listed-repository.ts';

let world: ListedRepository;

beforeAll(async () => {
  world = await listedRepository();
});
afterEach(() => world.reset());
afterAll(() => world.remove());

describe('an answer that is not understood is left to git', () => {
  const packets = { 'content-type': 'application/x-git-upload-pack-result' };
  const hello = { 'content-type': 'application/x-git-upload-pack-advertisement' };
  const two = '000eversion 2\n000cls-refs\n0000';
  const row = `003d${'a'.repeat(40)} refs/heads/main`;
  const odd: Record<string, (request: IncomingMessage, response: ServerResponse) => unknown> = {
    'a page': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    'a page in place of packets': (_, response) => response.writeHead(200, hello).end('<html>'),
    'packets by another name': (_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end(two),
    nothing: (_, response) => response.writeHead(200, hello).end(),
    'no content': (_, response) => response.writeHead(204, hello).end(),
    'no entrance': (_, response) => response.writeHead(401, { 'www-authenticate': 'Basic' }).end(),
    'no permission': (_, response) => response.writeHead(403).end(),
    'no such thing': (_, response) => response.writeHead(404).end(),
    'an error': (_, response) => response.writeHead(503).end(),
    'a list that is cut off': (request, response) => answered(request, response, row),
    'a list with an error in it': (request, response) => answered(request, response, '000dERR shut0000'),
    'a list that ends too early': (request, response) => {
      if (request.method === 'GET') return response.writeHead(200, hello).end(two);
      return response
        .writeHead(200, { ...packets, 'content-length': '1000' })
        .write(row, () => response.destroy());
    },
    'a list that was compressed': (request, response) => {
      if (request.method === 'GET') return response.writeHead(200, hello).end(two);
      const zipped = gzipSync(Buffer.alloc(10_000_000, '0'));
      return response.writeHead(200, { ...packets, 'content-encoding': 'gzip' }).end(zipped);
    },
    'a connection that ends': (request) => request.socket.destroy(),
    'no HTTP': (request) => request.socket.end('SSH-2.0-x\r\n'),
  };
  const answered = (request: IncomingMessage, response: ServerResponse, body: string) =>
    request.method === 'GET'
      ? response.writeHead(200, hello).end(two)
      : response.writeHead(200, packets).end(body);

  test.each(Object.keys(odd))('%s, and for a while git is asked at once', async (kind) => {
    let ours = 0;
    const server = await world.host({
      first: (request, response) => {
        if (!isOurs(request)) return false;
        if (request.method === 'GET') ours += 1;
        expect(request.headers['accept-encoding']).toBeUndefined();
        odd[kind]?.(request, response);
        return true;
      },
    });
    const sources = world.sources();
    const repository = { url: `${server.url}/repo/.git` };
    const first = shown(await world.list(sources, repository));
    for (let again = 0; again < 2; again++) {
      expect(shown(await world.list(sources, repository))).toEqual(first);
      expect(ours).toBe(1);
    }
    expect(await world.gitLists()).toBe(3);
  });

  test('the host is tried again, ever more rarely', async () => {
    let ours = 0;
    const server = await world.host({
      first: (request, response) => {
        if (!isOurs(request)) return false;
        ours += 1;
        return response.writeHead(503).end().writableEnded;
      },
    });
    const sources = world.sources();
    await world.list(sources, { url: `${server.url}/repo/.git` });
    for (const [wait, expected] of [
      [0, 1],
      [61_000, 2],
      [61_000, 2],
      [4 * 60_000, 3],
      [15 * 60_000, 3],
    ] as const) {
      world.wait(wait);
      await world.list(sources, { url: `${server.url}/repo/.git` });
      expect(ours).toBe(expected);
    }
  });

  test('a redirect leads nowhere, and credentials nowhere else', async () => {
    const thief = await world.host();
    const server = await world.host({
      first: (request, response) => {
        if (!isOurs(request)) return false;
        response.writeHead(302, { location: `${thief.url}${request.url}` }).end();
        return true;
      },
    });
    const sources = world.sources();
    const repository = { url: `${server.url}/repo/.git`, credentials: { username: 'joe', password: 'x' } };
    expect(shown(await world.list(sources, repository))).toEqual(
      shown(await world.list(sources, repository)),
    );
    expect(await world.gitLists()).toBe(2);
    expect(thief.requests).toEqual([]);
  });

  /** Says a little now and then, for as long as anybody listens. */
  async function drip(response: ServerResponse): Promise<void> {
    for (; !response.destroyed; response.write('0')) await realClock.sleep(20, world.ctx.signal);
  }

  test('one that comes byte by byte is given up', async () => {
    let under = 0;
    const server = await world.host({
      first: (request, response) => {
        if (!isOurs(request)) return false;
        under += 1;
        response.writeHead(200, hello);
        void drip(response).finally(() => {
          under -= 1;
        });
        return true;
      },
    });
    const sources = world.sources({ limits: { listMs: 4_500 } });
    const repository = { url: `${server.url}/repo/.git` };
    const before = await world.list(sources, repository);
    expect(shown(await world.list(sources, repository))).toEqual(shown(before));
    while (under > 0) await realClock.sleep(10, world.ctx.signal);
    expect(await world.gitLists()).toBe(2);
  });

  test('one that has no end is cut off', async () => {
    let sent = 0;
    const piece = Buffer.from(`003d${'a'.repeat(40)} refs/heads/main\n`.repeat(1_000));
    const server = await world.host({
      first: (request, response) => {
        if (!isOurs(request)) return false;
        if (request.method === 'GET') return response.writeHead(200, hello).end(two).writableEnded;
        response.writeHead(200, packets);
        const more = (): void => {
          do sent += piece.length;
          while (!response.destroyed && response.write(piece));
          if (!response.destroyed) response.once('drain', more);
        };
        more();
        return true;
      },
    });
    const sources = world.sources();
    const repository = { url: `${server.url}/repo/.git` };
    const before = await world.list(sources, repository);
    expect(shown(await world.list(sources, repository))).toEqual(shown(before));
    expect(sent).toBeLessThan(64 * 1024 * 1024);
    expect(await world.gitLists()).toBe(2);
  });

  test('what fails with git as well fails as it always did, and is not tried twice', async () => {
    const server = await world.host();
    const sources = world.sources();
    const repository = { url: `${server.url}/repo/.git` };
    await world.list(sources, repository);
    await world.list(sources, repository);
    server.requests.length = 0;
    for (let round = 0; round < 3; round++) {
      server.failNext(100, 404);
      await expect(world.list(sources, repository)).rejects.toMatchObject({ code: 'NotFound' });
    }
    server.failNext(0, 200);
    expect(await world.gitLists()).toBe(4);
    expect(server.requests.filter((line) => line.startsWith('POST'))).toHaveLength(1);
    await world.list(sources, repository); // git is let in again
    await world.list(sources, repository);
    expect(await world.gitLists()).toBe(5);
  });

  test('who leaves while it is under way starts nothing', async () => {
    let asked = (): void => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const server = await world.host({
      first: (request) => {
        if (isOurs(request)) asked();
        return isOurs(request);
      },
    });
    const sources = world.sources();
    const repository = { url: `${server.url}/repo/.git` };
    await world.list(sources, repository);
    const stop = new AbortController();
    const asking = sources.listRefs({ ...world.ctx, signal: stop.signal }, repository, { fresh: true });
    await isAsked;
    stop.abort(new Error('enough'));
    await expect(asking).rejects.toThrow('enough');
    expect(await world.gitLists()).toBe(1);
  });
});
