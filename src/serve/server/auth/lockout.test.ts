import { expect, test } from 'vitest';
import { realClock, silent, virtualClock } from '#base/std';
import { createCluster } from '#embedded';
import { createKubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { Lockout } from './lockout.ts';
import { LockoutRecord } from './lockout-record.ts';

const limits = { maxFailures: 5, windowMs: 300_000 };
const from = (address: string, username = 'admin', isKnown = true) => ({ username, address, isKnown });
const outcome = (act: () => unknown): string => {
  try {
    act();
    return 'admitted';
  } catch (error) {
    return (error as Error).message;
  }
};
const locked = (minutes: number, until = '1970-01-01T00:05:00Z'): string =>
  `locked out until ${until} (${minutes} min): too many failed logins for this account from this address; no password is checked until then`;

test('attempts that are still being checked count as failed', () => {
  const lockout = new Lockout(limits);
  const burst = Array.from({ length: 46 }, () => outcome(() => lockout.begin(from('a'), 0)));
  expect(burst.filter((one) => one === 'admitted')).toHaveLength(5);
  expect(burst[45]).toBe(locked(5));
});

test('the right password makes earlier failures count no more, but not those still being checked', () => {
  const lockout = new Lockout(limits);
  for (let i = 0; i < 3; i++) lockout.begin(from('a'), 0)(false);
  const pending = lockout.begin(from('a'), 0);
  lockout.begin(from('a'), 0)(true);
  pending(false);
  const more = Array.from({ length: 5 }, () => outcome(() => lockout.begin(from('a'), 0)(false)));
  expect(more).toEqual(['admitted', 'admitted', 'admitted', 'admitted', locked(5)]);
});

test('the lock ends with its window, and refused attempts do not prolong it', () => {
  const lockout = new Lockout(limits);
  for (let i = 0; i < 5; i++) lockout.begin(from('a'), i * 1000)(false);
  expect(outcome(() => lockout.begin(from('a'), 100_000))).toBe(locked(4));
  expect(outcome(() => lockout.begin(from('a'), 299_999))).toBe(locked(1));
  expect(outcome(() => lockout.begin(from('a'), 300_000))).toBe('admitted');
});

test('a flood from one address locks out that address only', () => {
  const lockout = new Lockout(limits);
  for (let i = 0; i < 1000; i++) outcome(() => lockout.begin(from('attacker'), 0)(false));
  expect(Array.from({ length: 4 }, () => outcome(() => lockout.begin(from('user'), 0)(false)))).toEqual(
    Array(4).fill('admitted'),
  );
});

test('under attack from many addresses each has one guess, and a user who types the password right gets in', () => {
  const lockout = new Lockout(limits);
  for (let i = 0; i < 20; i++) for (let j = 0; j < 5; j++) lockout.begin(from(`bot-${i}`), 0)(false);
  lockout.begin(from('another bot'), 0)(false);
  expect(outcome(() => lockout.begin(from('another bot'), 0))).toBe(locked(5));
  for (let i = 0; i < 3; i++) expect(outcome(() => lockout.begin(from('user'), 0)(true))).toBe('admitted');
  // one window later it is over
  expect(Array.from({ length: 3 }, () => outcome(() => lockout.begin(from('x'), 300_000)(false)))).toEqual(
    Array(3).fill('admitted'),
  );
});

test('a flood of invented names does not evict what is counted for an account', () => {
  const lockout = new Lockout(limits);
  for (let i = 0; i < 5; i++) lockout.begin(from('a'), 0)(false);
  for (let i = 0; i < 20_000; i++) lockout.begin(from('a', `name-${i}`, false), 0)(false);
  expect(outcome(() => lockout.begin(from('a'), 0))).toBe(locked(5));
});

test('an account and an invented name are refused in the same words', () => {
  const lockout = new Lockout(limits);
  const words = [from('a'), from('a', 'nobody', false)].map((attempt) => {
    for (let i = 0; i < 5; i++) lockout.begin(attempt, 0)(false);
    return outcome(() => lockout.begin(attempt, 60_000));
  });
  expect(new Set(words)).toEqual(new Set([locked(4)]));
});

test('a window of 0 never ends', () => {
  const lockout = new Lockout({ maxFailures: 1, windowMs: 0 });
  lockout.begin(from('a'), 0)(false);
  expect(outcome(() => lockout.begin(from('a'), 1e12))).toContain('locked out until the server restarts');
});

test('failures of an account survive a restart until their window has passed, those of invented names do not', async () => {
  const stop = new AbortController();
  const clock = virtualClock({ start: new Date(0) });
  const ctx = { signal: stop.signal, log: silent, clock };
  const cluster = await createCluster({ store: memoryStore(), clock: realClock });
  const kube = createKubeClient({ transport: (request) => cluster.handle(request) });
  const deps = { kube, namespace: 'default' };
  const limits = { maxFailures: 2, windowMs: 300_000 };
  const admin = { username: 'admin', address: '192.0.2.1', isKnown: true };
  const first = new Lockout(limits);
  const running = (await LockoutRecord.open(ctx, deps, first)).run(ctx);
  for (const attempt of [admin, admin, { ...admin, username: 'eve', isKnown: false }])
    first.begin(attempt, 0)(false);
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'fairlead-login-failures' };
  const recorded = async () =>
    Object.keys(((await kube.find(ctx, ref)) as { data?: object } | undefined)?.data ?? {});
  await expect.poll(async () => [await clock.advance(1000), (await recorded()).length][1]).toBe(2);
  expect((await recorded()).join()).not.toMatch(/admin|192/);
  const next = new Lockout(limits);
  const again = await LockoutRecord.open(ctx, deps, next);
  expect(() => next.begin(admin, 1000)).toThrow('locked out until');
  expect(() => next.begin({ ...admin, address: '192.0.2.2' }, 1000)).not.toThrow();
  await clock.advance(300_000);
  expect(() => next.begin(admin, 301_000)(true)).not.toThrow();
  const rest = again.run(ctx);
  await expect.poll(async () => [await clock.advance(1000), (await recorded()).length][1]).toBe(0);
  stop.abort();
  await Promise.all([running, rest]);
  await cluster.close();
});
