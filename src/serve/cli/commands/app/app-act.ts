import type { Command } from 'commander';
import { type Application, isAutomated } from '#base/model';
import { applications } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { arePromptsEnabled, isAgreed, isConfirmed } from '../../input/confirm.ts';
import { examples } from '../../input/examples.ts';
import { wholeNumber } from '../../input/flag-values.ts';
import { collect } from '../../input/lists.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { finalState } from '../../output/final-state.ts';
import { applicationFacts, printAs } from '../../output/print.ts';
import type { Session } from '../../session/session.ts';
import { type NameFlags, namespaced, refOfName } from './app-flags.ts';
import { failUnlessDone } from './app-sync.ts';
import { type ChosenFlags, chosenNames } from './names.ts';
import { matcherOf, patternOf } from './resource-patterns.ts';
import { waitFor } from './wait.ts';

type WaitFlags = ChosenFlags & {
  sync?: boolean;
  health?: boolean;
  suspended?: boolean;
  degraded?: boolean;
  operation?: boolean;
  hydrated?: boolean;
  delete?: boolean;
  revision?: string;
  resource?: string[];
  timeout: string;
  output: string;
};

export function addWait(app: Command, { open }: CliDeps): void {
  const wait = namespaced(app.command('wait [name...]'))
    .description('wait until applications are synced, healthy and idle, or only for what the flags name')
    .option('-l, --selector <labels>', 'every application with these labels')
    .option('--sync', 'wait for sync')
    .option('--health', 'wait for health')
    .option('--suspended', 'wait until it is suspended')
    .option('--degraded', 'wait until it is degraded')
    .option('--operation', 'wait for the running operation')
    .option('--hydrated', 'wait for the hydration of its source')
    .option('--delete', 'wait until it is gone')
    .option('--revision <commit>', 'wait until it was compared with this commit')
    .option('--resource <group:kind:name>', 'only these resources count; may be repeated', collect)
    .option('--timeout <seconds>', 'give up after this long; 0 never', '0')
    .option('-o, --output <format>', 'wide, json or yaml', 'wide')
    .action(async (names: string[], flags: WaitFlags) => {
      const { io, session, signal } = await open();
      const wanted = wantedBy(flags);
      const isWide = flags.output === 'wide';
      for (const name of await chosenNames(session, names, flags)) {
        const ref = refOfName(name, flags);
        const timeout = wholeNumber('--timeout', flags.timeout);
        const done = await waitFor({ io, session, signal, ref, timeout, isVerbose: isWide }, wanted);
        if (done)
          io.out(isWide ? `\n${applicationFacts(done, session.origin)}` : printAs(flags.output, done));
      }
    });
  examples(
    wait,
    'fairlead app wait guestbook',
    'fairlead app wait guestbook --health --timeout 300',
    'fairlead app wait guestbook --sync --health --operation --revision "$(git rev-parse HEAD)"',
    'fairlead app wait -l team=payments --resource apps:Deployment:web',
  );
}

function wantedBy(flags: WaitFlags) {
  const { sync, health, suspended, degraded, operation, hydrated, delete: isDelete, revision } = flags;
  const isAll = ![sync, health, suspended, degraded, operation, hydrated, isDelete].some(Boolean);
  const isHealth = isAll && !suspended && !degraded;
  return {
    sync: isAll || sync === true,
    health: isHealth || health === true,
    operation: isAll || operation === true,
    suspended: suspended === true,
    degraded: degraded === true,
    hydrated: isAll || hydrated === true,
    delete: isDelete === true,
    revision,
    isWatched: flags.resource && matcherOf(flags.resource.map(patternOf)),
  };
}

type RollbackFlags = NameFlags & { prune?: boolean; timeout: string; output: string };

