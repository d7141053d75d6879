import { printJson } from '#base/std';
import { expired } from '../status.ts';
import type { FaultEffect, WatchFault } from './rule.ts';

type Body = AsyncIterable<string | Uint8Array>;
type Ending = { readonly signal: AbortSignal; readonly broken: () => Error };

/** A watch with a fault after some events: it ends, breaks, expires, stalls, or sends wrong bookmarks. */
export async function* withWatchFaults(
  body: Body,
  effects: readonly FaultEffect[],
  ending: Ending,
): AsyncGenerator<string> {
  const plans = effects.flatMap((effect) =>
    'watch' in effect ? [{ fault: effect.watch, events: effect.events ?? 0 }] : [],
  );
  const endings = plans.filter(({ fault }) => !bookmarkFaults.has(fault)).sort((a, b) => a.events - b.events);
  const end = endings[0];
  const faults = new Set(plans.map(({ fault }) => fault));
  let sent = 0;
  if (end?.events === 0) return yield* ended(end.fault, ending);
  for await (const chunk of body) {
    for (const line of String(chunk).split(/(?<=\n)/)) {
      yield* line.startsWith('{"type":"BOOKMARK"') ? bookmarked(line, faults) : [line];
      sent += 1;
      if (end && sent >= end.events) return yield* ended(end.fault, ending);
    }
  }
}

const bookmarkFaults: ReadonlySet<WatchFault> = new Set(['duplicate-bookmarks', 'no-bookmarks']);

function bookmarked(line: string, faults: ReadonlySet<WatchFault>): string[] {
  if (faults.has('no-bookmarks')) return [];
  return faults.has('duplicate-bookmarks') ? [line, line] : [line];
}

async function* ended(fault: WatchFault, { signal, broken }: Ending): AsyncGenerator<string> {
  if (fault === 'reset') throw broken();
  if (fault === 'gone') {
    const { status } = expired('too old resource version: 1 (2)');
    yield `${printJson({ type: 'ERROR', object: status })}\n`;
  }
  if (fault === 'stall' && !signal.aborted) {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }
}
