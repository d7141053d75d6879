import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { Application, ApplicationSet } from '#base/model';
import { applicationSets } from '#serve/api';
import type { CliDeps, Open } from '../cli-deps.ts';
import { isConfirmed } from '../input/confirm.ts';
import { exampleTable } from '../input/examples.ts';
import { collectList } from '../input/lists.ts';
import { isUrl, manifestsOf } from '../input/read-manifests.ts';
import { ExitError, type Io } from '../io.ts';
import { printDeclared } from '../output/declared.ts';
import { applicationTable, printAs } from '../output/print.ts';
import { nameOfSet, previewText, setFacts, setTable, setTree } from '../output/print-sets.ts';
import { nameOf } from '../output/words.ts';
import type { Session } from '../session/session.ts';
import { untilDeleted, untilUpToDate } from './appset-wait.ts';

type SetFlags = { appsetNamespace?: string; output: string };

/** compat server §8.3: the commands for ApplicationSets. */
export function addApplicationSets(appset: Command, deps: CliDeps): void {
  for (const add of [addList, addGet, addGenerate]) add(appset, deps.open);
  for (const add of [addCreate, addDelete]) add(appset, deps);
  exampleTable(appset, {
    list: ['fairlead appset list', 'fairlead appset list -p default -o name'],
    get: ['fairlead appset get shop', 'fairlead appset get shop -o tree'],
    create: [
      'fairlead appset create sets/shop.yaml --upsert --wait',
      'fairlead appset create sets/shop.yaml --dry-run -o yaml',
    ],
    generate: [
      'fairlead appset generate sets/shop.yaml --diff',
      'fairlead appset generate shop -o yaml | kubectl diff -f -',
    ],
    delete: ['fairlead appset delete shop --yes'],
  });
}

/** compat server §8.1: `namespace/name`, or a name and --appset-namespace. */
function refOfSet(given: string, { appsetNamespace }: Pick<SetFlags, 'appsetNamespace'>) {
  const [first = '', second] = given.split('/', 2);
  const namespace = second === undefined ? appsetNamespace : first;
  return { params: { name: second ?? first }, query: { appsetNamespace: namespace } };
}

function addList(appset: Command, open: Open): void {
  appset
    .command('list')
    .description('list ApplicationSets')
    .option('-o, --output <format>', 'wide, name, json or yaml', 'wide')
    .option('-p, --project <name>', 'only of this project; may be repeated', collectList)
    .option('-l, --selector <labels>', 'only with these labels')
    .option('-N, --appset-namespace <namespace>', 'only of this namespace')
    .action(async (flags: SetFlags & { project?: string[]; selector?: string }) => {
      const { io, session } = await open();
      const { project: projects, selector, appsetNamespace } = flags;
      const { items } = await session.call(applicationSets.list, {
        query: { projects, selector, appsetNamespace },
      });
      if (flags.output === 'wide') io.out(setTable(items));
      else if (flags.output === 'name') io.out(items.map((set) => `${nameOfSet(set)}\n`).join(''));
      else io.out(printAs(flags.output, items));
    });
}

function addGet(appset: Command, open: Open): void {
  appset
    .command('get <name>')
    .description('show one ApplicationSet, its conditions and the steps of its rollout')
    .option('-o, --output <format>', 'wide, tree, json or yaml', 'wide')
    .option('-N, --appset-namespace <namespace>', 'where the ApplicationSet lives')
    .action(async (name: string, flags: SetFlags) => {
      const { io, session } = await open();
      const ref = refOfSet(name, flags);
      if (flags.output === 'tree') {
        io.out(setTree(await session.call(applicationSets.tree, ref)));
        return;
      }
      const set = await session.call(applicationSets.get, ref);
      io.out(flags.output === 'wide' ? setFacts(set, session.origin) : printAs(flags.output, set));
    });
}

type CreateFlags = {
  upsert?: boolean;
  wait?: boolean;
  dryRun?: boolean;
  output?: string;
  appsetNamespace?: string;
};

function addCreate(appset: Command, { open, signal }: CliDeps): void {
  appset
    .command('create <file...>')
    .description('create ApplicationSets from files, URLs or (-) standard input')
    .option('--upsert', 'replace those that differ')
    .option('--dry-run', 'evaluate them and store nothing')
    .option('--wait', 'wait until their applications are as they say')
    .option('-N, --appset-namespace <namespace>', 'where those without a namespace are created')
    .option('-o, --output <format>', 'print the result as wide, json or yaml')
    .action(async (files: string[], flags: CreateFlags) => {
      const { io, session } = await open();
      const { upsert, dryRun } = flags;
      for (const file of files) {
        for (const one of await manifestsOf<ApplicationSet>(file, 'ApplicationSet')) {
          const body = inNamespace(one, flags);
          const set = await session.call(applicationSets.create, { query: { upsert, dryRun }, body });
          io.out(createdText(set, flags, session.origin));
          if (flags.wait && !dryRun) await untilUpToDate({ io, session, signal }, set);
        }
      }
    });
}

