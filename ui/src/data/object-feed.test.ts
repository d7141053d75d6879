import { expect, test } from 'vitest';
import { type Application, type KubeObject, printTime } from '#base/model';
import { printJson, virtualClock } from '#base/std';
import type { ApiResponse, Send } from '#serve/api';
import { applicationSetSource, applicationSource, type FeedSource, ObjectFeed } from './object-feed.ts';

const app = (name: string, resourceVersion = '1'): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd', resourceVersion },
  spec: { destination: {} },
});

/** A server that answers each list and each stream from a script; a stream without a script stays open. */
function server(lists: (KubeObject[] | 'down')[], streams: unknown[][]): Send {
  return async ({ path, signal }): Promise<ApiResponse> => {
    if (!path.includes('/stream/')) {
      const items = lists.shift() ?? [];
      if (items === 'down') return { status: 503, text: async () => '', async *lines() {} };
      return {
        status: 200,
        text: async () => printJson({ metadata: { resourceVersion: '7' }, items }),
        async *lines() {},
      };
    }
    const messages = streams.shift();
    return {
      status: 200,
      text: async () => '',
      async *lines() {
        for (const result of messages ?? []) yield printJson({ result });
        if (!messages) await new Promise((_, reject) => signal?.addEventListener('abort', reject));
      },
    };
  };
}

async function started<T extends KubeObject>(source: FeedSource<T>, send: Send) {
  const clock = virtualClock({ start: new Date('2026-03-18T14:00:00Z') });
  const feed = new ObjectFeed(source, send, clock);
  const stop = new AbortController();
  const running = feed.run(stop.signal);
  const end = async () => {
    stop.abort();
    await running;
  };
  return { clock, feed, end };
}

const names = <T extends KubeObject>(feed: ObjectFeed<T>) =>
  feed.snapshot().items?.map(({ metadata }) => metadata.name);

async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !condition(); turn++) await Promise.resolve();
  expect(condition()).toBe(true);
}

test('the list comes first, and says nothing before it has come', async () => {
  const { feed, end } = await started(applicationSource, server([[app('a'), app('b')]], []));
  expect(feed.snapshot()).toMatchObject({ connection: { state: 'connecting' } });
  await until(() => names(feed) !== undefined);
  expect(names(feed)).toEqual(['a', 'b']);
  expect(feed.snapshot().connection.state).toBe('live');
  await end();
});

test('a lost stream is shown with its time, what was known stays, and the next list corrects it', async () => {
  const events = [{ type: 'ADDED', application: app('b') }];
  const { clock, feed, end } = await started(
    applicationSource,
    server([[app('a')], 'down', [app('b')]], [events]),
  );
  await until(() => feed.snapshot().connection.state === 'lost');
  expect(names(feed)).toEqual(['a']);
  expect(printTime(new Date(feed.snapshot().connection.since))).toBe('2026-03-18T14:00:00Z');
  await clock.advance(600);
  await until(() => feed.snapshot().error === 'the server answered 503');
  await clock.advance(2000);
  await until(() => feed.snapshot().connection.state === 'live');
  expect(names(feed)).toEqual(['b']);
  expect(feed.snapshot().error).toBeUndefined();
  await end();
});

test('events are gathered for a moment and drawn once', async () => {
  const open: Send = async (request) => {
    const response = await server([[app('a')]], [])(request);
    const events = [
      { type: 'MODIFIED', application: app('a', '2') },
      { type: 'ADDED', application: app('c') },
      { type: 'DELETED', application: app('a') },
    ];
    return {
      ...response,
      async *lines() {
        for (const result of events) yield printJson({ result });
        yield* response.lines();
      },
    };
  };
  const { clock, feed, end } = await started(applicationSource, open);
  let drawn = 0;
  await until(() => names(feed) !== undefined);
  feed.subscribe(() => {
    drawn += 1;
  });
  await clock.advance(500);
  expect(names(feed)).toEqual(['c']);
  expect(drawn).toBe(1);
  await end();
});

test.each([
  [
    'an error within it',
    { status: 200, line: { error: { http_code: 410, message: 'the version is too old: list again' } } },
  ],
  [
    'an answer that refuses the version',
    { status: 410, line: { code: 11, message: 'the version is too old' } },
  ],
])(
  'a stream that ends with %s lists again, and what was deleted meanwhile is gone',
  async (_, { status, line }) => {
    const answer = server([[app('a'), app('deleted')], [app('a')]], []);
    let streams = 0;
    const { clock, feed, end } = await started(applicationSource, async (request) => {
      const response = await answer(request);
      if (!request.path.includes('/stream/') || streams++ > 0) return response;
      return {
        status,
        text: async () => printJson(line),
        async *lines() {
          yield printJson(line);
        },
      };
    });
    await until(() => names(feed)?.length === 2);
    await until(() => feed.snapshot().connection.state === 'lost');
    await clock.advance(700);
    await until(() => feed.snapshot().connection.state === 'live');
    expect(names(feed)).toEqual(['a']);
    await end();
  },
);

test('sets are followed by the same feed, from their own stream', async () => {
  const set = (name: string) => ({ ...app(name), kind: 'ApplicationSet' });
  const paths: string[] = [];
  const answer = server([[set('shop')]], []);
  const events = [
    { type: 'ADDED', applicationSet: set('bank') },
    { type: 'DELETED', applicationSet: set('shop') },
  ];
  const { clock, feed, end } = await started(applicationSetSource, async (request) => {
    paths.push(request.path.split('?')[0] ?? '');
    const response = await answer(request);
    return {
      ...response,
      async *lines() {
        for (const result of events) yield printJson({ result });
        yield* response.lines();
      },
    };
  });
  await until(() => names(feed) !== undefined);
  await clock.advance(500);
  expect(names(feed)).toEqual(['bank']);
  expect(paths).toEqual(['/api/v1/applicationsets', '/api/v1/stream/applicationsets']);
  await end();
});

test('many applications come page by page, and the stream starts at the first', async () => {
  const asked: string[] = [];
  const send: Send = async ({ path, signal }) => {
    asked.push(path);
    const isStream = path.includes('/stream/');
    const isLast = path.includes('fairlead.continue');
    const metadata = isLast ? { resourceVersion: '9' } : { resourceVersion: '7', continue: 'more' };
    return {
      status: 200,
      text: async () => printJson({ metadata, items: [app(isLast ? 'b' : 'a')] }),
      async *lines() {
        if (isStream) await new Promise((_, reject) => signal?.addEventListener('abort', reject));
      },
    };
  };
  const { feed, end } = await started(applicationSource, send);
  await until(() => names(feed)?.length === 1);
  await until(() => names(feed)?.length === 2 && asked.length === 3);
  expect(asked[1]).toContain('fairlead.continue=more');
  expect(asked[2]).toContain('resourceVersion=7');
  await end();
});
