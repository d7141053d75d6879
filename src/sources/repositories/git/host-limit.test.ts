import { expect, test } from 'vitest';
import { type Ctx, silent, virtualClock } from '#base/std';
import { HostLimit } from './host-limit.ts';
import { defaultLimits } from './limits.ts';

type Use = Parameters<HostLimit['run']>[1];

const use = (host: string, project = 'shop'): Use => ({ host, project });

function stage(limits?: ConstructorParameters<typeof HostLimit>[0]) {
  const clock = virtualClock();
  const stop = new AbortController();
  const ctx: Ctx = { signal: stop.signal, log: silent, clock };
  const limit = new HostLimit(limits, clock);
  const begun: string[] = [];
  const ended: string[] = [];
  /** A host that accepts and never answers. */
  const hang = (host: string, name = host, project = 'shop'): Promise<void> =>
    limit
      .run(ctx, use(host, project), ({ signal }) => {
        begun.push(name);
        return new Promise<void>((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
        });
      })
      .catch((error: Error) => {
        ended.push(`${name}: ${error.message}`);
      });
  return { clock, ctx, limit, begun, ended, hang, stop };
}

test('a host that answers is served while hundreds hang, before any of them ended', async () => {
  const { clock, ctx, limit, ended, hang } = stage({ quick: 64, slow: 400 });
  for (let at = 0; at < 350; at++) void hang(`h${at}`);
  await clock.advance(500 * 5);
  expect(await limit.run(ctx, use('innocent'), async () => 'refs')).toBe('refs');
  expect(ended).toEqual([]);
});

test('no more programs run than the limits say: the one that waited longest is ended', async () => {
  const { clock, begun, ended, hang } = stage({ quick: 2, slow: 3 });
  for (let at = 0; at < 8; at++) void hang(`h${at}`);
  await clock.advance(0);
  expect(begun).toEqual(['h0', 'h1']);
  await clock.advance(500);
  expect(begun).toEqual(['h0', 'h1', 'h2', 'h7']);
  await clock.advance(500);
  expect(begun).toHaveLength(6);
  expect(ended).toEqual(['h0: h0 did not answer for 1 s while many others were waited for']);
});

test('one host with many in the queue does not keep another waiting', async () => {
  const { clock, ctx, limit, begun, hang } = stage({ quick: 1 });
  // both answered the last time, so that the one which hangs now is no worse by its record
  for (const host of ['bad', 'good']) await limit.run(ctx, use(host), async () => 'refs');
  for (let at = 0; at < 5; at++) void hang('bad', `bad ${at}`);
  void hang('good');
  void hang('bad', 'bad 5');
  await clock.advance(500);
  expect(begun).toEqual(['bad 0', 'good']);
});

test('who leaves the queue costs nobody else a place', async () => {
  const { clock, ctx, limit, begun, hang } = stage({ quick: 1 });
  void hang('a');
  const leaves = new AbortController();
  const leaving = limit.run({ ...ctx, signal: leaves.signal }, use('b'), async () => 'b');
  void hang('c');
  leaves.abort(new Error('gone'));
  await expect(leaving).rejects.toThrow('gone');
  await clock.advance(500);
  expect(begun).toEqual(['a', 'c']);
});

test('of one host that hangs often and others that hang once, the one that hangs often loses a program', async () => {
  const { clock, ended, hang } = stage({ quick: 2, slow: 3 });
  void hang('slow');
  for (let at = 0; at < 3; at++) void hang('bad', `bad ${at}`);
  await clock.advance(1_000);
  expect(ended).toEqual([expect.stringMatching(/^bad 0:/)]);
});

test('a program that receives something is ended after one that does not', async () => {
  const { clock, ctx, limit, ended, hang } = stage({ quick: 1, slow: 1 });
  let hear = (): void => {};
  const large = limit.run(ctx, use('large'), async (_ctx, heard) => {
    hear = heard;
    await clock.sleep(60_000, ctx.signal);
    return 'pack';
  });
  const silentOne = hang('silent');
  await clock.advance(500);
  hear();
  await clock.advance(499);
  hear();
  await clock.advance(1);
  await silentOne;
  expect(ended).toEqual([expect.stringMatching(/^silent:/)]);
  await clock.advance(60_000);
  expect(await large).toBe('pack');
});

test('hosts that were slow before wait for the ones that were not', async () => {
  const { clock, begun, hang } = stage({ quick: 1 });
  void hang('bad');
  await clock.advance(500);
  void hang('other');
  for (let at = 0; at < 5; at++) void hang('bad', `bad ${at}`);
  void hang('new');
  await clock.advance(500);
  expect(begun).toEqual(['bad', 'other', 'new']);
});

