import type { Command } from 'commander';
import { knative, type TrafficChange, type TrafficPlan, type TrafficRequest } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { exampleTable } from '../../input/examples.ts';
import { given, pairsOf, wholeNumber } from '../../input/flag-values.ts';
import { collect } from '../../input/lists.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { printAs } from '../../output/print.ts';
import { namespaced, refOfName } from '../app/app-flags.ts';
import { printService } from './print-traffic.ts';

type Flags = {
  readonly appNamespace?: string;
  readonly namespace?: string;
  readonly output?: string;
};
type ChangeFlags = Flags & {
  readonly to?: string | string[];
  readonly percent?: string;
  readonly tag?: string | string[];
  readonly branch?: string;
  readonly override?: boolean;
  readonly reason?: string;
  readonly dryRun?: boolean;
};

/** Beyond Argo CD: the traffic of Knative Services through Git. */
export function addKnative(command: Command, deps: CliDeps): void {
  const traffic = command
    .command('traffic')
    .description('see and shift the traffic of the Knative Services of an application');
  addShow(traffic, deps);
  addChange(traffic, deps, 'promote', 'send traffic to a revision: by default all of it, to the candidate');
  addChange(
    traffic,
    deps,
    'rollback',
    'send all traffic back to a revision: by default the previous ready one',
  );
  addSplit(traffic, deps);
  addClear(traffic, deps);
  const line = (words: string): string => `fairlead knative traffic ${words}`;
  exampleTable(traffic, {
    show: [line('show shop'), line('show shop -o json')],
    promote: [
      line('promote shop'),
      line('promote shop --to candidate --percent 10'),
      line('promote shop --dry-run'),
    ],
    rollback: [
      line('rollback shop'),
      line('rollback shop --branch rollback-shop'),
      line("rollback shop --override --reason 'errors after the deployment'"),
    ],
    split: [
      line(
        'split shop product-import --to product-import-v1=90 --to product-import-v2=10 --tag product-import-v2=candidate',
      ),
    ],
    clear: [line('clear shop')],
  });
}

const common = (command: Command): Command =>
  namespaced(command)
    .option('--namespace <namespace>', 'the namespace of the Service, where two have the same name')
    .option('-o, --output <format>', 'json or yaml');

const changing = (command: Command): Command =>
  common(command)
    .option('--branch <name>', 'push the commit to this branch, for a pull request')
    .option('--override', 'change the live Service now and record it; Git stays as it is')
    .option('--reason <text>', 'why; an override needs one')
    .option('--dry-run', 'print the change and write nothing');

function addShow(traffic: Command, { open }: CliDeps): void {
  common(traffic.command('show <app> [service]'))
    .description('print the revisions with their shares, tags and URLs, and what owns the split')
    .action(async (app: string, service: string | undefined, flags: Flags) => {
      const { io, session } = await open();
      const { params, query } = refOfName(app, flags);
      const where = { ...query, ...given({ service, namespace: flags.namespace }) };
      const { items } = await session.call(knative.show, { params, query: where });
      if (flags.output) io.out(printAs(flags.output, items));
      else if (items.length === 0) io.out(`${app} has no Knative Services in the cluster\n`);
      else io.out(items.map(printService).join('\n'));
    });
}

function addChange(traffic: Command, deps: CliDeps, action: 'promote' | 'rollback', about: string): void {
  const command = changing(traffic.command(`${action} <app> [service]`))
    .description(about)
    .option('--to <revision>', 'a revision, a tag, latest, latest-ready or previous-ready')
    .option('--tag <tag>', 'give the revision this tag');
  if (action === 'promote')
    command.option('--percent <number>', 'only this share of the traffic: a canary step');
  command.action(async (app: string, service: string | undefined, flags: ChangeFlags) => {
    const percent = flags.percent === undefined ? undefined : wholeNumber('--percent', flags.percent);
    const fields = given({
      to: flags.to as string | undefined,
      tag: flags.tag as string | undefined,
      percent,
    });
    await change(deps, app, flags, { action, ...given({ service }), ...fields });
  });
}

function addSplit(traffic: Command, deps: CliDeps): void {
  changing(traffic.command('split <app> [service]'))
    .description('divide the traffic among revisions')
    .option('--to <revision=percent>', 'a revision and its share; repeat it for each', collect)
    .option('--tag <revision=tag>', 'a tag for one of them; may be repeated', collect)
    .action(async (app: string, service: string | undefined, flags: ChangeFlags) => {
      const shares = Object.entries(pairsOf((flags.to as string[] | undefined) ?? []));
      if (shares.length === 0)
        throw new ExitError(usageExitCode, 'name the revisions with --to revision=percent');
      const tags = pairsOf((flags.tag as string[] | undefined) ?? []);
      const unknown = Object.keys(tags).find((name) => !shares.some(([revision]) => revision === name));
      if (unknown !== undefined)
        throw new ExitError(usageExitCode, `--tag ${unknown}: no --to names that revision`);
      const targets = shares.map(([revision, share]) => ({
        revision,
        percent: wholeNumber('--to', share),
        ...given({ tag: tags[revision] }),
      }));
      await change(deps, app, flags, { action: 'split', targets, ...given({ service }) });
    });
}

async function change(
  { open }: CliDeps,
  app: string,
  flags: ChangeFlags,
  wanted: TrafficRequest,
): Promise<void> {
  const { io, session } = await open();
  const { params, query } = refOfName(app, flags);
  const { namespace, branch, reason } = flags;
  const body: TrafficRequest = {
    ...wanted,
    mode: flags.override ? 'override' : 'commit',
    ...given({ namespace, branch, reason }),
  };
  const result: TrafficPlan | TrafficChange = await session.call(
    flags.dryRun ? knative.plan : knative.apply,
    {
      params,
      query,
      body,
    },
  );
  for (const warning of result.warnings) io.err(`warning: ${warning}\n`);
  if (flags.output) io.out(printAs(flags.output, result));
  else io.out('message' in result ? `${result.message}\n` : printPlan(result));
}

function printPlan(plan: TrafficPlan): string {
  if (plan.isNoChange) return `nothing to do: ${plan.resolved}\n`;
  if (plan.mode === 'override') return `would override the live Service: ${plan.resolved}\n`;
  return `would commit to branch ${plan.branch} of ${plan.repoURL}: ${plan.resolved}\n\n${plan.diff}`;
}

function addClear(traffic: Command, { open }: CliDeps): void {
  common(traffic.command('clear <app> [service]'))
    .description('end an override: the Service gets the traffic that Git declares')
    .action(async (app: string, service: string | undefined, flags: Flags) => {
      const { io, session } = await open();
      const { params, query } = refOfName(app, flags);
      const where = { ...query, ...given({ service, namespace: flags.namespace }) };
      const ended = await session.call(knative.clear, { params, query: where });
      io.out(flags.output ? printAs(flags.output, ended) : `${ended.message}\n`);
    });
}
