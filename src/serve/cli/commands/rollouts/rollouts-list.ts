import type { Command } from 'commander';
import type { KubeObject } from '#base/model';
import { describeExperiment, describeRollout, type Experiment, type Rollout } from '#engine/rollouts';
import { listWatch } from '#kubernetes/client';
import type { CliDeps } from '../../cli-deps.ts';
import { ExitError } from '../../io.ts';
import { table } from '../../output/table.ts';
import { type OnCluster, onCluster } from '../../session/kube.ts';
import { namespaceOf, type RolloutFlags, reachingRollouts } from './rollout-flags.ts';

const argo = 'argoproj.io/v1alpha1';

export function addList(rollouts: Command, deps: CliDeps): void {
  reachingRollouts(rollouts.command('list [kind]'))
    .description('list Rollouts, or with `list experiments` Experiments')
    .option('-A, --all-namespaces', 'of all namespaces')
    .option('-w, --watch', 'print a line whenever one changes')
    .action(async (what = 'rollouts', flags: ListFlags) => {
      const kind = listed[what];
      if (kind === undefined) throw new ExitError(20, `cannot list ${what}: use rollouts or experiments`);
      const columns = kind === 'Experiment' ? experimentColumns : rolloutColumns;
      const from = {
        apiVersion: argo,
        kind,
        namespace: flags.allNamespaces ? undefined : namespaceOf(flags),
      };
      await onCluster(deps, flags, async (on) => {
        if (flags.watch) return watchList(deps, on, from, columns);
        const { items } = await on.kube.list(on.ctx, from);
        deps.io.out(table(columns.head, items.map(columns.row)));
      });
    });
}

type ListFlags = RolloutFlags & { allNamespaces?: boolean; watch?: boolean };
type Columns = { readonly head: readonly string[]; row(object: KubeObject): readonly string[] };

/** The list, then a line for each change of what a line shows, as wide as the list is. */
async function watchList({ io }: CliDeps, on: OnCluster, from: ListedKind, columns: Columns): Promise<void> {
  const list = new ChangingList(columns);
  for await (const event of listWatch(on.ctx, on.kube, from)) {
    if (event.type === 'SYNCED') io.out(list.synced(event.objects));
    else if (event.type === 'ADDED' || event.type === 'MODIFIED') io.out(list.changed(event.object));
  }
}

type ListedKind = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
};

class ChangingList {
  readonly #columns: Columns;
  readonly #shown = new Map<string, string>();
  #widths: readonly number[] | undefined;

  constructor(columns: Columns) {
    this.#columns = columns;
  }

  /** The whole list at first; after the connection was lost, what changed meanwhile. */
  synced(objects: readonly KubeObject[]): string {
    if (this.#widths) return objects.map((object) => this.changed(object)).join('');
    const { head, row } = this.#columns;
    const rows = objects.map(row);
    const widest = (column: number) =>
      Math.max(...[head, ...rows].map((cells) => cells[column]?.length ?? 0));
    this.#widths = head.map((_, column) => widest(column));
    for (const cells of rows) this.#isNew(cells);
    return table(head, rows);
  }

  /** A line; empty where it would read as the one before about the same object. */
  changed(object: KubeObject): string {
    const cells = this.#columns.row(object);
    if (!this.#isNew(cells)) return '';
    const padded = cells.map((cell, column) => cell.padEnd(this.#widths?.[column] ?? 0));
    return `${padded.join('  ').trimEnd()}\n`;
  }

  #isNew(cells: readonly string[]): boolean {
    const [key, text] = [cells.slice(0, 2).join('/'), cells.join(' ')];
    if (this.#shown.get(key) === text) return false;
    this.#shown.set(key, text);
    return true;
  }
}

const rolloutColumns: Columns = {
  head: ['NAMESPACE', 'NAME', 'STRATEGY', 'STATUS', 'STEP', 'SET-WEIGHT', 'READY', 'UP-TO-DATE'],
  row: (object) => {
    const rollout = object as Rollout;
    const seen = describeRollout(rollout, []);
    const { strategy, phase, step = '-', setWeight = '-', available, desired, updated } = seen;
    const { name, namespace = '' } = rollout.metadata;
    return [namespace, name, strategy, phase, step, setWeight, `${available}/${desired}`, String(updated)];
  },
};

const experimentColumns: Columns = {
  head: ['NAMESPACE', 'NAME', 'STATUS', 'DURATION', 'AVAILABLE', 'MESSAGE'],
  row: (object) => {
    const experiment = object as Experiment;
    const { name, phase, templates, message } = describeExperiment(experiment);
    const { duration = '-' } = experiment.spec ?? {};
    const pods = templates.reduce((sum, one) => sum + one.available, 0);
    return [experiment.metadata.namespace ?? '', name, phase, duration, String(pods), message];
  },
};

const listed: Readonly<Record<string, string>> = {
  rollouts: 'Rollout',
  rollout: 'Rollout',
  experiments: 'Experiment',
  experiment: 'Experiment',
};