export function addRollback(app: Command, deps: CliDeps): void {
  const rollback = namespaced(app.command('rollback <name> [id]'))
    .description('deploy again what was deployed before; without an id, the entry before the last')
    .option('--prune', 'delete what that revision does not declare')
    .option('--timeout <seconds>', 'give up waiting after this long; 0 never', '0')
    .option('-o, --output <format>', 'wide, json or yaml', 'wide')
    .action(async (name: string, id: string | undefined, flags: RollbackFlags) => {
      const { io, session, signal } = await deps.open();
      const ref = refOfName(name, flags);
      const found = await session.call(applications.get, ref);
      const entry = id === undefined ? previous(found) : Number(id);
      if (!Number.isInteger(entry))
        throw new ExitError(usageExitCode, `${id} is not the id of a history entry: see app history`);
      const isPromptNeeded = isAutomated(found.spec) && io.isTerminal && (await arePromptsEnabled(deps));
      if (isPromptNeeded && !(await withoutAutoSync(deps, session, found, entry))) return;
      await session.call(applications.rollback, { ...ref, body: { id: entry, prune: flags.prune === true } });
      const isWide = flags.output === 'wide';
      const timeout = wholeNumber('--timeout', flags.timeout);
      const done = await waitFor(
        { io, session, signal, ref, timeout, isVerbose: isWide },
        { operation: true },
      );
      if (!done) return;
      io.out(isWide ? finalState(done, session.origin) : printAs(flags.output, done));
      failUnlessDone(done, { prune: true });
    });
  examples(rollback, 'fairlead app rollback guestbook', 'fairlead app rollback guestbook 3 --prune');
}

/**
 * compat server §11.8: at a terminal one prompt turns auto-sync off and rolls back; elsewhere the server refuses, with the remedy.
 * False: the user does not agree.
 */
async function withoutAutoSync(
  { io }: CliDeps,
  session: Session,
  { metadata, spec, status }: Application,
  entry: number,
): Promise<boolean> {
  const { name, namespace = '' } = metadata;
  if (!status?.history?.some(({ id }) => id === entry))
    throw new ExitError(20, `application '${name}' has no history entry ${entry}: see app history`);
  const question = `Auto-sync of application '${name}' is on and would undo a rollback. Disable auto-sync and roll back to ${entry}? [y/n] `;
  if (!isAgreed(await io.prompt(question))) return false;
  const { automated, ...syncPolicy } = spec.syncPolicy ?? {};
  const body = { ...spec, syncPolicy };
  await session.call(applications.updateSpec, {
    params: { name },
    query: { appNamespace: namespace, validate: false },
    body,
  });
  const flags = `${automated?.prune ? ' --auto-prune' : ''}${automated?.selfHeal ? ' --self-heal' : ''}`;
  io.err(
    `auto-sync disabled: enable it again with fairlead app set ${name} --sync-policy automated${flags}\n`,
  );
  return true;
}

function previous({ status, metadata }: Application): number {
  const entry = status?.history?.at(-2);
  if (!entry)
    throw new ExitError(usageExitCode, `application '${metadata.name}' has only been deployed once`);
  return entry.id;
}

export function addTerminate(app: Command, { open }: CliDeps): void {
  const terminate = namespaced(app.command('terminate-op <name...>'))
    .description('stop the running operation')
    .action(async (names: string[], flags: NameFlags) => {
      const { io, session } = await open();
      for (const name of names) {
        await session.call(applications.terminate, refOfName(name, flags));
        io.out(`Application '${name}' operation terminating\n`);
      }
    });
  examples(terminate, 'fairlead app terminate-op guestbook');
}

type DeleteFlags = ChosenFlags & {
  cascade: boolean;
  propagationPolicy?: string;
  yes?: boolean;
  wait?: boolean;
};

export function addDelete(app: Command, deps: CliDeps): void {
  const remove = namespaced(app.command('delete [name...]'))
    .description('delete applications, and their resources unless --cascade=false')
    .option('--cascade', 'delete the resources too', true)
    .option('-p, --propagation-policy <policy>', 'foreground or background', 'foreground')
    .option('-l, --selector <labels>', 'every application with these labels')
    .option('-y, --yes', 'do not prompt')
    .option('--wait', 'wait until they are gone')
    .action(async (names: string[], flags: DeleteFlags) => {
      const { io, session, signal } = await deps.open();
      const { cascade } = flags;
      for (const name of await chosenNames(session, names, flags)) {
        const what = `'${name}' and all its resources`;
        if (cascade && !flags.yes && !(await isConfirmed(deps, what))) continue;
        const ref = refOfName(name, flags);
        const policy = cascade ? { propagationPolicy: flags.propagationPolicy } : {};
        await session.call(applications.delete, { ...ref, query: { ...ref.query, cascade, ...policy } });
        const options = { io, session, signal, ref, timeout: 0, isVerbose: false };
        if (flags.wait) await waitFor(options, { delete: true });
        io.out(`application '${name}' deleted\n`);
      }
    });
  examples(
    remove,
    'fairlead app delete guestbook',
    'fairlead app delete guestbook --cascade=false',
    'fairlead app delete -l team=payments --yes --wait',
  );
}
