import { afterAll, expect, test } from 'vitest';
import { type ErrorCode, FairleadError, realClock, silent } from '#base/std';
import { createPool } from './pool.ts';

type Functions = {
  echo(...args: unknown[]): unknown[];
  add(a: number, b: number): number;
  pid(): number;
  environment(): string[];
  types(...args: unknown[]): string[];
  later(value: string): Promise<string>;
  hang(): void;
  never(): Promise<void>;
  refuse(code: ErrorCode, message: string): void;
  blunder(): void;
  throwText(): void;
  exit(code: number): void;
  fallOver(): void;
  recurse(n: number): number;
  fillMap(): void;
  fillBuffers(): void;
  splitFar(): number;
  returnFunction(): void;
  nonesuch(): void;
};

const module = new URL('./testdata/functions.mjs', import.meta.url);
const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const limits = { ms: 20_000, memoryMb: 64 };
const slow = 60_000; // start-up and running out of memory take real time on a busy machine

const pool = createPool<Functions>({ module, size: 2 });
const one = createPool<Functions>({ module, size: 1 });
afterAll(async () => {
  await Promise.all([pool.close(), one.close()]);
});

const failure = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => 'no failure',
    (error: unknown) => error,
  );

test('plain data, bigints, maps, dates and bytes cross unharmed in both directions', {
  timeout: slow,
}, async () => {
  const args = [
    { name: 'x', list: [1, null, undefined, true] },
    2n ** 64n,
    new Uint8Array([0, 255, 7]).subarray(1),
    new Map([['k', new Set([1n])]]),
    new Date(0),
    -0,
  ];
  expect(await pool.run(ctx, 'echo', args, limits)).toEqual(args);
  const types = await pool.run(ctx, 'types', [1n, new Uint8Array(3)], limits);
  expect(types).toEqual(['BigInt', 'Uint8Array']);
});

test('an async function is awaited', async () => {
  expect(await pool.run(ctx, 'later', ['done'], limits)).toBe('done');
});

test('an error keeps its code and message', async () => {
  const run = pool.run(ctx, 'refuse', ['RenderFailed', 'values.yaml: no such key'], limits);
  const error = await failure(run);
  expect(error).toBeInstanceOf(FairleadError);
  expect(error).toMatchObject({ code: 'RenderFailed', message: 'values.yaml: no such key', terminal: true });
});

test('a mistake in a function is Internal, whatever was thrown', async () => {
  expect(await failure(pool.run(ctx, 'blunder', [], limits))).toMatchObject({ code: 'Internal' });
  const text = await failure(pool.run(ctx, 'throwText', [], limits));
  expect(text).toMatchObject({ code: 'Internal', message: 'just text' });
});

test('a function that does not exist, and values that cannot be copied, are named', async () => {
  const before = await one.run(ctx, 'pid', [], limits);
  const runs = [
    one.run(ctx, 'nonesuch', [], limits),
    one.run(ctx, 'echo', [() => 1], limits),
    one.run(ctx, 'returnFunction', [], limits),
  ];
  const messages = (await Promise.all(runs.map(failure))).map((error) => FairleadError.from(error).message);
  expect(messages).toEqual([
    'the worker module has no function nonesuch',
    'the arguments of echo cannot be copied',
    'the result of returnFunction cannot be copied',
  ]);
  expect(await one.run(ctx, 'pid', [], limits)).toBe(before);
});

test('endless recursion is a limit, not a crash', async () => {
  const error = await failure(pool.run(ctx, 'recurse', [0], limits));
  expect(error).toMatchObject({
    code: 'LimitExceeded',
    message: 'recurse was given something nested too deeply',
  });
});

test.each(['hang', 'never'] as const)(
  '%s is stopped at its time, and the next run is served',
  async (name) => {
    const before = await one.run(ctx, 'pid', [], limits);
    const error = await failure(one.run(ctx, name, [], { ...limits, ms: 30 }));
    expect(error).toMatchObject({ code: 'LimitExceeded', message: `${name} took longer than 30 ms` });
    expect(await one.run(ctx, 'pid', [], limits)).not.toBe(before);
  },
);

