import type { Command } from 'commander';
import { knativeOf, type Rollout, templateOfRevision } from '#engine/rollouts';
import { refOf } from '#kubernetes/client';
import type { CliDeps } from '../../cli-deps.ts';
import { wholeNumber } from '../../input/flag-values.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { type OnCluster, onCluster } from '../../session/kube.ts';
import { clearManualTraffic, commitUndo, pinTraffic, type UndoFlags } from './knative-undo.ts';
import { reachingRollouts, readRollout, setsOf } from './rollout-flags.ts';
import { replaceTemplate, warnOfSelfHeal } from './rollout-writes.ts';

/** compat rollouts §8, RK-14: back to an earlier revision; of a Knative Service by a commit, or now by an override. */
export function addUndo(rollouts: Command, deps: CliDeps): void {
  reachingRollouts(rollouts.command('undo <name>'))
    .description('return to the template of an earlier revision; for a Knative Service by a commit')
    .option('--to-revision <number>', 'the revision; 0 is the previous one', '0')
    .option('--now', 'Knative: send all traffic to that revision now, until --clear; Git stays as it is')
    .option('--clear', 'Knative: end the override of --now')
    .option('--reason <text>', 'why; --now needs one')
    .option('--branch <name>', 'Knative: push the commit to this branch, for a pull request')
    .option(
      '--app <name>',
      'Knative: the application that declares the Service, where the Service does not name it',
    )
    .option('--dry-run', 'Knative: print the change and write nothing')
    .option('-y, --yes', 'do not prompt')
    .action(async (name: string, flags: UndoFlags) => {
      const generation = wholeNumber('--to-revision', flags.toRevision);
      await onCluster(deps, flags, async (on) => {
        const rollout = await readRollout(on, flags, name);
        const { service } = knativeOf(rollout) ?? {};
        if (service === undefined) return undoTemplate(deps, on, rollout, flags);
        const undoing = { rollout, service, generation, flags };
        if (flags.clear) return clearManualTraffic(deps, on, undoing);
        return flags.now ? pinTraffic(deps, on, undoing) : commitUndo(deps, on, undoing);
      });
    });
}

const knativeFlags = ['now', 'clear', 'reason', 'branch', 'app', 'dryRun'] as const;

async function undoTemplate(
  { io }: CliDeps,
  on: OnCluster,
  rollout: Rollout,
  flags: UndoFlags,
): Promise<void> {
  const { name } = rollout.metadata;
  const extra = knativeFlags.find((flag) => flags[flag] !== undefined);
  if (extra)
    throw new ExitError(
      usageExitCode,
      `--${extra === 'dryRun' ? 'dry-run' : extra} is for a Rollout over a Knative Service, and ${name} has pods of its own`,
    );
  const wanted = wholeNumber('--to-revision', flags.toRevision);
  await replaceTemplate<Rollout>(on, refOf(rollout), async (current) =>
    templateOfRevision(current, await setsOf(on, current), wanted),
  );
  warnOfSelfHeal(io, rollout);
  io.out(`rollout '${name}' undo\n`);
}
