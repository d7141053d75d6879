import { expect, test } from 'vitest';
import type { KubeObject } from '#base/model';
import { type Ctx, FairleadError, realClock, silent } from '#base/std';
import { Informer, type ObjectChange } from '#control/live';
import { allByName, newestVersion, watchObjects } from './watch-objects.ts';

const object = (name: string, resourceVersion: string, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion, ...more },
});

/** Objects in memory whose changes are delivered as they are published. */
function store(...present: readonly KubeObject[]) {
  const changes: ObjectChange[] = [];
  let [wake, failure] = [() => {}, undefined as Error | undefined];
  const publish = (...more: readonly ObjectChange[]) => {
    changes.push(...more);
    wake();
  };
  async function* follow(ctx: Ctx): AsyncGenerator<ObjectChange> {
    ctx.signal.addEventListener('abort', () => wake());
    while (!ctx.signal.aborted) {
      const next = changes.shift();
      if (next) yield next;
      else if (failure) throw failure;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  const fail = (error: Error) => {
    failure = error;
    wake();
  };
  return { list: () => [...present], listDeleted: () => [], changes: follow, publish, fail };
}

const stop = new AbortController();
const ctx: Ctx = { signal: stop.signal, log: silent, clock: realClock };
const settled = () => new Promise((resolve) => setImmediate(resolve));

function reader(
  objects: Parameters<typeof watchObjects>[1]['objects'],
  query = '',
  isShown: (one: KubeObject) => boolean = () => true,
) {
  const stream = watchObjects(ctx, { objects, query: new URLSearchParams(query), isShown });
  const next = async (): Promise<string> => {
    const { value, done } = await stream.next();
    return done
      ? 'end'
      : `${value.type} ${value.object.metadata.name} ${value.object.metadata.resourceVersion}`;
  };
  return { next, close: () => stream.return(undefined) };
}

test('what is there comes first, sorted, then its changes', async () => {
  const [a, b] = [object('a', '1'), object('b', '2')];
  const objects = store(b, a);
  const { next, close } = reader(objects);
  expect([await next(), await next()]).toEqual(['ADDED a 1', 'ADDED b 2']);
  objects.publish({ before: a, after: object('a', '3') }, { before: b });
  expect([await next(), await next()]).toEqual(['MODIFIED a 3', 'DELETED b 2']);
  await close();
});

test('a slow reader gets the newest state of each object, and nothing that came and went meanwhile', async () => {
  const a = object('a', '1');
  const objects = store(a);
  const { next, close } = reader(objects);
  await next();
  const states = Array.from({ length: 1_000 }, (_, i) => object('a', String(i + 2)));
  objects.publish(
    ...states.map((after, i) => ({ before: states[i - 1] ?? a, after })),
    { after: object('short', '2000') },
    { before: object('short', '2000') },
    { after: object('b', '2001') },
  );
  await settled();
  await settled();
  const messages = [await next()];
  while (messages.at(-1) !== 'ADDED b 2001') messages.push(await next());
  expect(messages.length).toBeLessThan(10);
  expect(messages.filter((one) => one.includes(' a ')).at(-1)).toBe('MODIFIED a 1001');
  await close();
});

test('an object that was recreated meanwhile is deleted and added', async () => {
  const a = object('a', '1');
  const objects = store(a);
  const { next, close } = reader(objects);
  await next();
  const again = object('a', '5', { uid: 'another' });
  objects.publish({ before: a }, { after: again });
  await settled();
  expect([await next(), await next()]).toEqual(['DELETED a 1', 'ADDED a 5']);
  await close();
});

test('what leaves the filter is deleted, what enters it is added', async () => {
  const isShown = ({ metadata }: KubeObject): boolean => metadata.labels?.shown === 'yes';
  const [on, off] = [object('a', '1', { labels: { shown: 'yes' } }), object('a', '2')];
  const objects = store(on);
  const { next, close } = reader(objects, '', isShown);
  await next();
  objects.publish({ before: on, after: off });
  expect(await next()).toBe('DELETED a 1');
  objects.publish({ before: off, after: object('a', '3', { labels: { shown: 'yes' } }) });
  expect(await next()).toBe('ADDED a 3');
  await close();
});

test.each([
  ['resourceVersion=9', ['ADDED b 10']],
  ['resourceVersion=9&name=a', ['ADDED a 9', 'ADDED b 10']],
  ['resourceVersion=x', ['ADDED a 9', 'ADDED b 10']],
])('%s: %j first (server §2.5)', async (query, expected) => {
  const { next, close } = reader(store(object('a', '9'), object('b', '10')), query);
  const messages: string[] = [];
  for (const _one of expected) messages.push(await next());
  expect(messages).toEqual(expected);
  await close();
});

test('a stream whose changes are lost ends with the reason', async () => {
  const objects = store();
  const { next } = reader(objects);
  const first = next();
  objects.fail(new FairleadError('LimitExceeded', 'changes were dropped'));
  await expect(first).rejects.toThrow('changes were dropped');
});

test('the order is right whatever comes, goes and changes', () => {
  let present = [object('c', '1'), object('a', '2')];
  const objects = { list: () => [...present] };
  const names = () => allByName(objects).map(({ metadata }) => `${metadata.name}${metadata.resourceVersion}`);
  expect(names()).toEqual(['a2', 'c1']);
  present = [object('c', '3'), object('a', '2')];
  expect(names()).toEqual(['a2', 'c3']);
  present = [object('c', '3'), object('b', '4')];
  expect(names()).toEqual(['b4', 'c3']);
  expect(newestVersion([object('x', '9'), object('y', '10')])).toBe('10');
});

test('a stream of one name begins with its deletion, unless the object was created again or the reader may not get it', async () => {
  const objects = new Informer<KubeObject>({} as never, { apiVersion: 'v1', kind: 'ConfigMap' });
  objects.keepDeleted(3);
  const [a, b, c] = [object('a', '1'), object('b', '2'), object('c', '3')];
  for (const one of [a, b, c]) objects.put(one);
  for (const one of [a, b, c]) objects.drop(one);
  objects.put(object('b', '4', { uid: 'another' }));
  const firstOf = async (name: string, isAllowed = true) => {
    const isShown = ({ metadata }: KubeObject) => isAllowed && metadata.name === name;
    const { next, close } = reader(objects, `name=${name}`, isShown);
    const first = await Promise.race([next(), settled().then(() => 'nothing')]);
    if (first !== 'nothing') await close();
    return first;
  };
  expect([await firstOf('a'), await firstOf('b'), await firstOf('a', false)]).toEqual([
    'DELETED a 1',
    'ADDED b 4',
    'nothing',
  ]);
  expect(objects.listDeleted().map(({ metadata }) => metadata.name)).toEqual(['a', 'c']);
  for (const name of ['d', 'e']) {
    objects.put(object(name, '5'));
    objects.drop(object(name, '5'));
  }
  expect(await firstOf('a')).toBe('nothing'); // of the last three no more
});
