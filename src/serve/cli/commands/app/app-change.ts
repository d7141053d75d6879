import type { Command } from 'commander';
import { type ApplicationSpec, annotation, effectiveSources, type Source } from '#base/model';
import { equal, printJson } from '#base/std';
import { applications } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { editYaml } from '../../input/edit.ts';
import { examples } from '../../input/examples.ts';
import { wholeNumber } from '../../input/flag-values.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { printAs } from '../../output/print.ts';
import { type NameFlags, namespaced, refOfName } from './app-flags.ts';
import {
  addOriginFlags,
  addSpecFlags,
  type OriginFlags,
  readLiteralValues,
  type SpecFlags,
  warnOfOptions,
  withOriginFlags,
  withSpecFlags,
} from './spec-flags.ts';

type Positioned = { sourcePosition?: string; sourceName?: string };
type SetFlags = SpecFlags & NameFlags & Positioned & { validate: boolean };

export function addSet(app: Command, { open }: CliDeps): void {
  const set = namespaced(addSpecFlags(app.command('set <name>')))
    .description('change fields of an application; what no flag names stays')
    .option('--source-position <number>', 'the source to change, of several; the first is 1')
    .option('--validate', 'check the repository and render it first; =false leaves that out', true)
    .action(async (name: string, given: SetFlags) => {
      const flags = await readLiteralValues(given);
      const { io, session } = await open();
      warnOfOptions(io, flags);
      const ref = refOfName(name, flags);
      const { spec } = await session.call(applications.get, ref);
      const body = withSpecFlags({ spec, position: positionOf(spec, flags) }, flags);
      const { validate: _validate, appNamespace: _namespace, sourcePosition: _at, ...changes } = given;
      if (Object.keys(changes).length === 0)
        throw new ExitError(usageExitCode, `nothing to set: give a flag that changes '${name}'`);
      if (equal(body, spec)) return;
      await session.call(applications.updateSpec, {
        params: ref.params,
        query: { ...ref.query, validate: flags.validate },
        body,
      });
    });
  examples(
    set,
    'fairlead app set guestbook --project team-a',
    'fairlead app set guestbook --kustomize-image app=registry.example.com/app:v2',
    'fairlead app set guestbook --sync-policy automated --self-heal --auto-prune=false',
    'fairlead app set shop --source-position 2 --helm-set replicas=3',
  );
}

/** The index of the source that --source-position or --source-name selects. */
export function positionOf(spec: ApplicationSpec, { sourcePosition, sourceName }: Positioned): number {
  const sources = effectiveSources(spec);
  if (sourcePosition !== undefined) {
    const position = wholeNumber('--source-position', sourcePosition);
    if (position >= 1 && position <= sources.length) return position - 1;
    throw new ExitError(
      usageExitCode,
      `--source-position ${sourcePosition} is out of range: the application has ${sources.length} sources, counted from 1`,
    );
  }
  if (sources.length < 2) return 0;
  const at = sources.findIndex(({ name }) => sourceName !== undefined && name === sourceName);
  if (at >= 0) return at;
  throw new ExitError(
    usageExitCode,
    `the application has ${sources.length} sources: choose one with --source-position (1 to ${sources.length}) or --source-name`,
  );
}

export function addEdit(app: Command, { io, open }: CliDeps): void {
  const edit = namespaced(app.command('edit <name>'))
    .description('edit the spec of an application in your editor (EDITOR), and store it')
    .action(async (name: string, flags: NameFlags) => {
      const { session } = await open();
      const ref = refOfName(name, flags);
      const { spec } = await session.call(applications.get, ref);
      const edited = await editYaml(io, spec, ref.params.name);
      if (edited === undefined) return;
      await session.call(applications.updateSpec, { ...ref, body: edited });
      io.out(`application '${name}' updated\n`);
    });
  examples(edit, 'fairlead app edit guestbook', 'EDITOR=nano fairlead app edit guestbook');
}

export function addPatch(app: Command, { open }: CliDeps): void {
  const patch = namespaced(app.command('patch <name>'))
    .description('patch an application, and print it')
    .requiredOption('--patch <text>', 'a JSON patch, or a merge patch with --type merge')
    .option('--type <type>', 'json or merge', 'json')
    .option('-o, --output <format>', 'json or yaml', 'yaml')
    .action(async (name: string, flags: NameFlags & { patch: string; type: string; output: string }) => {
      const { io, session } = await open();
      const { params, query } = refOfName(name, flags);
      const body = { patch: flags.patch, patchType: flags.type };
      io.out(printAs(flags.output, await session.call(applications.patch, { params, query, body })));
    });
  examples(
    patch,
    `fairlead app patch guestbook --patch '[{"op": "replace", "path": "/spec/source/path", "value": "newPath"}]'`,
    `fairlead app patch guestbook --type merge --patch '{"spec": {"source": {"targetRevision": "v1.2"}}}'`,
  );
}

