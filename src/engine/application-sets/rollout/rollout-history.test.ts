import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Application, type ApplicationSet, printTime } from '#base/model';
import { rolloutPass } from '#engine';
import { application, at, byEnv, setOf } from '../../../../test/rollout-objects.ts';

// --- a model of the applications: what happens to them between passes ---

type FleetEvent =
  | { do: 'pass' | 'mend' }
  | { do: 'finish'; at: number; health: string }
  | { do: 'commit'; revision: string };
type Simulated = {
  env: string;
  revision: string;
  target: string;
  health: string;
  busy: boolean;
  startedAt?: string;
};
const envs = ['dev', 'staging', 'prod'];

const operationOf = (busy: boolean, revision: string, startedAt: string) => ({
  phase: busy ? ('Running' as const) : ('Succeeded' as const),
  operation: {},
  startedAt,
  ...(busy ? {} : { syncResult: { revision } }),
});

/** The applications of a fleet that syncs as it is ordered to, in the order that the events give. */
class Fleet {
  readonly apps = new Map<string, Simulated>();
  set: ApplicationSet;
  minute = 0;

  constructor(members: readonly string[], budgets: readonly (number | string | undefined)[]) {
    for (const [i, env] of members.entries()) {
      this.apps.set(`app-${i}`, { env, revision: 'r0', target: 'r1', health: 'Healthy', busy: false });
    }
    this.set = setOf(envs.map((env, i) => byEnv(env, budgets[i])));
  }

  live(): Application[] {
    return [...this.apps].map(([name, { env, revision, target, health, busy, startedAt }]) => ({
      ...application(name, env, {
        status: {
          sync: { status: revision === target ? 'Synced' : 'OutOfSync', revision: target },
          health: { status: health },
          reconciledAt: printTime(at(this.minute)),
          ...(startedAt ? { operationState: operationOf(busy, revision, startedAt) } : {}),
        },
      }),
      ...(busy ? { operation: { sync: {} } } : {}),
    }));
  }

  pass() {
    this.minute += 1;
    const live = this.live();
    const input = {
      set: this.set,
      generated: live,
      owned: live,
      isChanged: () => false,
      now: at(this.minute),
    };
    const pass = rolloutPass(input);
    expect(rolloutPass(input)).toEqual(pass);
    this.check(pass);
    this.set = { ...this.set, status: { applicationStatus: pass.applicationStatus } };
    for (const name of pass.operations.keys()) {
      const app = this.apps.get(name);
      if (app) Object.assign(app, { busy: true, startedAt: printTime(at(this.minute)) });
    }
    return pass;
  }

  check({ applicationStatus, operations, steps }: ReturnType<typeof rolloutPass>) {
    const statusOf = new Map(applicationStatus.map((one) => [one.application, one.status]));
    const isHealthy = (env: string): boolean =>
      [...this.apps].every(([name, app]) => app.env !== env || statusOf.get(name) === 'Healthy');
    for (const name of operations.keys()) {
      const env = this.apps.get(name)?.env ?? '';
      expect(statusOf.get(name)).toBe('Pending');
      expect(envs.slice(0, envs.indexOf(env)).every(isHealthy)).toBe(true);
    }
    for (const [i, env] of envs.entries()) {
      const busy = [...this.apps].filter(
        ([name, app]) => app.env === env && ['Pending', 'Progressing'].includes(statusOf.get(name) ?? ''),
      );
      // applications that a person synced progress too, whatever the budget
      const ordered = busy.filter(([name, app]) => app.startedAt !== undefined || operations.has(name));
      expect(ordered.length).toBeLessThanOrEqual(steps[i]?.maxUpdate ?? 0);
    }
  }

  apply(one: FleetEvent) {
    if (one.do === 'pass') this.pass();
    else if (one.do === 'finish') this.finish(one.at, one.health);
    else if (one.do === 'commit') this.commit(one.revision);
    else this.mend();
  }

  /** An event: the sync of one application ends, in order or degraded. */
  finish(at: number, health: string) {
    const busy = [...this.apps.values()].filter((app) => app.busy);
    const app = busy[at % Math.max(1, busy.length)];
    if (app) Object.assign(app, { busy: false, revision: app.target, health });
  }

  commit(revision: string) {
    for (const app of this.apps.values()) Object.assign(app, { target: revision });
  }

  mend() {
    for (const app of this.apps.values()) app.health = 'Healthy';
  }
}

const event = fc.oneof(
  fc.record({ do: fc.constant('pass' as const) }),
  fc.record({
    do: fc.constant('finish' as const),
    at: fc.nat(10),
    health: fc.constantFrom('Healthy', 'Progressing', 'Degraded'),
  }),
  fc.record({ do: fc.constant('commit' as const), revision: fc.constantFrom('r1', 'r2', 'r3') }),
  fc.record({ do: fc.constant('mend' as const) }),
);

function endsHealthy(
  members: readonly string[],
  budgets: readonly (number | string | undefined)[],
  events: readonly FleetEvent[],
): void {
  const fleet = new Fleet(members, budgets);
  for (const one of events) fleet.apply(one);
  for (let round = 0; round < 60; round++) {
    for (let i = 0; i < 8; i++) fleet.finish(0, 'Healthy');
    fleet.mend();
    fleet.pass();
  }
  const last = fleet.pass();
  expect(last.applicationStatus.map(({ status }) => status)).toEqual(members.map(() => 'Healthy'));
  expect(last.conditions[0]).toMatchObject({
    status: 'False',
    message: 'ApplicationSet Rollout has completed',
  });
}

test('a target that moves during a sync, and back before the next pass, is deployed all the same', () => {
  endsHealthy(
    ['dev'],
    [],
    [
      { do: 'pass' },
      { do: 'commit', revision: 'r2' },
      { do: 'finish', at: 0, health: 'Healthy' },
      { do: 'commit', revision: 'r1' },
    ],
  );
});

test('any history keeps the order of steps and their budgets, and ends healthy once all goes well (DT-6)', () => {
  const budget = fc.constantFrom(undefined, 1, 2, '50%', '10%');
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...envs), { minLength: 1, maxLength: 8 }),
      fc.tuple(budget, budget, budget),
      fc.array(event, { maxLength: 40 }),
      (members, budgets, events) => {
        endsHealthy(members, budgets, events);
      },
    ),
    { numRuns: 150 },
  );
});
