import { afterAll, expect, test } from 'vitest';
import type { KubeObject, ResourceOverride } from '#base/model';
import { type Ctx, FairleadError, realClock, silent } from '#base/std';
import { createScripts } from './scripts.ts';

const slow = 60_000;
const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const scripts = createScripts({ size: 2 });
afterAll(() => scripts.close());

const widget = (name: string, status: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'example.io/v1',
  kind: 'Widget',
  metadata: { name },
  status,
});
const overrides = (healthLua: string, more: ResourceOverride = {}) => ({
  'example.io/Widget': { healthLua, ...more },
});
const failure = async (run: Promise<unknown>): Promise<string> => {
  const error = await run.then(() => new FairleadError('Internal', 'no failure'), FairleadError.from);
  return `${error.code}: ${error.message}`;
};

/** A clock that stands where it is put, for judging what happens a minute later. */
function stoppedClock(): { ctx: Ctx; pass(ms: number): void } {
  let now = Date.UTC(2026, 0, 1);
  const clock = { ...realClock, now: () => new Date(now) };
  return {
    ctx: { ...ctx, clock },
    pass: (ms) => {
      now += ms;
    },
  };
}

test('a script runs in a worker and gives back what it returns', { timeout: slow }, async () => {
  const big = 2n ** 60n + 1n;
  const job = {
    script: 'obj.seen = true return obj',
    globals: { obj: { n: big, list: ['a'] } },
    openLibs: false,
  };
  expect(await scripts.run(ctx, job)).toEqual({ n: big, list: ['a'], seen: true });
  expect(await scripts.run(ctx, { ...job, script: '' })).toBeUndefined();
});

test('what is wrong with a script is told', { timeout: slow }, async () => {
  const run = scripts.run(ctx, { script: 'return obj.x.y', globals: { obj: {} }, openLibs: false });
  expect(await failure(run)).toBe(
    "InvalidSpec: the script failed: line 1: attempt to index field 'x' (a nil value)",
  );
});

test('objects are judged by the scripts of their kinds, and only those that have one', {
  timeout: slow,
}, async () => {
  const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } };
  const objects = [widget('a', { phase: 'Ready' }), widget('b', { phase: 'Lost' }), pod];
  const script = `if obj.status.phase == 'Ready' then return { status = 'Healthy' } end
    return { status = 'Degraded', message = obj.metadata.name .. ' is ' .. obj.status.phase }`;
  const verdicts = await scripts.judge(ctx, objects, overrides(script));
  expect(objects.map(verdicts)).toEqual([
    { health: { status: 'Healthy' } },
    { health: { status: 'Degraded', message: 'b is Lost' } },
    undefined,
  ]);
});

test('H-3: a script that breaks down is a verdict of its objects', { timeout: slow }, async () => {
  const object = widget('a');
  const verdicts = await scripts.judge(ctx, [object], overrides('error("no quorum")'));
  const message = 'health script: the script failed: line 1: no quorum';
  expect(verdicts(object)).toEqual({ health: { status: 'Unknown', message }, error: message });
});

test('an object that came later has a script that has yet to run; it is not taken for done', {
  timeout: slow,
}, async () => {
  const verdicts = await scripts.judge(ctx, [], overrides('return { status = "Healthy" }'));
  expect(verdicts(widget('late'))?.health?.status).toBe('Progressing');
});

test('H-25: useOpenLibs opens string, math and coroutine to a health script', { timeout: slow }, async () => {
  const object = widget('a');
  const script = 'return { status = "Healthy", message = ("x"):upper() }';
  const closed = await scripts.judge(ctx, [object], overrides(script));
  const open = await scripts.judge(ctx, [object], overrides(script, { useOpenLibs: true }));
  expect([closed(object)?.health?.status, open(object)?.health]).toEqual([
    'Unknown',
    { status: 'Healthy', message: 'X' },
  ]);
});

test('X-1: the script with which users make waves wait for child applications runs unchanged', {
  timeout: slow,
}, async () => {
  const script =
    'hs = {} hs.status = "Progressing" hs.message = "" if obj.status ~= nil then if obj.status.health ~= nil then hs.status = obj.status.health.status if obj.status.health.message ~= nil then hs.message = obj.status.health.message end end end return hs';
  const child = (status?: unknown): KubeObject => ({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: 'child' },
    ...(status !== undefined && { status }),
  });
  const objects = [
    child(),
    child({ health: { status: 'Healthy' } }),
    child({ health: { status: 'Degraded', message: 'x' } }),
  ];
  const verdicts = await scripts.judge(ctx, objects, { 'argoproj.io/Application': { healthLua: script } });
  expect(objects.map((object) => verdicts(object)?.health)).toEqual([
    { status: 'Progressing' },
    { status: 'Healthy' },
    { status: 'Degraded', message: 'x' },
  ]);
});

