import { useEffect, useEffectEvent, useState } from 'react';
import { FairleadError, realClock } from '#base/std';
import { applications, follow, type LogEntry } from '#serve/api';
import { useSend } from './live.tsx';
import type { AppRef } from './use-application.ts';

/** The lines to read: of a resource's pods, of one pod, or of all pods of the application. */
export type LogsQuery = {
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly namespace?: string | undefined;
  readonly resourceName?: string | undefined;
  readonly podName?: string | undefined;
  readonly container?: string | undefined;
  readonly sinceSeconds?: number | undefined;
  readonly tailLines?: number | undefined;
  readonly previous?: boolean | undefined;
  readonly follow: boolean;
};

export type PodLogLine = {
  readonly id: number;
  readonly pod: string;
  readonly time: string;
  readonly text: string;
};

export type Logs = {
  readonly lines: readonly PodLogLine[];
  readonly state: 'reading' | 'ended';
  /** Older lines that were read and are not kept. */
  readonly dropped: number;
  readonly error?: string;
};

const most = 50_000; // lines kept: a page that follows for days does not grow
const batchMs = 120;
const nothing: Logs = { lines: [], state: 'reading', dropped: 0 };

/** Reads the logs, and goes on while they are followed; another query starts again. */
export function useLogs({ namespace, name }: AppRef, query: LogsQuery): Logs {
  const send = useSend();
  const subject = JSON.stringify([namespace, name, query]);
  const [state, setState] = useState<Logs & { subject: string }>({ ...nothing, subject });
  const read = useEffectEvent(async (signal: AbortSignal) => {
    let waiting: PodLogLine[] = [];
    let id = 0;
    const publish = (rest: Partial<Logs> = {}) => {
      const added = waiting;
      waiting = [];
      setState((was) => appended(was.subject === subject ? was : { ...nothing, subject }, added, rest));
    };
    const tick = async () => {
      while (!signal.aborted) {
        await realClock.sleep(batchMs, signal);
        if (waiting.length > 0) publish();
      }
    };
    publish({ state: 'reading' });
    tick().catch(() => {}); // aborted
    try {
      const options = { params: { name }, query: { appNamespace: namespace, ...query }, signal };
      for await (const entry of follow(send, applications.logs, options)) {
        if (!entry.last) waiting.push(lineOf(entry, id++));
      }
      publish({ state: 'ended' });
    } catch (thrown) {
      if (!signal.aborted) publish({ state: 'ended', error: FairleadError.from(thrown).message });
    }
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query is another log
  useEffect(() => {
    const stop = new AbortController();
    read(stop.signal).catch(() => {}); // both ends are handled inside
    return () => stop.abort();
  }, [subject]);
  return state.subject === subject ? state : nothing;
}

const lineOf = ({ podName, timeStampStr, content }: LogEntry, id: number): PodLogLine => ({
  id,
  pod: podName,
  time: timeStampStr,
  text: content,
});

function appended<T extends Logs>(was: T, added: readonly PodLogLine[], rest: Partial<Logs>): T {
  const all = added.length > 0 ? [...was.lines, ...added] : was.lines;
  const excess = Math.max(0, all.length - most);
  return { ...was, lines: excess > 0 ? all.slice(excess) : all, dropped: was.dropped + excess, ...rest };
}
