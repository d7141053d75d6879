import { beforeAll, describe, expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import {
  createKubeClient,
  type KubeClient,
  type ListWatchEvent,
  listWatch,
  type Transport,
} from '#kubernetes/client';
import { embeddedClusters, history } from './clusters.ts';

const { ctx, targets } = embeddedClusters();

/** A transport whose open streams can all be broken, as a restarted load balancer would. */
function breakable(transport: Transport): { transport: Transport; breakStreams(): void } {
  let streams = new AbortController();
  return {
    transport: (request) =>
      transport({ ...request, signal: AbortSignal.any([request.signal, streams.signal]) }),
    breakStreams() {
      streams.abort(new Error('the connection broke'));
      streams = new AbortController();
    },
  };
}

const configMaps = { apiVersion: 'v1', kind: 'ConfigMap' };
const configMap = (
  name: string,
  data: Record<string, string> = {},
  labels?: Record<string, string>,
): KubeObject =>
  ({ ...configMaps, metadata: { name, namespace: 'suite', ...(labels && { labels }) }, data }) as KubeObject;
const ref = (name: string) => ({ ...configMaps, namespace: 'suite', name });
const namesOf = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);

describe.each(targets)('a watcher of the embedded cluster, %s', (_name, open) => {
  let transport: Transport;
  let kube: KubeClient;

  beforeAll(async () => {
    transport = await open();
    kube = createKubeClient({ transport });
    await kube.create(ctx, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'suite' } });
  });

  /** Follows a collection in the background; `until` waits for what it has told. */
  function follow(client: KubeClient, from = configMaps) {
    const mine = new AbortController();
    const told: ListWatchEvent[] = [];
    let wake = (): void => {};
    const running = (async () => {
      const signal = AbortSignal.any([mine.signal, ctx.signal]);
      for await (const event of listWatch(
        { ...ctx, signal },
        client,
        { ...from, namespace: 'suite' },
        { labelSelector: 'followed=yes' },
      )) {
        told.push(event);
        wake();
      }
    })();
    const words = () =>
      told.map((event) => {
        if (event.type === 'SYNCED') return `SYNCED ${namesOf(event.objects).join(',')}`;
        return 'object' in event ? `${event.type} ${event.object.metadata.name}` : event.type;
      });
    return {
      async until(last: string): Promise<string[]> {
        while (words().at(-1) !== last) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        return words();
      },
      async end() {
        mine.abort();
        await running;
      },
    };
  }

  test('one watch tells every change that its selector sees', async () => {
    const { resourceVersion } = await kube.list(ctx, { ...configMaps, namespace: 'suite' });
    const events = await kube.watch(
      ctx,
      { ...configMaps, namespace: 'suite' },
      { resourceVersion, labelSelector: 'seen=yes' },
    );
    await kube.create(ctx, configMap('seen', {}, { seen: 'yes' }));
    await kube.create(ctx, configMap('unseen', {}, { seen: 'no' }));
    await kube.patch(ctx, ref('seen'), { type: 'merge', body: { data: { a: 'b' } } });
    await kube.patch(ctx, ref('seen'), { type: 'merge', body: { metadata: { labels: { seen: 'no' } } } });
    const told: string[] = [];
    for await (const { type, object } of events) {
      told.push(`${type} ${object.metadata.name}`);
      if (type === 'DELETED') break;
    }
    expect(told).toEqual(['ADDED seen', 'MODIFIED seen', 'DELETED seen']);
  });

  test('a mirror goes on where its stream broke, and misses nothing', async () => {
    const { transport: weak, breakStreams } = breakable(transport);
    const mirror = follow(createKubeClient({ transport: weak }));
    await mirror.until('SYNCED ');
    await kube.create(ctx, configMap('mirror-a', {}, { followed: 'yes' }));
    await mirror.until('ADDED mirror-a');
    breakStreams();
    await kube.patch(ctx, ref('mirror-a'), { type: 'merge', body: { data: { while: 'away' } } });
    await kube.create(ctx, configMap('mirror-b', {}, { followed: 'yes' }));
    await kube.delete(ctx, ref('mirror-a'));
    expect(await mirror.until('DELETED mirror-a')).toEqual([
      'SYNCED ',
      'ADDED mirror-a',
      'MODIFIED mirror-a',
      'ADDED mirror-b',
      'DELETED mirror-a',
    ]);
    await mirror.end();
    await kube.delete(ctx, ref('mirror-b'));
  });

  test('a mirror that was away too long is given the whole truth', async () => {
    const { transport: weak, breakStreams } = breakable(transport);
    let away: Promise<void> = Promise.resolve();
    const held: Transport = async (request) => {
      if (request.path.includes('watch=true')) await away;
      return weak(request);
    };
    const mirror = follow(createKubeClient({ transport: held }));
    await mirror.until('SYNCED ');
    await kube.create(ctx, configMap('lost', {}, { followed: 'yes' }));
    await kube.create(ctx, configMap('kept', {}, { followed: 'yes' }));
    await mirror.until('ADDED kept');
    let comeBack = (): void => {};
    away = new Promise((resolve) => {
      comeBack = resolve;
    });
    breakStreams();
    await kube.delete(ctx, ref('lost'));
    for (let i = 0; i < 3 * history; i++)
      await kube.patch(ctx, ref('kept'), { type: 'merge', body: { data: { i: `${i}` } } });
    comeBack();
    const words = await mirror.until('SYNCED kept');
    expect(words.filter((word) => word.startsWith('DELETED'))).toEqual([]);
    await kube.delete(ctx, ref('kept'));
    await mirror.until('DELETED kept');
    await mirror.end();
  });

  test('many watches and many requests share the wire', async () => {
    const mine = new AbortController();
    const inner = { ...ctx, signal: mine.signal };
    const watches = await Promise.all(
      Array.from({ length: 150 }, () => kube.watch(inner, configMaps, { labelSelector: 'crowd=yes' })),
    );
    await kube.create(ctx, configMap('crowd', {}, { crowd: 'yes' }));
    const first = await Promise.all(watches.map((watch) => watch.next()));
    expect(first.every(({ value }) => value?.object.metadata.name === 'crowd')).toBe(true);
    mine.abort();
    await Promise.all(watches.map((watch) => watch.return(undefined)));
  });

  test('requests end with their ctx', async () => {
    const mine = new AbortController();
    const watch = await kube.watch({ ...ctx, signal: mine.signal }, configMaps, {
      labelSelector: 'none=such',
    });
    const next = watch.next();
    mine.abort(new Error('shutting down'));
    await expect(next).rejects.toThrow('shutting down');
    await expect(kube.get({ ...ctx, signal: mine.signal }, ref('x'))).rejects.toThrow('shutting down');
  });
});
