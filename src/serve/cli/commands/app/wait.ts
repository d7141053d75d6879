import type { Application, ResourceStatus } from '#base/model';
import { deadline, FairleadError } from '#base/std';
import { type ApplicationWatchEvent, applications } from '#serve/api';
import { ExitError, type Io } from '../../io.ts';
import { paintFor } from '../../output/colour.ts';
import { finalState } from '../../output/final-state.ts';
import { isLive, LiveRegion } from '../../output/live-region.ts';
import { type ResourceRow, resourceHead, resourceRows } from '../../output/print.ts';
import { progressLines } from '../../output/progress.ts';
import type { Session } from '../../session/session.ts';

/** The state to wait for. */
export type WaitFor = {
  readonly sync?: boolean;
  readonly health?: boolean;
  readonly suspended?: boolean;
  readonly degraded?: boolean;
  readonly operation?: boolean;
  readonly hydrated?: boolean;
  readonly delete?: boolean;
  /** A commit, or the beginning of one, that it must have been compared with. */
  readonly revision?: string | undefined;
  /** Only these resources count. */
  readonly isWatched?: ((resource: ResourceStatus) => boolean) | undefined;
};

export type WaitOptions = {
  readonly io: Io;
  readonly session: Session;
  readonly signal: AbortSignal;
  readonly ref: { params: { name: string }; query: { appNamespace: string | undefined } };
  /** Seconds; 0 waits for ever. */
  readonly timeout: number;
  /** Print each resource as it changes. */
  readonly isVerbose: boolean;
};

/** Watches one application until it has the wanted state. compat server §8.4: throws ExitError 20 on timeout. */
export async function waitFor(options: WaitOptions, wanted: WaitFor): Promise<Application | undefined> {
  const { session, ref } = options;
  const { late, signal } = limited(options);
  const query = { name: ref.params.name, appNamespace: ref.query.appNamespace };
  // a name that does not exist is reported at once, not waited for
  if (!wanted.delete) await session.call(applications.get, ref);
  const progress = isLive(options.io) ? new LiveProgress(options) : new Progress(options);
  const watched = new DegradedWatch(ref.params.name, wanted);
  const seen: { last?: Application } = {};
  try {
    for await (const event of session.follow(applications.watch, { query, signal })) {
      if (event.type === 'DELETED') return deleted(wanted, ref.params.name);
      seen.last = event.application;
      progress.show(event);
      if (isAsWanted(event.application, wanted)) return event.application;
      watched.check(event.application);
    }
  } catch (error) {
    if (!late?.aborted) throw error;
  } finally {
    progress.end();
  }
  if (!late?.aborted) throw new FairleadError('Unavailable', 'the server ended the stream');
  throw timedOut(options, seen.last);
}

/** compat server §8.4: the final state is printed first, so that a log of a pipeline says why. */
function timedOut(
  { io, session, ref, timeout, isVerbose }: WaitOptions,
  last: Application | undefined,
): ExitError {
  if (last && isVerbose) io.out(finalState(last, session.origin));
  return new ExitError(20, `timed out (${timeout}s) waiting for app "${ref.params.name}"${whyNot(last)}`);
}

function limited({ timeout, signal }: WaitOptions) {
  if (timeout <= 0) return { late: undefined, signal };
  const late = deadline(timeout * 1000);
  return { late, signal: AbortSignal.any([signal, late]) };
}

function deleted(wanted: WaitFor, name: string): undefined {
  if (wanted.delete) return undefined;
  throw new ExitError(20, `application '${name}' was deleted while waiting for it`);
}

function isAsWanted(app: Application, wanted: WaitFor): boolean {
  if (wanted.delete) return false;
  const { status, operation } = app;
  if (operation || isStale(app)) return false;
  if (wanted.operation && status?.operationState && !status.operationState.finishedAt) return false;
  return isAtRevision(app, wanted) && isHydrated(app, wanted) && isReady(app, wanted);
}

/** Of the whole application, or of the watched resources. */
function isReady({ status }: Application, wanted: WaitFor): boolean {
  const { isWatched } = wanted;
  if (!isWatched) {
    return isSynced(status?.sync?.status, wanted) && isInHealth(status?.health?.status, wanted);
  }
  const resources = (status?.resources ?? []).filter(isWatched);
  return (
    resources.length > 0 &&
    resources.every(
      (one) => isSynced(one.status, wanted) && isInHealth(one.health?.status ?? 'Healthy', wanted),
    )
  );
}

const isSynced = (code: string | undefined, { sync }: WaitFor): boolean => !sync || code === 'Synced';

