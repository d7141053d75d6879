import { beforeEach, expect, test } from 'vitest';
import { type Ctx, type ErrorCode, FairleadError, type Records, realClock, silent } from '#base/std';
import { AccessProofs } from './access-proofs.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const identity = 'https://git.example/shop with a token';
let kept: Set<string>;
let records: Records<true>;

beforeEach(() => {
  kept = new Set();
  records = {
    get: (_ctx, key) => (kept.has(key) ? true : undefined),
    put: (_ctx, key) => void kept.add(key),
    delete: (_ctx, key) => void kept.delete(key),
  };
});

const fails = (code: ErrorCode) => () => Promise.reject(new FairleadError(code, 'no'));

test('credentials that a host accepted are accepted by the next process, and no others', async () => {
  const before = new AccessProofs('reach', records);
  expect(before.has(ctx, identity)).toBe(false);
  expect(await before.proving(ctx, identity, async () => 'refs')).toBe('refs');
  const after = new AccessProofs('reach', records);
  expect(after.has(ctx, identity)).toBe(true);
  expect(after.has(ctx, 'https://git.example/shop with another token')).toBe(false);
});

test('a process that may reach other hosts and folders than the one before it has to prove its access again', () => {
  new AccessProofs('loopback', records).add(ctx, identity);
  expect(new AccessProofs('no loopback', records).has(ctx, identity)).toBe(false);
});

test.each<[ErrorCode, boolean]>([
  ['Unavailable', true],
  ['LimitExceeded', true],
  ['Auth', false],
  ['PermissionDenied', false],
  ['NotFound', false],
])('after %s the proof stands: %s', async (code, stands) => {
  const proofs = new AccessProofs('reach', records);
  proofs.add(ctx, identity);
  await expect(proofs.proving(ctx, identity, fails(code))).rejects.toMatchObject({ code });
  expect(proofs.has(ctx, identity)).toBe(stands);
  expect(new AccessProofs('reach', records).has(ctx, identity)).toBe(stands);
});
