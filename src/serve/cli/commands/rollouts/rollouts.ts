import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { asKubeObject, type KubeObject, parseDuration, printTime } from '#base/model';
import { realClock } from '#base/std';
import {
  type AnalysisTemplate,
  type Experiment,
  lintExperiment,
  lintRollout,
  lintTemplate,
  promoteFullPatches,
  promotePatches,
  type Rollout,
  templateWithImages,
  type VerbPatch,
  verbPatches,
} from '#engine/rollouts';
import { refOf } from '#kubernetes/client';
import { parseAll } from '#lang/yaml';
import type { CliDeps } from '../../cli-deps.ts';
import { exampleTable } from '../../input/examples.ts';
import { pairsOf } from '../../input/flag-values.ts';
import { ExitError } from '../../io.ts';
import { onCluster } from '../../session/kube.ts';
import {
  namespaceOf,
  type RolloutFlags,
  reachingRollouts,
  readRollout,
  refuseKnative,
  refuseOverridden,
} from './rollout-flags.ts';
import { patchRollout, recordVerb, replaceTemplate, warnOfSelfHeal } from './rollout-writes.ts';
import { addExplain } from './rollouts-explain.ts';
import { addList } from './rollouts-list.ts';
import { addUndo } from './rollouts-undo.ts';
import { addGet, addStatus } from './rollouts-view.ts';

const argo = 'argoproj.io/v1alpha1';

/** compat rollouts §13: the verbs of `kubectl argo rollouts`, on the cluster of a kubeconfig. */
export function addRollouts(rollouts: Command, deps: CliDeps): void {
  for (const add of [
    addGet,
    addList,
    addStatus,
    addExplain,
    addVerbs,
    addRetry,
    addUndo,
    addSetImage,
    addTerminate,
    addLint,
  ])
    add(rollouts, deps);
  addExamples(rollouts);
}

function addExamples(rollouts: Command): void {
  const line = (words: string): readonly string[] => [`fairlead rollouts ${words}`];
  exampleTable(rollouts, {
    get: line('get web'),
    list: [...line('list -n shop'), ...line('list experiments -A'), ...line('list -A --watch')],
    status: line('status web'),
    explain: line('explain web'),
    promote: [...line('promote web'), ...line('promote web --full')],
    abort: line('abort web'),
    retry: [...line('retry web'), ...line('retry experiment web-6c54544bf9-2-1')],
    pause: line('pause web'),
    restart: line('restart web --in 10m'),
    undo: [
      ...line('undo web'),
      ...line('undo cart --dry-run'),
      ...line("undo cart --now --reason 'errors after the deployment'"),
      ...line('undo cart --clear'),
    ],
    lint: line('lint -f rollout.yaml'),
  });
  for (const group of rollouts.commands.filter(({ commands }) => commands.length > 0))
    exampleTable(group, {
      image: line('set image web web=registry.example.com/web:v2'),
      analysisrun: line('terminate analysisrun web-6c54544bf9-2'),
      experiment: line('terminate experiment web-experiment'),
    });
}

type Verb = {
  readonly words: string;
  readonly description: string;
  readonly done: string;
  patches(rollout: Rollout, flags: { full?: boolean; in?: string }): readonly VerbPatch[];
};

const verbs: readonly Verb[] = [
  {
    words: 'promote <name>',
    description: 'go on after a pause, or to the next step; --full skips everything that is left',
    done: 'promoted',
    patches: (rollout, { full }) => (full ? promoteFullPatches(rollout) : promotePatches(rollout)),
  },
  {
    words: 'abort <name>',
    description: 'return to the stable version',
    done: 'aborted',
    patches: () => verbPatches.abort(),
  },
  {
    words: 'pause <name>',
    description: 'stop where it is',
    done: 'paused',
    patches: () => verbPatches.pause(),
  },
  {
    words: 'restart <name>',
    description: 'replace all pods, now or --in a while',
    done: 'restarts',
    patches: (_rollout, { in: delay }) =>
      verbPatches.restart(
        printTime(new Date(realClock.now().getTime() + (delay ? parseDuration(delay) : 0))),
      ),
  },
];

function addVerbs(rollouts: Command, deps: CliDeps): void {
  for (const { words, description, done, patches } of verbs) {
    const command = reachingRollouts(rollouts.command(words)).description(description);
    if (words.startsWith('promote')) command.option('--full', 'skip pauses, steps and analysis');
    if (words.startsWith('restart')) command.option('--in <duration>', 'after this time, such as 10m');
    command.action(async (name: string, flags: RolloutFlags & { full?: boolean; in?: string }) => {
      await onCluster(deps, flags, async (on) => {
        const rollout = await readRollout(on, flags, name);
        if (words.startsWith('restart')) refuseKnative(rollout, 'restart');
        if (words.startsWith('promote')) refuseOverridden(rollout);
        await patchRollout(on, rollout, patches(rollout, flags));
        await recordVerb(on, rollout, `${words.split(' ')[0]}${flags.full ? ' --full' : ''}`);
      });
      deps.io.out(`rollout '${name}' ${done}\n`);
    });
  }
}