test('hosts that were slow before take few slots, however many there are', async () => {
  const { clock, ctx, limit, begun, hang } = stage({ quick: 4, suspect: 1, slow: 100 });
  for (let at = 0; at < 8; at++) void hang(`bad ${at}`);
  await clock.advance(1_000);
  expect(begun).toHaveLength(8);
  for (let at = 0; at < 8; at++) void hang(`bad ${at}`, `again ${at}`);
  await clock.advance(0);
  expect(begun.slice(8)).toEqual(['again 0']);
  expect(await limit.run(ctx, use('innocent'), async () => 'refs')).toBe('refs');
  await clock.advance(500);
  expect(begun.slice(8)).toEqual(['again 0', 'again 1']);
});

test('a slot that only a good host may take is not lost to the next good host', async () => {
  const { clock, ctx, limit, begun, hang } = stage({ quick: 2, suspect: 1, slow: 100 });
  void hang('bad');
  await clock.advance(500);
  void hang('bad', 'bad again');
  void hang('bad', 'bad once more');
  const both = ['one', 'two'].map((host) => limit.run(ctx, use(host), async () => host));
  expect(await Promise.all(both)).toEqual(['one', 'two']);
  await clock.advance(500);
  expect(begun).toEqual(['bad', 'bad again', 'bad once more']);
});

test('a host that answered before is served before unknown ones', async () => {
  const { clock, ctx, limit, begun, hang } = stage({ quick: 1, slow: 100 });
  await limit.run(ctx, use('good'), async () => 'refs');
  for (let at = 0; at < 8; at++) void hang(`new ${at}`);
  void hang('good');
  await clock.advance(500);
  expect(begun).toEqual(['new 0', 'good']);
});

test.each<[string, Parameters<typeof stage>[0], string, number]>([
  ['lists of refs, the same project', undefined, 'shop', 10],
  ['lists of refs, another project', undefined, 'another', 350],
  ['fetches, the same project', defaultLimits.fetches, 'shop', 10],
  ['fetches, another project', defaultLimits.fetches, 'another', 350],
])('a newcomer begins within 2 s while 350 unknown hosts hang: %s', async (_what, limits, project, later) => {
  const { clock, ctx, limit, stop, hang } = stage(limits);
  for (let at = 0; at < 350; at++) void hang(`h${at}`);
  await clock.advance(100);
  const before = clock.now().getTime();
  let waitedMs = Number.POSITIVE_INFINITY;
  void limit.run(ctx, use('innocent', project), async () => {
    waitedMs = clock.now().getTime() - before;
  });
  for (let at = 0; at < later; at++) void hang(`later ${at}`);
  await clock.advance(20_000);
  expect(waitedMs).toBeLessThanOrEqual(2_000);
  stop.abort(new Error('over'));
});

test('those who came first are served too while new hosts that hang are added all the time', async () => {
  const { clock, begun, stop, hang } = stage({ quick: 1, slow: 400 });
  for (let at = 0; at < 4; at++) void hang(`first ${at}`);
  for (let at = 0; at < 10; at++) {
    void hang(`late ${at}`);
    await clock.advance(500);
  }
  expect(begun.filter((name) => name.startsWith('first'))).toHaveLength(4);
  stop.abort(new Error('over'));
});

test('of equal hosts, one of the project with fewer programs is next', async () => {
  const { clock, begun, hang } = stage({ quick: 2 });
  for (let at = 0; at < 6; at++) void hang(`h${at}`);
  void hang('of another', 'of another', 'another');
  void hang('once more', 'once more', 'another');
  await clock.advance(500);
  expect(begun.slice(2)).toEqual(['of another', 'once more']);
});

test('of two projects, the one with more programs that hang loses one', async () => {
  const { clock, ended, hang } = stage({ quick: 8, slow: 3 });
  void hang('innocent', 'innocent', 'another');
  for (let at = 0; at < 3; at++) void hang(`h${at}`);
  await clock.advance(500);
  expect(ended).toEqual([expect.stringMatching(/^h0:/)]);
});

test('after a restart a host that had answered is served before unknown ones', async () => {
  const { clock, ctx, limit, begun, hang } = stage({ quick: 1, slow: 100 });
  for (let at = 0; at < 8; at++) void hang(`h${at}`);
  const served = limit.run(ctx, { ...use('good'), isProven: true }, async () => 'refs');
  void hang('h8');
  await clock.advance(500);
  expect(await served).toBe('refs');
  expect(begun).toHaveLength(2);
});
