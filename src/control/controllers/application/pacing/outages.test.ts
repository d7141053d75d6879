import { afterEach, expect, test } from 'vitest';
import type { Application } from '#base/model';
import { FairleadError, type LogFields, type Logger, silent, virtualClock } from '#base/std';
import { Outages } from './outages.ts';

const appOf = (...urls: string[]): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'app' },
  spec: { destination: {}, sources: urls.map((repoURL) => ({ repoURL })) },
});
const [one, both] = [appOf('https://h/one'), appOf('https://h/one.git', 'https://h/two')];

let stop: AbortController;
let running: Promise<void>;

/** Asks on a virtual clock; what is asked and who is woken is noted with the second. */
function start(apps: Map<string, Application>) {
  const clock = virtualClock();
  const began = clock.now().getTime();
  const seconds = () => (clock.now().getTime() - began) / 1000;
  const [asked, woken, lines]: [string[], string[], string[]] = [[], [], []];
  const down = new Map<string, FairleadError>();
  const outages = new Outages({
    reaches: async (_ctx, { repoURL }) => {
      asked.push(`${repoURL} ${seconds()}`);
      const error = down.get(repoURL);
      if (error) throw error;
    },
    wake: (key) => woken.push(`${key} ${seconds()}`),
    get: (key) => apps.get(key),
  });
  stop = new AbortController();
  running = outages.run({ signal: stop.signal, log: logTo(lines), clock });
  return { clock, outages, asked, woken, down, lines };
}
/** Each line with its repository. */
function logTo(lines: string[], { repository }: LogFields = {}): Logger {
  const note = (message: string) => void lines.push(`${repository}: ${message}`);
  return { ...silent, info: note, warn: note, with: (fields) => logTo(lines, fields) };
}
afterEach(async () => {
  stop.abort();
  await running;
});

const away = new FairleadError('Unavailable', 'connection refused');

test('one question at a time, however many wait, and all are woken when it answers', async () => {
  const { clock, outages, asked, woken, down } = start(
    new Map([
      ['a', one],
      ['b', one],
      ['c', one],
    ]),
  );
  down.set('https://h/one', away);
  for (const key of ['a', 'b', 'c', 'a']) outages.failed(key, one);
  await clock.advance(12_000);
  expect(asked).toEqual(['https://h/one 1', 'https://h/one 6', 'https://h/one 11']);
  down.clear();
  await clock.advance(5_000);
  expect(woken).toEqual(['a 16', 'b 16', 'c 16']);
  outages.answered(one);
  await clock.advance(60_000);
  expect(asked).toHaveLength(4);
});

test('an unreachable repository is one line in the log, and one when it is reachable again', async () => {
  const withToken = appOf('https://joe:token@h/one');
  const { clock, outages, down, lines } = start(new Map([['a', withToken]]));
  down.set('https://joe:token@h/one', away);
  for (const key of ['a', 'b']) outages.failed(key, withToken);
  await clock.advance(60_000);
  const unreachable = 'https://h/one: repository is unreachable: it is probed until it responds';
  expect(lines).toEqual([unreachable]);
  down.clear();
  await clock.advance(5_000);
  outages.answered(withToken);
  await clock.advance(5_000);
  expect(lines).toEqual([unreachable, 'https://h/one: repository is reachable again']);
});

test('a refusal is an answer: it is there', async () => {
  const { clock, outages, woken, down } = start(new Map([['a', one]]));
  down.set('https://h/one', new FairleadError('Auth', 'who are you'));
  outages.failed('a', one);
  await clock.advance(1_000);
  expect(woken).toEqual(['a 1']);
});

test('who fails although it answers is woken once, and then left to the queue', async () => {
  const { clock, outages, asked, woken, down } = start(new Map([['a', both]]));
  down.set('https://h/two', away);
  outages.failed('a', both);
  await clock.advance(1_000);
  expect(woken).toEqual(['a 1']); // the first of the two was never away
  outages.failed('a', both);
  await clock.advance(20_000);
  expect(woken).toEqual(['a 1']);
  expect(asked.filter((line) => line.startsWith('https://h/one'))).toHaveLength(2);
  down.clear();
  await clock.advance(5_000);
  expect(woken).toEqual(['a 1', 'a 26']);
});

test('a look that succeeds wakes everybody else who waits, without another question', async () => {
  const { clock, outages, asked, woken, down } = start(
    new Map([
      ['a', one],
      ['b', one],
    ]),
  );
  down.set('https://h/one', away);
  outages.failed('a', one);
  outages.failed('b', one);
  await clock.advance(1_000);
  outages.answered(both);
  expect(woken).toEqual(['a 1', 'b 1']);
  await clock.advance(60_000);
  expect(asked).toHaveLength(1);
});

test('nobody asks for what nobody needs any more', async () => {
  const apps = new Map([['a', one]]);
  const { clock, outages, asked, down } = start(apps);
  down.set('https://h/one', away);
  outages.failed('a', one);
  await clock.advance(6_000);
  apps.set('a', appOf('https://h/other'));
  await clock.advance(600_000);
  expect(asked).toHaveLength(3);
});

/** Repositories that accept the question and never answer it, and one that refuses it at once. */
function hangingAnd(refusing: string, urls: readonly string[]) {
  const clock = virtualClock();
  const asked: string[] = [];
  const outages = new Outages({
    reaches: async ({ signal }, { repoURL }) => {
      asked.push(repoURL);
      if (repoURL !== refusing) await clock.sleep(15_000, signal);
      throw away;
    },
    wake: () => {},
    get: () => appOf(refusing, ...urls),
  });
  stop = new AbortController();
  running = outages.run({ signal: stop.signal, log: silent, clock });
  outages.failed('a', appOf(...urls, refusing));
  return { clock, asked };
}

test.each<[string, (at: number) => string]>([
  ['of one host', (at) => `https://bad/${at}`],
  ['of as many hosts', (at) => `https://bad-${at}/repo`],
])('100 repositories %s that hang do not keep another from being asked', async (_of, url) => {
  const urls = Array.from({ length: 100 }, (_one, at) => url(at));
  const { clock, asked } = hangingAnd('https://good/repo', urls);
  await clock.advance(120_000);
  const count = asked.filter((one) => one === 'https://good/repo').length;
  expect(count).toBeGreaterThanOrEqual(12); // every five seconds, or the next time when there was no room
});
