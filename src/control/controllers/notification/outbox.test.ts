import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ctx, FairleadError, silent, type VirtualClock, virtualClock } from '#base/std';
import { DeliveryError } from '#control/deliver';
import { type NotificationConfig, readNotifications } from '#control/notify';
import { Outbox, type OutboxEntry, type QueuedMessage } from './outbox.ts';

// queues of destinations, in a time that passes as fast as it can

let clock: VirtualClock;
let stop: AbortController;
let ctx: Ctx;
let running: Promise<void>;
let outbox: Outbox;
let log: string[];
/** When what failed is tried again, in seconds since the beginning. */
let next: (number | undefined)[];
/** What the service does with a message. */
let service: (entries: readonly OutboxEntry[], signal: AbortSignal) => Promise<void>;
const began = Date.parse('2026-06-01T08:00:00Z');

const data: Record<string, string> = {
  'service.slack': 'token: t',
  'service.webhook.hook': 'url: https://h.example\nretryMax: 2\nretryWaitMin: 1s\nretryWaitMax: 2s',
};
let config: NotificationConfig;
const read = (more: Record<string, string> = {}) =>
  readNotifications({ namespace: 'argocd', data: { ...data, ...more }, secrets: {}, argocdUrl: '' });

beforeEach(() => {
  clock = virtualClock({ start: new Date(began) });
  stop = new AbortController();
  ctx = { signal: stop.signal, log: silent, clock };
  log = [];
  next = [];
  config = read();
  service = async () => {};
  const at = (): number => (clock.now().getTime() - began) / 1000;
  const names = (entries: readonly OutboxEntry[]) => entries.map(({ app }) => app.name).join('+');
  outbox = new Outbox({
    configOf: () => config,
    records: { put: () => {}, remove: () => {}, written: async () => {} },
    send: (inner, entries) => service(entries, inner.signal),
    delivered: async (_ctx, entries, attempts) =>
      void log.push(`${at()}s ${names(entries)} delivered at attempt ${attempts}`),
    failed: (_ctx, entries, { error, attempts, nextAt }) => {
      const outcome = nextAt === undefined ? 'given up' : 'failed';
      next.push(nextAt && (nextAt - began) / 1000);
      log.push(`${at()}s ${names(entries)} ${outcome} at attempt ${attempts}: ${error.message}`);
    },
    random: () => 0,
  });
  running = outbox.run(ctx);
});
afterEach(async () => {
  stop.abort();
  await running;
});

function add(name: string, to = 'slack:ops', trigger = 'on-x'): boolean {
  const [service = '', recipient = ''] = to.split(':');
  const due = {
    namespace: config.namespace,
    trigger,
    destination: { service, recipient },
    mark: `${trigger} ${to}`,
    isOncePer: false,
  } satisfies QueuedMessage;
  const app = { uid: name, namespace: 'argocd', name, project: 'default' };
  const since = clock.now().getTime();
  const notification = { message: name, part: undefined };
  return outbox.add({ id: `${name} ${to}`, app, due, notification, since, isPast: false });
}

const hour = 3_600_000;
/** Ends only with the process. */
const hung = (signal: AbortSignal) =>
  new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test.each([
  ['500', () => new FairleadError('Unavailable', 'it answered 500')],
  ['429', () => new DeliveryError('it answered 429', 30_000)],
])(
  'a service that answers %s for an hour: everything is delivered once, in order, soon after',
  async (_name, error) => {
    service = async () => {
      if (clock.now().getTime() < began + hour) throw error();
    };
    for (const name of ['a', 'b', 'c']) add(name);
    await clock.advance(hour);
    const attempts = log.length;
    expect(attempts).toBeGreaterThan(10);
    expect(attempts).toBeLessThan(130);
    await clock.advance(6 * 60_000);
    expect(log.slice(attempts).map((line) => line.replace(/^\S+ /, ''))).toEqual([
      expect.stringMatching(/^a delivered/),
      'b delivered at attempt 1',
      'c delivered at attempt 1',
    ]);
    expect(outbox.size).toBe(0);
  },
);