export function addAddSource(app: Command, { open }: CliDeps): void {
  const add = namespaced(addOriginFlags(app.command('add-source <name>')))
    .description('add a source to an application')
    .option('--validate', 'check the repository and render it first; =false leaves that out', true)
    .action(async (name: string, given: OriginFlags & NameFlags & { validate: boolean }) => {
      const flags = await readLiteralValues(given);
      if (!flags.repo) throw new ExitError(usageExitCode, 'add-source needs --repo');
      const { io, session } = await open();
      const ref = refOfName(name, flags);
      const { spec } = await session.call(applications.get, ref);
      const { source: _one, ...rest } = spec;
      const sources = [...effectiveSources(spec), withOriginFlags({ repoURL: '' }, flags)];
      const query = { ...ref.query, validate: given.validate };
      await session.call(applications.updateSpec, { ...ref, query, body: { ...rest, sources } });
      io.out(`Application '${name}' updated successfully\n`);
    });
  examples(
    add,
    'fairlead app add-source guestbook --repo https://github.com/example/values.git --ref values',
    'fairlead app add-source guestbook --repo https://github.com/example/extra.git --path extra --source-name extra',
  );
}

export function addRemoveSource(app: Command, { open }: CliDeps): void {
  const remove = namespaced(app.command('remove-source <name>'))
    .description('remove a source from an application')
    .option('--source-position <number>', 'the source to remove; the first is 1')
    .option('--source-name <name>', 'the source to remove, by its name')
    .action(async (name: string, flags: NameFlags & Positioned) => {
      const { io, session } = await open();
      const ref = refOfName(name, flags);
      const { spec } = await session.call(applications.get, ref);
      const sources = effectiveSources(spec);
      if (sources.length < 2)
        throw new ExitError(usageExitCode, `application '${name}' has one source, which cannot be removed`);
      const at = positionOf(spec, flags);
      const left: Source[] = sources.filter((_, index) => index !== at);
      const { source: _one, ...rest } = spec;
      await session.call(applications.updateSpec, { ...ref, body: { ...rest, sources: left } });
      io.out(`Application '${name}' updated successfully\n`);
    });
  examples(
    remove,
    'fairlead app remove-source shop --source-position 2',
    'fairlead app remove-source shop --source-name extra',
  );
}

export function addConfirmDeletion(app: Command, { open }: CliDeps): void {
  const confirm = namespaced(app.command('confirm-deletion <name>'))
    .description('permit the deletion, or the pruning, of the resources that wait for a confirmation')
    .action(async (name: string, flags: NameFlags) => {
      const { io, session } = await open();
      const { params, query } = refOfName(name, flags);
      const annotations = { [annotation.deletionApproved]: new Date().toISOString().replace(/\.\d+/, '') };
      const body = { patch: printJson({ metadata: { annotations } }), patchType: 'merge' };
      await session.call(applications.patch, { params, query, body });
      io.out(`Application '${name}' updated successfully\n`);
    });
  examples(confirm, 'fairlead app confirm-deletion guestbook');
}

/** dev server §11 1: the seeds use it; the peer has no such command. */
export function addRefresh(app: Command, { open }: CliDeps): void {
  const refresh = namespaced(app.command('refresh <name...>'))
    .description('compare applications with Git now')
    .option('--hard', 'render again too, without caches')
    .action(async (names: string[], flags: NameFlags & { hard?: boolean }) => {
      const { io, session } = await open();
      for (const name of names) {
        const { params, query } = refOfName(name, flags);
        const level = flags.hard ? 'hard' : 'normal';
        const { status } = await session.call(applications.get, {
          params,
          query: { ...query, refresh: level },
        });
        const { sync, health } = status ?? {};
        io.out(
          `application '${name}' refreshed: ${sync?.status ?? 'Unknown'}, ${health?.status ?? 'Unknown'}\n`,
        );
      }
    });
  examples(refresh, 'fairlead app refresh guestbook', 'fairlead app refresh guestbook --hard');
}
