import type { Command } from 'commander';
import { parseDuration } from '#base/model';
import { within } from '#base/std';
import {
  type AnalysisRun,
  describeExperiment,
  describeRollout,
  type Experiment,
  knativeOf,
  type MetricResult,
  type Rollout,
  type RolloutReplicaSet,
} from '#engine/rollouts';
import { listWatch } from '#kubernetes/client';
import type { CliDeps } from '../../cli-deps.ts';
import { ExitError } from '../../io.ts';
import { facts, table } from '../../output/table.ts';
import { type OnCluster, onCluster } from '../../session/kube.ts';
import {
  experimentsOf,
  namespaceOf,
  type RolloutFlags,
  reachingRollouts,
  readRollout,
  runsOf,
  setsOf,
} from './rollout-flags.ts';

const argo = 'argoproj.io/v1alpha1';

export function addGet(rollouts: Command, deps: CliDeps): void {
  reachingRollouts(rollouts.command('get <name>'))
    .description('show one Rollout with its revisions, experiments and analysis runs')
    .option('-w, --watch', 'show it again whenever it changes')
    .action(async (name: string, flags: RolloutFlags & { watch?: boolean }) => {
      await onCluster(deps, flags, async (on) => {
        const show = async (): Promise<void> => {
          const rollout = await readRollout(on, flags, name);
          const experiments = experimentsView(await experimentsOf(on, rollout));
          const runs = runsView(await runsOf(on, rollout));
          deps.io.out(viewOf(rollout, await setsOf(on, rollout)) + experiments + runs);
        };
        await show();
        if (flags.watch) for await (const _rollout of changesOf(on, flags, name)) await show();
      });
    });
}

/** Every state of one Rollout from now on. */
async function* changesOf(
  { ctx, kube }: OnCluster,
  flags: RolloutFlags,
  name: string,
): AsyncGenerator<Rollout> {
  const from = { apiVersion: argo, kind: 'Rollout', namespace: namespaceOf(flags) };
  for await (const event of listWatch(ctx, kube, from, { fieldSelector: `metadata.name=${name}` })) {
    if (event.type === 'SYNCED') for (const object of event.objects) yield object as Rollout;
    else if (event.type === 'ADDED' || event.type === 'MODIFIED') yield event.object as Rollout;
    else if (event.type === 'DELETED') throw new ExitError(1, `rollout '${name}' was deleted`);
  }
}

function viewOf(rollout: Rollout, sets: readonly RolloutReplicaSet[]): string {
  const { metadata } = rollout;
  const seen = describeRollout(rollout, sets);
  const head = facts([
    ['Name', metadata.name],
    ['Namespace', metadata.namespace],
    ['Status', seen.phase],
    ['Message', seen.message || undefined],
    ['Strategy', seen.strategy],
    ['Step', seen.step],
    ['SetWeight', seen.setWeight],
    ['ActualWeight', seen.actualWeight],
    ['Images', seen.images.join(', ')],
    [
      'Replicas',
      `desired ${seen.desired}, current ${seen.current}, updated ${seen.updated}, ready ${seen.ready}, available ${seen.available}`,
    ],
  ]);
  const rows = seen.revisions.map(({ revision, name, pods, available, roles }) => [
    String(revision),
    name,
    `${available}/${pods}`,
    roles.join(', '),
  ]);
  const kind = knativeOf(rollout) ? 'NAME' : 'REPLICASET';
  return `${head}\n${table(['REVISION', kind, 'AVAILABLE', 'ROLE'], rows)}`;
}

/** The Experiments with their templates and analyses, the newest revision first; nothing where there are none. */
function experimentsView(experiments: readonly Experiment[]): string {
  if (experiments.length === 0) return '';
  const rows = experiments
    .map(describeExperiment)
    .toSorted((a, b) => b.revision - a.revision)
    .map(({ name, revision, phase, message, templates, analyses }) => [
      ...[String(revision), name, phase],
      templates.map((one) => `${one.name} ${one.available}/${one.pods}`).join(', '),
      analyses.map((one) => `${one.name} ${one.phase}`).join(', '),
      message,
    ]);
  return `\n${table(['REVISION', 'EXPERIMENT', 'STATUS', 'TEMPLATES', 'ANALYSES', 'MESSAGE'], rows)}`;
}

/** The AnalysisRuns with what each metric measured last; nothing where there are none. */
function runsView(runs: readonly AnalysisRun[]): string {
  if (runs.length === 0) return '';
  const rows = runs.map(({ metadata, status }) => [
    metadata.annotations?.['rollout.argoproj.io/revision'] ?? '',
    metadata.name,
    status?.phase ?? 'Pending',
    (status?.metricResults ?? []).map(metricText).join('; '),
    status?.message ?? '',
  ]);
  return `\n${table(['REVISION', 'ANALYSISRUN', 'STATUS', 'METRICS', 'MESSAGE'], rows)}`;
}

/** `success-rate Failed 1 of 3, last [0.5]`: the successful among all measurements, and the value of the last. */
function metricText({ name, phase, successful = 0, count = 0, measurements = [] }: MetricResult): string {
  const { value } = measurements.at(-1) ?? {};
  const last = value === undefined ? '' : `, last ${value.length > 40 ? `${value.slice(0, 39)}…` : value}`;
  return `${name} ${phase} ${successful} of ${count}${last}`;
}

/** compat rollouts RU-1: 1 when it is Degraded, and when it is not settled in time. */
export function addStatus(rollouts: Command, deps: CliDeps): void {
  reachingRollouts(rollouts.command('status <name>'))
    .description('wait until a Rollout is healthy, paused or degraded, and say which')
    .option('--no-watch', 'do not wait')
    .option('-t, --timeout <duration>', 'how long to wait; 0 is for ever', '0s')
    .action(async (name: string, flags: RolloutFlags & { watch: boolean; timeout: string }) => {
      await onCluster(deps, flags, (on) => follow(deps, on, name, flags));
    });
}

async function follow(
  { io }: CliDeps,
  on: OnCluster,
  name: string,
  flags: RolloutFlags & { watch: boolean; timeout: string },
): Promise<void> {
  const ms = parseDuration(flags.timeout);
  const ctx = ms > 0 ? within(on.ctx, ms) : on.ctx;
  for await (const rollout of changesOf({ ...on, ctx }, flags, name)) {
    const { phase, message } = describeRollout(rollout, []);
    io.out(`${phase}${message ? ` - ${message}` : ''}\n`);
    if (phase === 'Degraded')
      throw new ExitError(1, `The rollout is in a degraded state with message: ${message}`);
    if (phase !== 'Progressing' || !flags.watch) return;
  }
  throw new ExitError(1, 'Rollout status watch exceeded timeout');
}