test('a verdict is kept while the object stays, unless the script may ask what time it is', {
  timeout: slow,
}, async () => {
  const object = widget('a');
  const said = async (script: string, at: Ctx) =>
    (await scripts.judge(at, [object], overrides(script)))(object);
  const { ctx: then, pass } = stoppedClock();
  const clock = 'return { status = "Healthy", message = os.date("!%H:%M") }';
  expect((await said(clock, then))?.health?.message).toBe('00:00');
  pass(60_000);
  expect((await said(clock, then))?.health?.message).toBe('00:01');
  const fixed = 'return { status = "Healthy" }';
  const first = await said(fixed, then);
  expect(await said(fixed, then)).toBe(first);
  expect(await said(`${fixed} -- edited`, then)).not.toBe(first);
});

test('H-24: a script is stopped after a second; those beside it get their verdicts', {
  timeout: slow,
}, async () => {
  const objects = Array.from({ length: 20 }, (_, i) => widget(`w${i}`, { hang: i === 7 }));
  const script = 'while obj.status.hang do end return { status = "Healthy" }';
  const verdicts = await scripts.judge(ctx, objects, overrides(script));
  const codes = objects.map((object) => verdicts(object)?.health?.status);
  expect(codes.filter((code) => code === 'Healthy')).toHaveLength(19);
  expect(verdicts(objects[7] ?? widget(''))?.error).toBe(
    'health script: the script took longer than 1000 ms',
  );
});

test('a script that never ends is set aside after three times and tried again a minute later', {
  timeout: slow,
}, async () => {
  const { ctx: then, pass } = stoppedClock();
  const script = 'while obj.status.hang do end return { status = "Healthy" }';
  const judged = async (objects: readonly KubeObject[]) => {
    const verdicts = await scripts.judge(then, objects, overrides(`-- set aside\n${script}`));
    return objects.map((object) => verdicts(object)?.health);
  };
  const hanging = Array.from({ length: 200 }, (_, i) => widget(`w${i}`, { hang: true }));
  const reasons = (await judged(hanging)).map((health) => health?.message);
  const stopped = 'health script: the script took longer than 1000 ms';
  expect(reasons.filter((reason) => reason === stopped).length).toBeLessThan(6);
  expect(reasons.at(-1)).toBe(`${stopped}, and not for the first time; it is not run for a minute`);
  // an honest object is refused as well, until the minute is over
  expect((await judged([widget('ok')]))[0]?.status).toBe('Unknown');
  pass(60_001);
  const ok = widget('ok');
  expect((await judged([ok]))[0]?.status).toBe('Healthy');
  // its first overrun sets it aside again; what it judged before stands
  expect((await judged([widget('again', { hang: true })]))[0]?.message).toBe(stopped);
  expect((await judged([widget('third')]))[0]?.status).toBe('Unknown');
  expect((await judged([ok]))[0]?.status).toBe('Healthy');
  pass(120_001);
  expect((await judged([widget('fourth', { hang: true }), widget('fifth')]))[1]?.status).toBe('Healthy');
});

test('stopping ends a run that waits or works', { timeout: slow }, async () => {
  const stop = new AbortController();
  const jobs = Array.from({ length: 4 }, () =>
    failure(
      scripts.run(
        { ...ctx, signal: stop.signal },
        { script: '-- stop\nwhile true do end', globals: {}, openLibs: false },
      ),
    ),
  );
  stop.abort(new FairleadError('Unavailable', 'shutting down'));
  expect(await Promise.all(jobs)).toEqual(Array(4).fill('Unavailable: shutting down'));
});

test('without scripts nothing is started and nothing is asked', async () => {
  const idle = createScripts({ size: 1 });
  const verdicts = await idle.judge(ctx, [widget('a')], { 'example.io/Widget': { useOpenLibs: true } });
  expect(verdicts(widget('a'))).toBeUndefined();
  await idle.close();
});