/** compat rollouts RW-6, RW-7: of a Rollout, or with its kind before the name of an Experiment. */
function addRetry(rollouts: Command, deps: CliDeps): void {
  reachingRollouts(rollouts.command('retry <name> [experiment]'))
    .description('start an aborted update over; `retry experiment NAME` starts an Experiment over')
    .action(async (first: string, second: string | undefined, flags: RolloutFlags) => {
      const kind = second === undefined ? 'rollout' : first;
      const name = second ?? first;
      if (kind !== 'rollout' && kind !== 'experiment')
        throw new ExitError(20, `cannot retry a ${kind}: use rollout or experiment`);
      await onCluster(deps, flags, async (on) => {
        if (kind === 'rollout') {
          const rollout = await readRollout(on, flags, name);
          await patchRollout(on, rollout, verbPatches.retry());
          return recordVerb(on, rollout, 'retry');
        }
        const ref = { apiVersion: argo, kind: 'Experiment', namespace: namespaceOf(flags), name };
        await on.kube.patch(on.ctx, ref, { type: 'merge', body: { status: null } });
      });
      deps.io.out(`${kind} '${name}' retried\n`);
    });
}

function addSetImage(rollouts: Command, deps: CliDeps): void {
  const set = rollouts.command('set').description('change a field of a Rollout');
  reachingRollouts(set.command('image <name> <container=image...>'))
    .description('start an update with other images; * means all containers')
    .action(async (name: string, pairs: string[], flags: RolloutFlags) => {
      const images = pairsOf(pairs);
      await onCluster(deps, flags, async (on) => {
        const rollout = await readRollout(on, flags, name);
        refuseKnative(rollout, 'change');
        const { kind = 'Deployment', name: other = '' } = rollout.spec?.workloadRef ?? {};
        const subject = rollout.spec?.workloadRef
          ? await on.kube.get(on.ctx, {
              apiVersion: 'apps/v1',
              kind,
              namespace: namespaceOf(flags),
              name: other,
            })
          : rollout;
        await replaceTemplate<Rollout>(on, refOf(subject), ({ spec }) =>
          templateWithImages(spec?.template ?? {}, images),
        );
        warnOfSelfHeal(deps.io, subject);
      });
      deps.io.out(`rollout "${name}" image updated\n`);
    });
}

function addTerminate(rollouts: Command, deps: CliDeps): void {
  const terminate = rollouts.command('terminate').description('end an AnalysisRun or an Experiment');
  for (const [word, kind] of [
    ['analysisrun', 'AnalysisRun'],
    ['experiment', 'Experiment'],
  ] as const)
    reachingRollouts(terminate.command(`${word} <name>`).description(`end an ${kind}`)).action(
      async (name: string, flags: RolloutFlags) => {
        await onCluster(deps, flags, ({ ctx, kube }) =>
          kube.patch(
            ctx,
            { apiVersion: argo, kind, namespace: namespaceOf(flags), name },
            { type: 'merge', body: { spec: { terminate: true } } },
          ),
        );
        deps.io.out(`${word} '${name}' terminated\n`);
      },
    );
}

function addLint(rollouts: Command, { io }: CliDeps): void {
  rollouts
    .command('lint')
    .description('check the Rollouts, AnalysisTemplates and Experiments of a file, without a cluster')
    .requiredOption('-f, --filename <file>', 'the file')
    .action(async ({ filename }: { filename: string }) => {
      let errors = 0;
      const documents = parseAll(await readFile(filename, 'utf8'), { name: filename });
      const objects = documents
        .filter(({ value }) => value !== null)
        .map(({ value }) => asKubeObject(value, filename));
      for (const object of objects) {
        for (const { severity, message } of lintOne(object, objects.filter(isTemplate))) {
          if (severity === 'error') errors += 1;
          io.out(`${severity}: ${object.kind} ${object.metadata.name}: ${message}\n`);
        }
      }
      if (errors > 0) throw new ExitError(1, `${errors} of the findings are errors`);
    });
}

const isTemplate = ({ kind }: KubeObject): boolean => kind.endsWith('AnalysisTemplate');

function lintOne(object: KubeObject, templates: readonly KubeObject[]) {
  if (object.kind === 'Rollout')
    return lintRollout(object as Rollout, templates as readonly AnalysisTemplate[]);
  if (object.kind === 'Experiment') return lintExperiment(object as Experiment);
  return isTemplate(object) ? lintTemplate(object as AnalysisTemplate) : [];
}
