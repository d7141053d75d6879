import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { type Application, annotation, argoApiVersion } from '#base/model';
import { unifiedDiff } from '#engine';
import { parse, print } from '#lang/yaml';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { ExitError } from '../../io.ts';
import { type OnCluster, onCluster } from '../../session/kube.ts';
import { type ClusterFlags, reaching } from './admin-flags.ts';

type ResultFlags = ClusterFlags & { refresh?: boolean; l?: string; selector?: string };
type Results = {
  readonly applications: readonly {
    readonly name: string;
    readonly health?: string;
    readonly sync?: object;
    readonly conditions?: readonly object[];
  }[];
};

/** How often, and how many times, the controller is given time to compare an application again. */
const pauseMs = 500;
const attempts = 360;

/** compat server §8.6: what the controller finds, for a comparison before and after a change of the installation. */
export function addReconcileResults(app: Command, deps: CliDeps): void {
  const get = reaching(app.command('get-reconcile-results <file>'))
    .description('write health, sync status and conditions of every application to a file')
    .option('-l, --selector <labels>', 'only applications with these labels')
    .addOption(app.createOption('--l <labels>', 'the same as --selector').hideHelp())
    .addOption(app.createOption('--o <format>', 'yaml or json: the file is YAML, which is both').hideHelp())
    .option('--refresh', 'have the controller compare each of them again first')
    .action(async (file: string, flags: ResultFlags) => {
      const selector = flags.selector ?? flags.l;
      const results = await onCluster(deps, flags, (on) =>
        resultsOf(on, { ...flags, ...(selector && { selector }) }),
      );
      await writeFile(file, print(results));
      deps.io.err(`results of ${results.applications.length} applications written to ${file}\n`);
    });
  examples(get, 'fairlead admin app get-reconcile-results ./before.yaml --refresh');
  const compare = app
    .command('diff-reconcile-results <before> <after>')
    .description('compare two files of get-reconcile-results; exit code 1 when they differ')
    .action(async (before: string, after: string) => {
      const [old, fresh] = await Promise.all([resultsIn(before), resultsIn(after)]);
      const names = [...new Set([...old.keys(), ...fresh.keys()])].sort();
      const texts = names
        .map((name) => ({ name, text: unifiedDiff(old.get(name), fresh.get(name)) }))
        .filter(({ text }) => text !== '');
      for (const { name, text } of texts) deps.io.out(`===== ${name} ======\n${text}\n`);
      if (texts.length > 0) throw new ExitError(1, '');
    });
  examples(compare, 'fairlead admin app diff-reconcile-results ./before.yaml ./after.yaml');
}

async function resultsOf(on: OnCluster, { namespace, selector, refresh }: ResultFlags): Promise<Results> {
  const from = { apiVersion: argoApiVersion, kind: 'Application', namespace };
  const options = selector ? { labelSelector: selector } : {};
  const { items } = await on.kube.list(on.ctx, from, options);
  const applications = [];
  for (const item of items as readonly Application[]) {
    const { metadata, status } = refresh ? await refreshed(on, item) : item;
    const { health, sync, conditions } = status ?? {};
    applications.push({
      name: metadata.name,
      ...(health && { health: health.status }),
      ...(sync && { sync: { status: sync.status, ...(sync.revision && { revision: sync.revision }) } }),
      ...(conditions?.length && { conditions: conditions.map(({ type, message }) => ({ type, message })) }),
    });
  }
  return { applications };
}

async function refreshed({ ctx, kube }: OnCluster, { metadata }: Application): Promise<Application> {
  const ref = {
    apiVersion: argoApiVersion,
    kind: 'Application',
    name: metadata.name,
    namespace: metadata.namespace ?? '',
  };
  await kube.patch(ctx, ref, {
    type: 'merge',
    body: { metadata: { annotations: { [annotation.refresh]: 'normal' } } },
  });
  for (let attempt = 0; attempt < attempts; attempt++) {
    const found = (await kube.get(ctx, ref)) as Application;
    if (found.metadata.annotations?.[annotation.refresh] === undefined) return found;
    await ctx.clock.sleep(pauseMs, ctx.signal);
  }
  throw new ExitError(
    20,
    `no controller compared application ${metadata.name}: is one running on this cluster?`,
  );
}

async function resultsIn(file: string): Promise<Map<string, object>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ExitError(20, `${file} cannot be read: ${(error as Error).message}`);
  });
  const { applications = [] } = (parse(text) ?? {}) as Partial<Results>;
  return new Map(applications.map((one) => [one.name, one]));
}
