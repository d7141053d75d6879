import { expect, test } from 'vitest';
import type { FaultRule } from '#embedded';
import type { Transport } from '#kubernetes/client';
import { Commits, Life, type LifeOptions } from '../fault/control-plane.ts';
import { HookCount, outcomeOf } from '../fault/outcome.ts';
import { chapters, play } from '../fault/shop.ts';
import { furnished, Stage } from '../fault/stage.ts';

// Watches that break, end with 410 Gone, tell things twice or late, and a wall clock that jumps, all during syncs with hooks.
// What API errors do is tried in test/fault/api-errors.test.ts, half-open connections in
// src/control/live/heartbeat.test.ts.

const story = chapters.slice(0, 2);

type Disturbed = {
  readonly faults?: readonly FaultRule[];
  readonly transport?: (stage: Stage) => Transport;
  readonly options?: (stage: Stage) => Partial<LifeOptions>;
  /** Called every few seconds while something happens. */
  readonly meanwhile?: (stage: Stage) => void;
};

async function played({ faults, transport, options, meanwhile }: Disturbed = {}): Promise<unknown> {
  const stage = await Stage.open(await furnished());
  const repo = new Commits();
  const count = new HookCount(stage, () => repo.head);
  const way = transport?.(stage);
  const life = new Life(stage, {
    generate: repo.generate,
    watch: (ctx) => repo.watch(ctx),
    ...(way && { transport: way }),
    ...options?.(stage),
  });
  const stop = new AbortController();
  const disturbing = (async () => {
    while (meanwhile && !stop.signal.aborted) {
      await stage.clock.sleep(1500, stop.signal).catch(() => {});
      meanwhile(stage);
    }
  })();
  if (faults) stage.cluster.faults.set([...faults]);
  for (const chapter of story) await play(stage, repo, chapter);
  if (faults)
    for (const times of Object.values(stage.cluster.faults.struck)) expect(times).toBeGreaterThan(0);
  stop.abort();
  await disturbing;
  await count.end();
  const { objects, status } = outcomeOf(stage) as { objects: unknown; status: Record<string, unknown> };
  await life.end();
  await stage.close();
  return { objects, sync: status.sync, health: status.health, repeated: count.repeated };
}

const isWatch = (path: string): boolean => /[?&]watch=(true|1)/.test(path);

test('410 Gone again and again in the middle of a sync: what was missed is found by a list', async () => {
  const gone: FaultRule = {
    match: { verbs: ['watch'], resources: ['*'] },
    effect: { watch: 'gone', events: 1 },
  };
  expect(await played({ faults: [gone] })).toEqual(await played());
});

test('events that come twice, and older ones after newer ones, change nothing', async () => {
  const transport =
    (stage: Stage): Transport =>
    async (request) => {
      const response = await stage.transport(request);
      return isWatch(request.path) ? { ...response, body: muddled(response.body) } : response;
    };
  expect(await played({ transport })).toEqual(await played());
});

/** Each event again after the one that follows it: doubled, and too late. A deletion stays where it is. */
async function* muddled(body: Awaited<ReturnType<Transport>>['body']): AsyncGenerator<string> {
  let [rest, last] = ['', ''];
  for await (const part of body as AsyncIterable<string | Uint8Array>) {
    rest += typeof part === 'string' ? part : Buffer.from(part).toString('utf8');
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      yield `${line}\n${line}\n`;
      if (last && !last.includes('"BOOKMARK"') && !line.includes('"BOOKMARK"')) yield `${last}\n`;
      last = line;
    }
  }
}

test.each([-3_600_000, 3_600_000])(
  'a wall clock that jumps by %i ms neither holds a sync nor runs a hook twice',
  async (jumpMs) => {
    let offset = 0;
    const options = ({ clock }: Stage): Partial<LifeOptions> => ({
      clock: {
        now: () => new Date(clock.now().getTime() + offset),
        sleep: (ms, signal) => clock.sleep(ms, signal),
      },
    });
    let ticks = 0;
    const meanwhile = (): void => {
      ticks += 1;
      if (ticks === 2) offset = jumpMs;
    };
    const { objects, repeated } = (await played({ options, meanwhile })) as Record<string, unknown>;
    const undisturbed = (await played()) as Record<string, unknown>;
    expect({ objects, repeated }).toEqual({ objects: undisturbed.objects, repeated: [] });
  },
);
