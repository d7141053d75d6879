import type { Command } from 'commander';
import { printTime } from '#base/model';
import { explainRollout } from '#engine/rollouts';
import type { CliDeps } from '../../cli-deps.ts';
import { facts } from '../../output/table.ts';
import { onCluster } from '../../session/kube.ts';
import { namespaceOf, type RolloutFlags, reachingRollouts, readRollout, runsOf } from './rollout-flags.ts';

/** compat rollouts §13: what a Rollout waits for, until when, and what happens next. */
export function addExplain(rollouts: Command, deps: CliDeps): void {
  reachingRollouts(rollouts.command('explain <name>'))
    .description('say what a Rollout waits for, until when, and what happens next')
    .action(async (name: string, flags: RolloutFlags) => {
      await onCluster(deps, flags, async (on) => {
        const rollout = await readRollout(on, flags, name);
        const seen = explainRollout(rollout, await runsOf(on, rollout));
        const { until, verbs } = seen;
        deps.io.out(
          facts([
            ['Name', name],
            ['Namespace', namespaceOf(flags)],
            ['Status', seen.phase],
            ['Step', seen.step],
            ['Waits for', seen.waitsFor ?? 'nothing'],
            ['Until', until === undefined ? undefined : printTime(new Date(until))],
            ['Next', seen.next],
            ...verbs.map((verb, at): readonly [string, string] => [
              at === 0 ? 'You can' : '',
              `fairlead rollouts ${verb} ${name} -n ${namespaceOf(flags)}`,
            ]),
          ]),
        );
      });
    });
}