test.each(['fillMap', 'fillBuffers', 'splitFar'] as const)(
  '%s runs out of memory alone',
  { timeout: slow },
  async (name) => {
    const [error, sum] = await Promise.all([
      failure(one.run(ctx, name, [], limits)),
      one.run(ctx, 'add', [1, 2], limits),
    ]);
    expect(error).toMatchObject({
      code: 'LimitExceeded',
      message: `${name} needed more than 64 MB of memory`,
    });
    expect(sum).toBe(3);
  },
);

test('a worker that exits or falls over is Internal and replaced', { timeout: slow }, async () => {
  const [exit, fall, sum] = await Promise.all([
    failure(one.run(ctx, 'exit', [0], limits)),
    failure(one.run(ctx, 'fallOver', [], limits)),
    one.run(ctx, 'add', [1, 2], limits),
  ]);
  expect(exit).toMatchObject({
    code: 'Internal',
    message: 'the worker died while running exit (exit code 0)',
  });
  expect(fall).toMatchObject({
    code: 'Internal',
    message: 'the worker died while running fallOver (exit code 1)',
  });
  expect(sum).toBe(3);
});

test('stopping takes a waiting run out of the line and ends a running one', { timeout: slow }, async () => {
  const stopRunning = new AbortController();
  const stopWaiting = new AbortController();
  await one.run(ctx, 'pid', [], limits);
  const running = failure(one.run({ ...ctx, signal: stopRunning.signal }, 'hang', [], limits));
  const waiting = failure(one.run({ ...ctx, signal: stopWaiting.signal }, 'hang', [], limits));
  const patient = one.run(ctx, 'add', [2, 2], limits);
  stopWaiting.abort(new Error('changed my mind'));
  expect(await waiting).toMatchObject({ message: 'changed my mind' });
  stopRunning.abort(new Error('shutting down'));
  expect(await running).toMatchObject({ message: 'shutting down' });
  expect(await patient).toBe(4);
  const late = failure(one.run({ ...ctx, signal: stopRunning.signal }, 'pid', [], limits));
  expect(await late).toMatchObject({ message: 'shutting down' });
});

test('runs are served in the order they came', { timeout: slow }, async () => {
  const ended: number[] = [];
  const runs = Array.from({ length: 50 }, async (_, i) => {
    const { signal } = new AbortController();
    await one.run({ ...ctx, signal }, 'pid', [], limits);
    ended.push(i);
  });
  await Promise.all(runs);
  expect(ended).toEqual(ended.toSorted((a, b) => a - b));
});

test('many runs share few workers', { timeout: slow }, async () => {
  const runs = Array.from({ length: 200 }, async () => {
    const { signal } = new AbortController();
    return pool.run({ ...ctx, signal }, 'pid', [], limits);
  });
  expect(new Set(await Promise.all(runs)).size).toBe(2);
});

test('another memory budget gets another worker in the same seat', { timeout: slow }, async () => {
  const small = await one.run(ctx, 'pid', [], limits);
  const large = await one.run(ctx, 'pid', [], { ...limits, memoryMb: 128 });
  expect(large).not.toBe(small);
  expect(await one.run(ctx, 'pid', [], { ...limits, memoryMb: 128 })).toBe(large);
});

test('a worker sees none of our environment', async () => {
  expect(await pool.run(ctx, 'environment', [], limits)).toEqual([]);
});

test('a module that cannot be loaded fails the run and nothing else', { timeout: slow }, async () => {
  const broken = createPool<Functions>({
    module: new URL('./testdata/absent.mjs', import.meta.url),
    size: 1,
  });
  const error = await failure(broken.run(ctx, 'pid', [], limits));
  expect(error).toMatchObject({ code: 'Internal', message: 'the worker module cannot be loaded' });
  await broken.close();
});

test('closing ends runs in progress and in line, and refuses new ones', { timeout: slow }, async () => {
  const closing = createPool<Functions>({ module, size: 1 });
  const pid = await closing.run(ctx, 'pid', [], limits);
  const runs = [closing.run(ctx, 'hang', [], limits), closing.run(ctx, 'pid', [], limits)].map(failure);
  await closing.close();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  for (const run of [...runs, failure(closing.run(ctx, 'pid', [], limits))]) {
    expect(await run).toMatchObject({ code: 'Unavailable', message: 'the worker pool is closed' });
  }
  await closing.close();
});
