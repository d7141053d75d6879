import type { Application } from '#base/model';
import { deadline, FairleadError } from '#base/std';
import { type ApplicationWatchEvent, applications } from '#serve/api';
import { ExitError, type Io } from '../../io.ts';
import { type ResourceRow, resourceHead, resourceRows } from '../../output/print.ts';
import type { Session } from '../../session/session.ts';

/** The state to wait for. */
export type WaitFor = {
  readonly sync: boolean;
  readonly health: boolean;
  readonly operation: boolean;
  readonly delete: boolean;
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
  const { session, ref, timeout } = options;
  const late = timeout > 0 ? deadline(timeout * 1000) : undefined;
  const signal = late ? AbortSignal.any([options.signal, late]) : options.signal;
  const progress = new Progress(options);
  const query = { name: ref.params.name, appNamespace: ref.query.appNamespace };
  // a name that does not exist is reported at once, not waited for
  if (!wanted.delete) await session.call(applications.get, ref);
  let last: Application | undefined;
  try {
    for await (const event of session.follow(applications.watch, { query, signal })) {
      if (event.type === 'DELETED') return deleted(wanted, ref.params.name);
      last = event.application;
      progress.show(event);
      if (isAsWanted(last, wanted)) return last;
    }
  } catch (error) {
    if (!late?.aborted) throw error;
  }
  if (late?.aborted) {
    throw new ExitError(20, `timed out (${timeout}s) waiting for app "${ref.params.name}"${whyNot(last)}`);
  }
  throw new FairleadError('Unavailable', 'the server ended the stream');
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
  if (wanted.sync && status?.sync?.status !== 'Synced') return false;
  return !wanted.health || status?.health?.status === 'Healthy';
}

/** compat server §8.4: decided only once the application was compared after its operation, or its refresh, ended. */
function isStale({ metadata, status }: Application): boolean {
  if (metadata.annotations?.['argocd.argoproj.io/refresh'] !== undefined) return true;
  if (status?.operationState?.operation.sync?.dryRun) return false; // a dry run changes nothing
  const finishedAt = status?.operationState?.finishedAt;
  return finishedAt !== undefined && (status?.reconciledAt ?? '') < finishedAt;
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
}

const widths = [20, 10, 12, 14, 20, 10, 12, 8];

function line(cells: readonly string[] | ResourceRow): string {
  return `${cells
    .map((cell, i) => cell.padEnd(widths[i] ?? 0))
    .join('  ')
    .trimEnd()}\n`;
}