/** compat server §8.4: of --health, --suspended and --degraded any that is given. */
function isInHealth(code: string | undefined, { health, suspended, degraded }: WaitFor): boolean {
  if (!health && !suspended && !degraded) return true;
  return (
    (health === true && code === 'Healthy') ||
    (suspended === true && code === 'Suspended') ||
    (degraded === true && code === 'Degraded')
  );
}

/** dev server §11 32: so that a pipeline does not take the health of the old revision for that of its commit. */
function isAtRevision({ status }: Application, { revision }: WaitFor): boolean {
  if (revision === undefined) return true;
  const { sync } = status ?? {};
  return (sync?.revisions ?? [sync?.revision ?? '']).some((one) => one.startsWith(revision));
}

function isHydrated({ spec, status }: Application, { hydrated }: WaitFor): boolean {
  if (!hydrated || !spec.sourceHydrator) return true;
  const { sourceHydrator } = status as { sourceHydrator?: { currentOperation?: { phase?: string } } };
  return sourceHydrator?.currentOperation?.phase === 'Hydrated';
}

/** compat server §8.4: decided only once the application was compared after its operation, or its refresh, ended. */
function isStale({ metadata, status }: Application): boolean {
  if (metadata.annotations?.['argocd.argoproj.io/refresh'] !== undefined) return true;
  if (status?.operationState?.operation.sync?.dryRun) return false; // a dry run changes nothing
  const finishedAt = status?.operationState?.finishedAt;
  return finishedAt !== undefined && (status?.reconciledAt ?? '') < finishedAt;
}

/** compat server §8.4: in a wait for health, a resource that turns Degraded ends it before the timeout. */
class DegradedWatch {
  readonly #name: string;
  readonly #wanted: WaitFor;
  readonly #before = new Map<string, string>();

  constructor(name: string, wanted: WaitFor) {
    this.#name = name;
    this.#wanted = wanted;
  }

  check({ status }: Application): void {
    const { health, degraded, isWatched } = this.#wanted;
    if (!health || degraded) return;
    for (const one of status?.resources ?? []) if (isWatched?.(one) ?? true) this.#record(one);
  }

  #record({ group = '', kind, namespace = '', name, health }: ResourceStatus): void {
    const key = `${group}/${kind} ${namespace}/${name}`;
    const code = health?.status ?? '';
    const before = this.#before.get(key) ?? code;
    this.#before.set(key, code);
    if (code !== 'Degraded' || before === 'Degraded') return;
    const why = health?.message ? `: ${health.message}` : '';
    throw new ExitError(20, `application '${this.#name}': ${key} turned from ${before} to Degraded${why}`);
  }
}

function whyNot(app: Application | undefined): string {
  if (!app) return '';
  const { sync, health, operationState } = app.status ?? {};
  return `: sync ${sync?.status ?? 'Unknown'}, health ${health?.status ?? 'Unknown'}, operation ${operationState?.phase ?? 'none'}`;
}

/** Prints a resource's line when it changes, and not again until then. */
class Progress {
  readonly #options: WaitOptions;
  readonly #shown = new Map<string, string>();

  constructor(options: WaitOptions) {
    this.#options = options;
    if (options.isVerbose) options.io.out(line(['TIMESTAMP', ...resourceHead]));
  }

  show({ application }: ApplicationWatchEvent): void {
    if (!this.#options.isVerbose) return;
    for (const row of resourceRows(application)) {
      const key = row.slice(0, 4).join('/');
      const text = row.join('\t');
      if (this.#shown.get(key) === text) continue;
      this.#shown.set(key, text);
      this.#options.io.out(line([new Date().toISOString().slice(0, 19), ...row]));
    }
  }

  end(): void {}
}

/** On a terminal: the waves and what blocks them, in lines that are replaced. */
class LiveProgress {
  readonly #options: WaitOptions;
  readonly #region: LiveRegion;

  constructor(options: WaitOptions) {
    this.#options = options;
    this.#region = new LiveRegion(options.io);
  }

  show({ application }: ApplicationWatchEvent): void {
    if (this.#options.isVerbose) this.#region.show(progressLines(application, paintFor(this.#options.io)));
  }

  end(): void {
    this.#region.clear();
  }
}

const widths = [20, 10, 12, 14, 20, 10, 12, 8];

function line(cells: readonly string[] | ResourceRow): string {
  return `${cells
    .map((cell, i) => cell.padEnd(widths[i] ?? 0))
    .join('  ')
    .trimEnd()}\n`;
}
