import type { Command } from 'commander';
import type { Application } from '#base/model';
import { applications, type SyncRequest } from '#serve/api';
import type { Open } from '../../cli-deps.ts';
import { isConfirmed } from '../../input/confirm.ts';
import { collect } from '../../input/lists.ts';
import { ExitError, usageExitCode } from '../../io.ts';
import { applicationFacts, operationFacts, resourceHead, resourceRows } from '../../output/print.ts';
import { table } from '../../output/table.ts';
import { type NameFlags, refOfName } from './app-flags.ts';
import { waitFor } from './wait.ts';

type SyncFlags = NameFlags & {
  revision?: string;
  prune?: boolean;
  dryRun?: boolean;
  force?: boolean;
  strategy?: string;
  resource?: string[];
  replace?: boolean;
  serverSide?: boolean;
  applyOutOfSyncOnly?: boolean;
  async?: boolean;
  timeout: string;
  info?: string[];
};

export function addSync(app: Command, open: Open): void {
  app
    .command('sync <name>')
    .description('bring the live objects to what Git declares, and wait for it')
    .option('--revision <rev>', 'a revision other than the tracked one')
    .option('--prune', 'delete what Git no longer declares')
    .option('--dry-run', 'only say what would be done')
    .option('--force', 'delete and create again what cannot be changed (has nothing to do with sync windows)')
    .option('--strategy <name>', 'apply (no hooks) or hook')
    .option('--resource <group:kind:name>', 'only this one; may be repeated', collect)
    .option('--replace', 'replace instead of apply')
    .option('--server-side', 'server-side apply')
    .option('--apply-out-of-sync-only', 'leave alone what is in sync')
    .option('--async', 'do not wait')
    .option('--timeout <seconds>', 'give up waiting after this long; 0 never', '0')
    .option('--info <name=value>', 'a note for the record; may be repeated', collect)
    .option('-N, --app-namespace <namespace>', 'where the application lives')
    .action(async (name: string, flags: SyncFlags) => {
      const { io, session, signal } = await open();
      const ref = refOfName(name, flags);
      await session.call(applications.sync, { ...ref, body: requestOf(flags) });
      if (flags.async) return;
      const wanted = { sync: false, health: false, operation: true, delete: false };
      const options = { io, session, signal, ref, timeout: Number(flags.timeout), isVerbose: true };
      const done = await waitFor(options, wanted);
      if (!done) return;
      io.out(`\n${applicationFacts(done, session.origin)}\n${operationFacts(done)}\n`);
      io.out(table(resourceHead, resourceRows(done)));
      failUnlessDone(done, flags);
    });
}

/** compat server §8.1: a sync that failed, or left something to prune, ends with 1. */
function failUnlessDone(app: Application, { dryRun, prune }: SyncFlags): void {
  const { phase, syncResult } = app.status?.operationState ?? {};
  if (phase !== 'Succeeded') throw new ExitError(1, `the operation has ended as ${phase}`);
  const left = (syncResult?.resources ?? []).filter(
    (r) => r.status === 'PruneSkipped' && !r.message?.includes('no prune'),
  );
  if (left.length > 0 && !dryRun && !prune)
    throw new ExitError(1, `${left.length} resources require pruning`);
}

function requestOf(flags: SyncFlags): SyncRequest {
  const options = [
    flags.replace && 'Replace=true',
    flags.serverSide && 'ServerSideApply=true',
    flags.applyOutOfSyncOnly && 'ApplyOutOfSyncOnly=true',
  ].filter((option) => typeof option === 'string');
  const force = flags.force ? { force: true } : {};
  return {
    ...(flags.revision && { revision: flags.revision }),
    prune: flags.prune === true,
    dryRun: flags.dryRun === true,
    strategy: flags.strategy === 'apply' ? { apply: force } : { hook: force },
    ...(flags.resource && { resources: flags.resource.map(resourceOf) }),
    ...(options.length > 0 && { syncOptions: { items: options } }),
    ...(flags.info && { infos: flags.info.map(infoOf) }),
  };
}

/** compat server §8.4: GROUP:KIND:[NAMESPACE/]NAME, without patterns for now. */
function resourceOf(text: string) {
  const [group, kind, rest, ...more] = text.split(':');
  if (!kind || !rest || more.length > 0) {
    throw new ExitError(
      usageExitCode,
      `--resource ${text}: want group:kind:name or group:kind:namespace/name`,
    );
  }
  if (/[*!]/.test(text))
    throw new ExitError(usageExitCode, `not supported yet: patterns in --resource ${text}`);
  const [first = '', second] = rest.split('/', 2);
  const name = second ?? first;
  return { group: group ?? '', kind, name, ...(second !== undefined && { namespace: first }) };
}

