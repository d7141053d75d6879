import { expect, test } from 'vitest';
import type { Application } from '#base/model';
import { cases } from '../../../test/cases.ts';
import {
  deeper,
  isReconciliation,
  neededRefresh,
  type Refresh,
  type RefreshOptions,
  timerDelay,
} from './refresh.ts';

test.each(cases<Refresh | null>(new URL('./testdata/refresh/', import.meta.url)))(
  '$name',
  ({ input, expect: wanted }) => {
    const { app, now, intervals, requested } = input[0];
    expect(
      neededRefresh(app, { now: new Date(now), intervals, ...(requested && { requested }) }) ?? null,
    ).toEqual(wanted);
  },
);

test('of two requests the deeper one is kept (R-5)', () => {
  expect(deeper('tree', 'tracked')).toBe('tracked');
  expect(deeper('resolved', 'recorded')).toBe('resolved');
});

test('only a look at the tracked revision is a reconciliation (R-6)', () => {
  expect(
    ['tree', 'recorded', 'tracked', 'resolved'].map((level) => isReconciliation(level as Refresh['level'])),
  ).toEqual([false, false, true, true]);
});

test('the timer is spread over the jitter, from the interval on, and off when the interval is (R-10, X-13)', () => {
  const seed = { intervalMs: 60_000, jitterMs: 30_000 };
  expect([0, 0.5, 0.999].map((random) => timerDelay(seed, random))).toEqual([60_000, 75_000, 89_970]);
  expect(timerDelay({ ...seed, intervalMs: 0 }, 0.5)).toBeUndefined();
});

const compared = { source: { repoURL: 'https://git.example/a.git', path: 'a' }, destination: { name: 'x' } };
const last = '2026-01-01T00:00:00Z';

/** Every reason to compare an application, alone: what it changes of the application or of the options. */
const reasons: Record<
  string,
  readonly { readonly name: string; app?(app: Application): Application; options?: Partial<RefreshOptions> }[]
> = {
  annotation: ['normal', 'hard'].map((value) => ({
    name: `annotation ${value}`,
    app: (app) => ({
      ...app,
      metadata: { ...app.metadata, annotations: { 'argocd.argoproj.io/refresh': value } },
    }),
  })),
  source: [
    {
      name: 'source',
      app: (app) => ({ ...app, spec: { ...app.spec, source: { ...compared.source, path: 'b' } } }),
    },
  ],
  timer: [
    { name: 'soft timer', options: { now: new Date('2026-01-01T00:02:00Z') } },
    { name: 'hard timer', options: { now: new Date('2026-01-01T01:00:00Z') } },
    {
      name: 'never reconciled',
      app: ({ status: { reconciledAt: _at, ...status } = {}, ...app }) => ({ ...app, status }),
    },
  ],
  spec: [
    { name: 'destination', app: (app) => ({ ...app, spec: { ...app.spec, destination: { name: 'y' } } }) },
    {
      name: 'ignoreDifferences',
      app: (app) => ({
        ...app,
        spec: { ...app.spec, ignoreDifferences: [{ kind: 'X', jsonPointers: ['/a'] }] },
      }),
    },
  ],
  request: (['tree', 'recorded', 'tracked', 'resolved'] as const).map((requested) => ({
    name: `request ${requested}`,
    options: { requested },
  })),
};
type Reason = (typeof reasons)[string][number];

const combinations = Object.values(reasons).reduce<readonly (readonly Reason[])[]>(
  (found, group) => found.flatMap((some) => [some, ...group.map((one) => [...some, one])]),
  [[]],
);

function needed(some: readonly Reason[]): Refresh | undefined {
  const bare = {
    metadata: { name: 'app' },
    spec: compared,
    status: { reconciledAt: last, sync: { status: 'Synced', comparedTo: compared } },
  } as unknown as Application;
  const app = some.reduce((changed, reason) => reason.app?.(changed) ?? changed, bare);
  const options = { now: new Date(last), intervals: { intervalMs: 120_000, hardIntervalMs: 3_600_000 } };
  return neededRefresh(app, Object.assign({}, options, ...some.map((reason) => reason.options)));
}

test(`the deepest of all reasons wins, in each of ${combinations.length} combinations (dev R-8)`, () => {
  const levels = ['tree', 'recorded', 'tracked', 'resolved'];
  for (const some of combinations) {
    const alone = some.flatMap((reason) => needed([reason]) ?? []);
    const wanted = Math.max(...alone.map(({ level }) => levels.indexOf(level)));
    const found = needed(some);
    const names = some.map(({ name }) => name).join(' + ');
    expect([names, found?.level, found?.hard]).toEqual([
      names,
      levels[wanted],
      some.length === 0 ? undefined : alone.some(({ hard }) => hard),
    ]);
  }
});
