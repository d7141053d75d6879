import { expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { createHttp } from './http.ts';
import type { KubeBody, KubeRequest } from './transport.ts';
import { createFrames, type WatchEvent, type WatchOptions, watchOnce } from './watch.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

async function watched(body: KubeBody, options: WatchOptions = {}, inner = ctx) {
  const requests: KubeRequest[] = [];
  const http = createHttp({
    transport: async (request) => {
      requests.push(request);
      return { status: 200, headers: {}, body };
    },
  });
  const events: WatchEvent[] = [];
  const failure = await (async () => {
    for await (const event of await watchOnce(inner, { http, frames: createFrames() }, pods, options))
      events.push(event);
  })().catch((error: unknown) => error);
  return { events: events.map(({ type }) => type), path: requests[0]?.path, failure };
}
const pods = { kind: '/Pod', path: '/api/v1/pods' };
const frames = (...all: object[]): string => all.map((frame) => `${JSON.stringify(frame)}\n`).join('');
const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };

test('yields events until the server closes the stream', async () => {
  const body = frames(
    { type: 'ADDED', object: pod },
    { type: 'BOOKMARK', object: pod },
    { type: 'DELETED', object: pod },
  );
  expect(await watched(body, { resourceVersion: '5', labelSelector: 'a=b', timeoutSeconds: 60 })).toEqual({
    events: ['ADDED', 'BOOKMARK', 'DELETED'],
    path: '/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=5&labelSelector=a%3Db&timeoutSeconds=60',
    failure: undefined,
  });
});

test('can ask for the present state as a stream', async () => {
  const { path } = await watched('', { sendInitialEvents: true, timeoutSeconds: 60 });
  expect(path).toContain('&sendInitialEvents=true&resourceVersionMatch=NotOlderThan');
});

test('turns an ERROR event into a KubeError', async () => {
  const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version: 1 (9)' };
  const { events, failure } = await watched(
    frames({ type: 'ADDED', object: pod }, { type: 'ERROR', object: status }),
  );
  expect(events).toEqual(['ADDED']);
  expect(failure).toMatchObject({ name: 'KubeError', reason: 'Expired', status: 410, terminal: false });
});

test('a line that was cut off, and an event nobody knows, are errors that a retry may cure', async () => {
  expect((await watched('{"type":"ADD')).failure).toMatchObject({
    code: 'Unavailable',
    message: 'the watch of /api/v1/pods broke off',
  });
  expect((await watched(frames({ type: 'RENAMED', object: pod }))).failure).toMatchObject({
    code: 'Unavailable',
  });
});

test('stopping to read ends the stream; so does the ctx, with its own reason', async () => {
  let returned = false;
  async function* endless() {
    try {
      for (;;) yield frames({ type: 'ADDED', object: pod });
    } finally {
      returned = true;
    }
  }
  const http = createHttp({ transport: async () => ({ status: 200, headers: {}, body: endless() }) });
  for await (const _ of await watchOnce(ctx, { http, frames: createFrames() }, pods)) break;
  expect(returned).toBe(true);

  const stop = new AbortController();
  stop.abort(new Error('shutting down'));
  expect((await watched('', {}, { ...ctx, signal: stop.signal })).failure).toEqual(
    new Error('shutting down'),
  );
});
