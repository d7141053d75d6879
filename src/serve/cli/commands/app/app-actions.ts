import type { Command } from 'commander';
import { gvkOf, type KubeObject } from '#base/model';
import { parseJson } from '#base/std';
import { applications, type ManagedResource } from '#serve/api';
import type { CliDeps, Open } from '../../cli-deps.ts';
import { exampleTable } from '../../input/examples.ts';
import { collect } from '../../input/lists.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { printAs } from '../../output/print.ts';
import { table } from '../../output/table.ts';
import { type NameFlags, refOfName } from './app-flags.ts';

type Selection = NameFlags & {
  readonly kind?: string;
  readonly group?: string;
  readonly namespace?: string;
  readonly resourceName?: string;
};
type RunFlags = Selection & { readonly all?: boolean; readonly param?: string[] };

/** Resource actions on the objects of an application. */
export function addActions(app: Command, { open }: CliDeps): void {
  const actions = app.command('actions').description('see and run what can be done to single resources');
  addListActions(actions, open);
  addRunAction(actions, open);
  exampleTable(actions, {
    list: ['fairlead app actions list guestbook --kind Deployment'],
    run: [
      'fairlead app actions run guestbook restart --kind Deployment --resource-name web',
      'fairlead app actions run guestbook scale --kind Deployment --resource-name web --param replicas=3',
    ],
  });
}

const selecting = (command: Command): Command =>
  command
    .option('--group <group>', 'of this API group; empty for the core group')
    .option('--namespace <namespace>', 'in this namespace')
    .option('--resource-name <name>', 'with this name')
    .option('-N, --app-namespace <namespace>', 'where the application lives');

function addListActions(actions: Command, open: Open): void {
  selecting(actions.command('list <name>'))
    .description('list what can be done to the resources of an application')
    .option('--kind <kind>', 'of this kind')
    .option('-o, --out <format>', 'json or yaml')
    .action(async (name: string, flags: Selection & { out?: string }) => {
      const { io, session } = await open();
      const ref = refOfName(name, flags);
      const { items } = await session.call(applications.managedResources, ref);
      const rows = [];
      for (const object of chosen(items, flags)) {
        const query = { ...ref.query, ...coordinatesOf(object) };
        const answer = await session.call(applications.actions, { params: ref.params, query });
        rows.push(...answer.actions.map(({ name: action, disabled }) => ({ object, action, disabled })));
      }
      // compat server §8.4: these keys have capitals
      const reported = rows.map(({ object, action, disabled }) => {
        const { group, kind } = gvkOf(object);
        return { Group: group, Kind: kind, Name: object.metadata.name, Action: action, Disabled: disabled };
      });
      if (flags.out) io.out(printAs(flags.out, reported));
      else {
        const head = ['GROUP', 'KIND', 'NAME', 'ACTION', 'DISABLED'];
        io.out(
          table(
            head,
            reported.map((row) => Object.values(row).map(String)),
          ),
        );
      }
    });
}

function addRunAction(actions: Command, open: Open): void {
  selecting(actions.command('run <name> <action>'))
    .description('run an action on a resource of an application')
    .requiredOption('--kind <kind>', 'on a resource of this kind')
    .option('--all', 'on every one that matches')
    .option('--param <name=value>', 'a parameter of the action; may be repeated', collect)
    .action(async (name: string, action: string, flags: RunFlags) => {
      const resourceActionParameters = (flags.param ?? []).map(parameterOf);
      const { session } = await open();
      const ref = refOfName(name, flags);
      const { items } = await session.call(applications.managedResources, ref);
      for (const object of targets(chosen(items, flags), flags)) {
        await session.call(applications.runActionWith, {
          params: ref.params,
          body: { ...ref.query, ...coordinatesOf(object), action, resourceActionParameters },
        });
      }
    });
}

function parameterOf(text: string): { name: string; value: string } {
  const at = text.indexOf('=');
  if (at < 1) throw new ExitError(usageExitCode, `--param ${text}: want name=value`);
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}

/** The live objects that the flags select; an absent --group means any, an empty one the core group. */
function chosen(items: readonly ManagedResource[], flags: Selection): KubeObject[] {
  const { group, kind, namespace, resourceName } = flags;
  const isChosen = (item: ManagedResource): boolean =>
    (group === undefined || (item.group ?? '') === group) &&
    (!kind || item.kind === kind) &&
    (!namespace || item.namespace === namespace) &&
    (!resourceName || item.name === resourceName);
  const found = items.filter(isChosen).flatMap(({ liveState }) => {
    const live = parseJson(liveState) as KubeObject | null;
    return live ? [live] : [];
  });
  if (found.length > 0) return found;
  throw new ExitError(20, 'no live resource of the application matches: see what it has with app get');
}

/** compat server §8.4: several need --all, and must be of one group. */
function targets(found: readonly KubeObject[], { all, group }: RunFlags): readonly KubeObject[] {
  if (found.length > 1 && !all) {
    throw new ExitError(20, `${found.length} resources match: name one with --resource-name, or use --all`);
  }
  const groups = new Set(found.map((object) => gvkOf(object).group));
  if (groups.size > 1 && group === undefined) {
    throw new ExitError(
      1,
      `resources of several groups match: choose with --group ${[...groups].join(' or ')}`,
    );
  }
  return found;
}

function coordinatesOf(object: KubeObject) {
  const { group, version, kind } = gvkOf(object);
  const { namespace = '', name } = object.metadata;
  return { group, version, kind, namespace, resourceName: name };
}
