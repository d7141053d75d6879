import { setMaxListeners } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Ctx, realClock, silent } from '#base/std';
import { createKubeClient, loadKubeconfig, networkTransport } from '#kubernetes/client';
import { setup as buildProgram } from '../../build-once.ts';
import { startOurs, startUpstream } from './controllers.ts';
import { applyDefinitions } from './definitions.ts';
import { type Environment, refOf } from './environment.ts';
import { play } from './play.ts';
import { isPlayed, isSame, type Outcomes, report } from './report.ts';
import { readAccepted, readScenarios, type Scenario } from './scenario.ts';
import type { Snapshot } from './snapshot.ts';
import { startWeb } from './web.ts';

/**
 * `npm run test:rollouts -- --differential`: each scenario under the unmodified controller of Argo Rollouts, then under ours, on one real
 * Kubernetes, and where the ReplicaSets, Services, routers, runs, statuses and events differ. docs/testing.md.
 */
const { values } = parseArgs({
  options: {
    /** Only scenarios whose name contains this. */
    scenario: { type: 'string', default: '' },
    /** How many scenarios run at the same time. */
    jobs: { type: 'string', default: '6' },
    /** A file: what Argo Rollouts did is written there, and read from there the next time. */
    recorded: { type: 'string', default: '' },
  },
});

type Round = {
  readonly suffix: string;
  /** Whether a state is the one to compare, or any that lasts. */
  isFinal(name: string, checkpoint: number, snapshot: Snapshot): boolean;
};

/** Plays the scenarios, several at a time, each in a namespace of its own. */
async function playAll(
  env: Environment,
  scenarios: readonly Scenario[],
  { suffix, isFinal }: Round,
): Promise<Outcomes> {
  const outcomes: Outcomes = {};
  const waiting = [...scenarios];
  const work = async (): Promise<void> => {
    for (let scenario = waiting.shift(); scenario; scenario = waiting.shift()) {
      const { name } = scenario;
      const namespace = `${name}-${suffix}`;
      outcomes[name] = await play({
        ...{ env, scenario, namespace },
        isFinal: (checkpoint, snapshot) => isFinal(name, checkpoint, snapshot),
      }).catch((error: Error) => ({ failure: error.message }));
      await removeNamespace(env, namespace);
      process.stdout.write(`# ${suffix}: ${name}\n`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, work));
  return outcomes;
}

/** Its Rollouts are gone when this resolves: ours leaves a cluster alone on which the other has just written. */
async function removeNamespace({ ctx, kube }: Environment, name: string): Promise<void> {
  await kube.delete(ctx, { ...refOf('Namespace'), name });
  const isLeft = async (): Promise<boolean> => {
    const { items } = await kube.list(ctx, { ...refOf('Rollout'), namespace: name });
    return items.length > 0;
  };
  while (await isLeft()) await ctx.clock.sleep(500, ctx.signal);
}

async function underUpstream(env: Environment, scenarios: readonly Scenario[]): Promise<Outcomes> {
  const { recorded } = values;
  const known: Outcomes = recorded && existsSync(recorded) ? JSON.parse(readFileSync(recorded, 'utf8')) : {};
  const missing = scenarios.filter(({ name }) => !isPlayed(known[name]));
  if (missing.length === 0) return known;
  await applyDefinitions(env, process.env.FAIRLEAD_TEST_ROLLOUTS_DEFINITIONS ?? '');
  const upstream = await startUpstream(env.kubeconfig);
  try {
    Object.assign(known, await playAll(env, missing, { suffix: 'upstream', isFinal: () => true }));
  } finally {
    await upstream.stop();
  }
  if (recorded) writeFileSync(recorded, JSON.stringify(known, null, 1));
  return known;
}

async function underOurs(
  env: Environment,
  scenarios: readonly Scenario[],
  expected: Outcomes,
): Promise<Outcomes> {
  const accepted = readAccepted();
  await applyDefinitions(env, join(import.meta.dirname, '../../../deploy/rollouts'));
  const ours = await startOurs(env.kubeconfig);
  const isFinal: Round['isFinal'] = (name, checkpoint, snapshot) => {
    const wanted = expected[name];
    const upstream = (isPlayed(wanted) && (wanted.checkpoints[checkpoint] ?? wanted.events)) || {};
    return isSame(name, { upstream, ours: snapshot, accepted });
  };
  try {
    return await playAll(env, scenarios, { suffix: 'fairlead', isFinal });
  } finally {
    await ours.stop();
  }
}

async function main(): Promise<void> {
  const kubeconfig = process.env.FAIRLEAD_TEST_KUBECONFIG;
  if (!kubeconfig)
    throw new Error('run npm run test:rollouts -- --differential, or set FAIRLEAD_TEST_KUBECONFIG');
  buildProgram();
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop.abort());
  setMaxListeners(0, stop.signal); // every scenario that waits listens
  const ctx: Ctx = { signal: stop.signal, log: silent, clock: realClock };
  const transport = networkTransport(await loadKubeconfig(ctx, { files: [kubeconfig] }));
  const web = await startWeb();
  const env: Environment = { ctx, kubeconfig, web, kube: createKubeClient({ transport }) };
  const scenarios = readScenarios().filter(({ name }) => name.includes(values.scenario));
  try {
    const upstream = await underUpstream(env, scenarios);
    const ours = await underOurs(env, scenarios, upstream);
    process.exitCode = report(scenarios, { upstream, ours, isComplete: values.scenario === '' });
  } finally {
    stop.abort();
    web.close();
    await transport.close();
  }
}

await main();