test('a service that hangs delays no other destination', async () => {
  service = (entries, signal) => (entries[0]?.app.name === 'hung' ? hung(signal) : Promise.resolve());
  add('hung', 'slack:one');
  add('quick', 'slack:two');
  await clock.advance(5_000);
  expect(log).toEqual(['2s quick delivered at attempt 1']);
});

test('a refused message is retried slowly and delays no other of its destination; a new configuration retries it at once', async () => {
  let isRefused = true;
  service = async (entries) => {
    if (isRefused && entries[0]?.app.name === 'bad') throw new FairleadError('InvalidSpec', 'too long');
  };
  add('bad');
  add('good');
  await clock.advance(10_000);
  expect(log).toEqual(['2s bad failed at attempt 1: too long', '2s good delivered at attempt 1']);
  isRefused = false;
  outbox.retryNow('argocd');
  await clock.advance(0);
  expect(log[2]).toBe('10s bad delivered at attempt 2');
});

test('a message that is refused for a day is given up', async () => {
  service = async () => {
    throw new FairleadError('InvalidSpec', 'no');
  };
  add('bad');
  await clock.advance(26 * hour);
  expect(log.at(-1)).toMatch(/bad given up at attempt \d+: no$/);
  expect([outbox.size, outbox.has('bad', 'on-x slack:ops')]).toEqual([0, false]);
});

test('from five on, messages of one trigger to people are one; messages to programs never are', async () => {
  for (let at = 0; at < 6; at++) add(`a${at}`);
  add('other', 'slack:ops', 'on-y');
  for (let at = 0; at < 6; at++) add(`h${at}`, 'hook:');
  await clock.advance(5_000);
  expect(log.filter((line) => /[h]\d/.test(line))).toHaveLength(6);
  expect(log.filter((line) => !/[h]\d/.test(line))).toEqual([
    '2s a0+a1+a2+a3+a4+a5 delivered at attempt 1',
    '2s other delivered at attempt 1',
  ]);
});

test('a wait for others starts again with each, but not for ever', async () => {
  for (let at = 0; at < 20; at++) {
    add(`a${at}`);
    await clock.advance(1_000);
  }
  await clock.advance(5_000);
  expect(log[0]).toMatch(/^12s a0\+.*\+a11 delivered/);
});

test('a destination gets no more than its share a minute', async () => {
  config = read({ 'fairlead.delivery': '{perMinute: 3, groupFrom: 0}' });
  for (let at = 0; at < 7; at++) add(`a${at}`);
  await clock.advance(150_000);
  expect(log.map((line) => line.split(' ')[0])).toEqual(['0s', '0s', '0s', '60s', '60s', '60s', '120s']);
});

test('what is refused together is tried one by one', async () => {
  service = async (entries) => {
    if (entries.length > 1) throw new FairleadError('InvalidSpec', 'too long');
  };
  for (let at = 0; at < 5; at++) add(`a${at}`);
  await clock.advance(5_000);
  expect(log).toHaveLength(6);
  expect(log.slice(1).every((line) => line.includes('delivered at attempt 2'))).toBe(true);
});

test('a webhook says how soon its first attempts follow each other', async () => {
  service = async () => {
    throw new FairleadError('Unavailable', 'down');
  };
  add('a', 'hook:');
  await clock.advance(10_000);
  expect(log.map((line) => line.split(' ')[0])).toEqual(['0s', '1s', '3s', '7s']);
});

test('a queue is bounded: what has no room is found again later', async () => {
  service = (_entries, signal) => hung(signal);
  const taken = Array.from({ length: 2_100 }, (_, at) => add(`a${at}`)).filter(Boolean);
  expect(taken).toHaveLength(2_000);
});

test('a failure reports when the message is tried again', async () => {
  service = async () => {
    if (log.length < 2) throw new FairleadError('Unavailable', 'it answered 500');
  };
  add('a', 'hook');
  await clock.advance(60_000);
  expect(log.map((line) => line.split(' ')[0])).toEqual(['0s', ...next.map((at) => `${at}s`)]);
  expect(next).toHaveLength(2);
});