const inNamespace = (set: ApplicationSet, { appsetNamespace: namespace }: CreateFlags): ApplicationSet =>
  namespace && !set.metadata.namespace ? { ...set, metadata: { ...set.metadata, namespace } } : set;

function createdText(set: ApplicationSet, { output, dryRun }: CreateFlags, origin: string): string {
  if (output === 'wide') return setFacts(set, origin);
  if (output !== undefined) return printAs(output, set);
  return `ApplicationSet '${set.metadata.name}' created${dryRun ? ' (dry run)' : ''}\n`;
}

type GenerateFlags = SetFlags & { diff?: boolean };

function addGenerate(appset: Command, open: Open): void {
  appset
    .command('generate <file>')
    .description('show the applications that an ApplicationSet generates; nothing is stored')
    .option('-o, --output <format>', 'wide, name, json, or yaml (one document for each application)', 'wide')
    .option('--diff', 'compare with the applications that it owns; exit code 1 when something would change')
    .option('-N, --appset-namespace <namespace>', 'where a stored ApplicationSet lives')
    .addHelpText(
      'after',
      `
Before a commit:           fairlead appset generate sets/shop.yaml --diff
A stored one, by name:     fairlead appset generate shop -o yaml
What would kubectl change: fairlead appset generate shop -o yaml | kubectl diff -f -`,
    )
    .action(async (place: string, flags: GenerateFlags) => {
      const { io, session } = await open();
      for (const applicationSet of await setsAt(session, place, flags)) {
        if (flags.diff) await showPreview(io, session, applicationSet);
        else await showGenerated(io, session, { applicationSet, output: flags.output });
      }
    });
}

/** dev sources DEV-26: a file, a URL or standard input; anything else is the name of a stored set. */
async function setsAt(
  session: Session,
  place: string,
  flags: GenerateFlags,
): Promise<readonly ApplicationSet[]> {
  if (place === '-' || isUrl(place) || existsSync(place))
    return manifestsOf<ApplicationSet>(place, 'ApplicationSet');
  if (/\.(?:ya?ml|json)$/.test(place)) throw new ExitError(20, `cannot read ${place}: there is no such file`);
  return [await session.call(applicationSets.get, refOfSet(place, flags))];
}

async function showGenerated(
  io: Io,
  session: Session,
  { applicationSet, output }: { readonly applicationSet: ApplicationSet; readonly output: string },
): Promise<void> {
  const { applications } = await session.call(applicationSets.generate, { body: { applicationSet } });
  if (output === 'wide') io.out(applicationTable(applications));
  else if (output === 'name') io.out(applications.map((app: Application) => `${nameOf(app)}\n`).join(''));
  else if (output === 'yaml') io.out(printDeclared(applications));
  else io.out(printAs(output, applications));
}

async function showPreview(io: Io, session: Session, applicationSet: ApplicationSet): Promise<void> {
  const preview = await session.call(applicationSets.preview, { body: { applicationSet } });
  io.out(previewText(preview));
  if (preview.blocked !== undefined) throw new ExitError(20, '');
  if (preview.changes.length > 0) throw new ExitError(1, '');
}

type DeleteFlags = { yes?: boolean; wait?: boolean; appsetNamespace?: string };

function addDelete(appset: Command, deps: CliDeps): void {
  appset
    .command('delete <name...>')
    .description('delete ApplicationSets, and with them their applications unless their policy keeps those')
    .option('-y, --yes', 'do not prompt')
    .option('--wait', 'wait until they are deleted')
    .option('-N, --appset-namespace <namespace>', 'where the ApplicationSet lives')
    .action(async (names: string[], flags: DeleteFlags) => {
      const { io, session } = await deps.open();
      for (const name of names) {
        const what = `ApplicationSet '${name}' and the applications it owns`;
        if (!flags.yes && !(await isConfirmed(deps, what))) continue;
        const ref = refOfSet(name, flags);
        const remove = () => session.call(applicationSets.delete, ref);
        await (flags.wait ? untilDeleted({ session, signal: deps.signal }, ref, remove) : remove());
        io.out(`applicationset '${name}' deleted\n`);
      }
    });
}