function infoOf(text: string) {
  const at = text.indexOf('=');
  if (at < 1) throw new ExitError(usageExitCode, `--info ${text}: want name=value`);
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}

type WaitFlags = NameFlags & {
  sync?: boolean;
  health?: boolean;
  operation?: boolean;
  delete?: boolean;
  timeout: string;
};

export function addWait(app: Command, open: Open): void {
  app
    .command('wait <name>')
    .description('wait until the application is synced, healthy and idle, or only what the flags name')
    .option('--sync', 'wait for sync')
    .option('--health', 'wait for health')
    .option('--operation', 'wait for the running operation')
    .option('--delete', 'wait until it is gone')
    .option('--timeout <seconds>', 'give up after this long; 0 never', '0')
    .option('-N, --app-namespace <namespace>', 'where the application lives')
    .action(async (name: string, flags: WaitFlags) => {
      const { io, session, signal } = await open();
      const isAll = !flags.sync && !flags.health && !flags.operation && !flags.delete;
      const wanted = {
        sync: isAll || flags.sync === true,
        health: isAll || flags.health === true,
        operation: isAll || flags.operation === true,
        delete: flags.delete === true,
      };
      const ref = refOfName(name, flags);
      const options = { io, session, signal, ref, timeout: Number(flags.timeout), isVerbose: true };
      const done = await waitFor(options, wanted);
      if (done) io.out(`\n${applicationFacts(done, session.origin)}`);
    });
}

export function addRollback(app: Command, open: Open): void {
  app
    .command('rollback <name> [id]')
    .description('deploy again what was deployed before; without an id, the entry before the last')
    .option('--prune', 'delete what that revision does not declare')
    .option('--timeout <seconds>', 'give up waiting after this long; 0 never', '0')
    .option('-N, --app-namespace <namespace>', 'where the application lives')
    .action(
      async (
        name: string,
        id: string | undefined,
        flags: NameFlags & { prune?: boolean; timeout: string },
      ) => {
        const { io, session, signal } = await open();
        const ref = refOfName(name, flags);
        const entry = id === undefined ? previous(await session.call(applications.get, ref)) : Number(id);
        if (!Number.isInteger(entry))
          throw new ExitError(usageExitCode, `${id} is not the id of a history entry: see app history`);
        await session.call(applications.rollback, {
          ...ref,
          body: { id: entry, prune: flags.prune === true },
        });
        const options = { io, session, signal, ref, timeout: Number(flags.timeout), isVerbose: true };
        const done = await waitFor(options, { sync: false, health: false, operation: true, delete: false });
        if (done) failUnlessDone(done, { timeout: '0', prune: true });
      },
    );
}

function previous({ status, metadata }: Application): number {
  const entry = status?.history?.at(-2);
  if (!entry)
    throw new ExitError(usageExitCode, `application '${metadata.name}' has only been deployed once`);
  return entry.id;
}

export function addTerminate(app: Command, open: Open): void {
  app
    .command('terminate-op <name>')
    .description('stop the running operation')
    .option('-N, --app-namespace <namespace>', 'where the application lives')
    .action(async (name: string, flags: NameFlags) => {
      const { io, session } = await open();
      await session.call(applications.terminate, refOfName(name, flags));
      io.out(`Application '${name}' operation terminating\n`);
    });
}

type DeleteFlags = NameFlags & {
  cascade?: string | boolean;
  propagationPolicy?: string;
  yes?: boolean;
  wait?: boolean;
};

export function addDelete(app: Command, open: Open): void {
  app
    .command('delete <name...>')
    .description('delete applications, and their resources unless --cascade=false')
    .option('--cascade [bool]', 'delete the resources too', 'true')
    .option('-p, --propagation-policy <policy>', 'foreground or background', 'foreground')
    .option('-y, --yes', 'do not prompt')
    .option('--wait', 'wait until they are gone')
    .option('-N, --app-namespace <namespace>', 'where the application lives')
    .action(async (names: string[], flags: DeleteFlags) => {
      const { io, session, signal } = await open();
      const cascade = String(flags.cascade) !== 'false';
      for (const name of names) {
        const what = `'${name}' and all its resources`;
        if (cascade && !flags.yes && !(await isConfirmed(io, what))) continue;
        const ref = refOfName(name, flags);
        const policy = cascade ? { propagationPolicy: flags.propagationPolicy } : {};
        await session.call(applications.delete, { ...ref, query: { ...ref.query, cascade, ...policy } });
        const options = { io, session, signal, ref, timeout: 0, isVerbose: false };
        if (flags.wait)
          await waitFor(options, { sync: false, health: false, operation: false, delete: true });
        io.out(`application '${name}' deleted\n`);
      }
    });
}
