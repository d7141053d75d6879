import type { Command } from 'commander';
import { type Application, asKubeObject, gvkOf, type KubeObject, type ResourceOverride } from '#base/model';
import { realClock, silent } from '#base/std';
import type { Scripts } from '#control/scripts';
import {
  actionsFor,
  defaultTracking,
  diff,
  discoverActions,
  health,
  ignoreRules,
  readChanges,
  startAction,
  unifiedDiff,
} from '#engine';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { pairsOf } from '../../input/flag-values.ts';
import { collect } from '../../input/lists.ts';
import { table } from '../../output/table.ts';
import { documentAt, readSettings, type SettingsFlags, settingsFrom } from './admin-settings.ts';

type Overrides = Readonly<Record<string, ResourceOverride>>;

/** compat server §8.6: tries the scripts and rules of argocd-cm on a resource in a file. */
export function addOverrides(settings: Command, deps: CliDeps): void {
  const overrides = settings
    .command('resource-overrides')
    .description('try the customizations of argocd-cm on a resource in a file');
  for (const add of [addHealth, addIgnored, addActions]) add(overrides, deps);
}

async function objectAt(file: string): Promise<KubeObject> {
  return asKubeObject(await documentAt(file), file);
}

async function withScripts<T>(work: (scripts: Scripts) => Promise<T>): Promise<T> {
  const { createScripts } = await import('#control/scripts');
  const scripts = createScripts({ size: 1 });
  try {
    return await work(scripts);
  } finally {
    await scripts.close();
  }
}

function addHealth(overrides: Command, deps: CliDeps): void {
  const command = settingsFrom(overrides.command('health <file>'))
    .description('print the health of a resource')
    .action(async (file: string, flags: SettingsFlags) => {
      const object = await objectAt(file);
      const { resources } = await readSettings(deps, flags);
      const ctx = { signal: deps.signal, log: silent, clock: realClock };
      const found = await withScripts(async (scripts) =>
        health(object, { scripted: await scripts.judge(ctx, [object], resources.overrides) }),
      );
      if (found) deps.io.out(`STATUS: ${found.status}\nMESSAGE: ${found.message ?? ''}\n`);
      else
        deps.io.out(
          `Health script is not configured for '${gvkOf(object).group}/${object.kind}', and it has no health of its own\n`,
        );
    });
  examples(
    command,
    'fairlead admin settings resource-overrides health ./deploy.yaml --argocd-cm-path ./argocd-cm.yaml',
  );
}

/** Rules for comparisons, or those for updates of live objects in their stead. */
const rulesIn = (overrides: Overrides, isUpdates: boolean): Overrides =>
  isUpdates
    ? Object.fromEntries(
        Object.entries(overrides).map(
          ([key, { ignoreResourceUpdates, ignoreDifferences: _other, ...rest }]) => [
            key,
            { ...rest, ...(ignoreResourceUpdates && { ignoreDifferences: ignoreResourceUpdates }) },
          ],
        ),
      )
    : overrides;

function addIgnored(overrides: Command, deps: CliDeps): void {
  for (const name of ['ignore-differences', 'ignore-resource-updates'] as const) {
    const command = settingsFrom(overrides.command(`${name} <file>`))
      .description('print the fields of a resource that are ignored, as a diff that removes them')
      .action(async (file: string, flags: SettingsFlags) => {
        const object = await objectAt(file);
        const { resources } = await readSettings(deps, flags);
        const chosen = rulesIn(resources.overrides, name === 'ignore-resource-updates');
        const text = withoutIgnored(object, chosen);
        deps.io.out(text === '' ? `No field of '${object.kind} ${object.metadata.name}' is ignored\n` : text);
      });
    examples(
      command,
      `fairlead admin settings resource-overrides ${name} ./deploy.yaml --argocd-cm-path ./argocd-cm.yaml`,
    );
  }
}

function withoutIgnored(object: KubeObject, overrides: Overrides): string {
  const app = { metadata: { name: '' }, spec: { destination: {} } } as Application;
  const rulesFor = (chosen: Overrides) => ignoreRules(app, { overrides: chosen, ignoreStatusField: 'none' });
  const plain = (chosen: Overrides) =>
    diff(
      { live: object },
      {
        tracking: defaultTracking,
        rules: rulesFor(chosen),
        serverSideApply: false,
        sensitiveAnnotations: [],
        ignoreAggregatedRoles: false,
      },
    ).normalizedLive;
  return unifiedDiff(plain({}), plain(overrides), {
    names: { live: 'resource', target: 'without ignored fields' },
  });
}

function addActions(overrides: Command, deps: CliDeps): void {
  const ctx = { signal: deps.signal, log: silent, clock: realClock };
  const configuredFor = ({ resources }: Awaited<ReturnType<typeof readSettings>>, object: KubeObject) => {
    const { group, kind } = gvkOf(object);
    return resources.overrides[group ? `${group}/${kind}` : kind]?.actions;
  };
  const list = settingsFrom(overrides.command('list-actions <file>'))
    .description('list the actions of a resource')
    .action(async (file: string, flags: SettingsFlags) => {
      const object = await objectAt(file);
      const discovery = discoverActions(object, configuredFor(await readSettings(deps, flags), object));
      const { script } = discovery;
      const returned = script ? await withScripts((scripts) => scripts.run(ctx, script)) : undefined;
      const rows = actionsFor(discovery, returned).map(({ name, disabled }) => [name, String(!disabled)]);
      deps.io.out(table(['NAME', 'ENABLED'], rows));
    });
  examples(
    list,
    'fairlead admin settings resource-overrides list-actions ./deploy.yaml --argocd-cm-path ./argocd-cm.yaml',
  );
  const run = settingsFrom(overrides.command('run-action <file> <action>'))
    .description('print what an action changes in a resource')
    .option('--param <name=value>', 'a parameter of the action; may be repeated', collect)
    .action(async (file: string, name: string, flags: SettingsFlags & { param?: string[] }) => {
      const object = await objectAt(file);
      const configured = configuredFor(await readSettings(deps, flags), object);
      const input = {
        name,
        parameters: pairsOf(flags.param ?? []),
        now: new Date(),
        ...(configured && { configured }),
      };
      const started = startAction(object, input as Parameters<typeof startAction>[1]);
      const changes =
        'changes' in started
          ? started.changes
          : readChanges(object, await withScripts((scripts) => scripts.run(ctx, started.script)));
      for (const { operation, resource } of changes) {
        const before = operation === 'patch' ? object : undefined;
        deps.io.out(`Following ${operation} is made to '${resource.kind} ${resource.metadata.name}':\n`);
        deps.io.out(unifiedDiff(before, resource));
      }
    });
  examples(
    run,
    'fairlead admin settings resource-overrides run-action ./deploy.yaml restart --argocd-cm-path ./argocd-cm.yaml',
  );
}
