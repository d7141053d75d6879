import type { KubeObject } from '#base/model';
import { type Ctx, FairleadError, parseJson } from '#base/std';
import { type Deadline, deadline } from './bounded.ts';
import { type ApiStatus, KubeError } from './errors.ts';
import type { Http } from './http.ts';
import { type FrameReader, SharedFrames } from './shared-frames.ts';

export type WatchEvent = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: KubeObject;
};

export type WatchOptions = {
  /** Start after this state; without one the API server first sends all objects, as ADDED. */
  readonly resourceVersion?: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** All there is, then a BOOKMARK with the annotation `k8s.io/initial-events-end`, then changes. */
  readonly sendInitialEvents?: boolean;
  /** The server ends the stream after this long. */
  readonly timeoutSeconds?: number;
};

type Frame = { readonly type?: string; readonly object?: unknown };

const types: ReadonlySet<string | undefined> = new Set(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']);

/** The state that the watches of one client share. */
export type Frames = SharedFrames<Frame>;

export const createFrames = (): Frames => new SharedFrames((line) => parseJson(line) as Frame);

/** Where a kind is watched. */
export type WatchedKindPath = { readonly kind: string; readonly path: string };

/** Servers end a watch in time; one that has not by this much later is no longer there. */
const overdueSeconds = 30;
const defaultTimeoutSeconds = 300;

/**
 * One watch, to its end. Resolves when the API server has accepted; ends when the server closes the stream;
 * throws KubeError for an ERROR event; `isExpired` recognises the one for a resource version that is too old.
 */
export async function watchOnce(
  ctx: Ctx,
  { http, frames }: { readonly http: Http; readonly frames: Frames },
  { kind, path }: WatchedKindPath,
  options: WatchOptions = {},
): Promise<AsyncGenerator<WatchEvent>> {
  const timeoutSeconds = options.timeoutSeconds ?? defaultTimeoutSeconds;
  const query = {
    watch: true,
    allowWatchBookmarks: true,
    resourceVersion: options.resourceVersion,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    timeoutSeconds,
    ...(options.sendInitialEvents && { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' }),
  };
  const end = deadline(ctx.signal, {
    ms: (timeoutSeconds + overdueSeconds) * 1000,
    what: `the watch of ${path}`,
  });
  try {
    const lines = await http.lines({ ...ctx, signal: end.signal }, { method: 'GET', path, query });
    return events(lines, { read: () => frames.join(kind), end, path });
  } catch (error) {
    end.release();
    throw end.reason(error);
  }
}

type Watching = { readonly read: () => FrameReader<Frame>; readonly end: Deadline; readonly path: string };

async function* events(
  lines: AsyncGenerator<string>,
  { read, end, path }: Watching,
): AsyncGenerator<WatchEvent> {
  const reading = read(); // not before: a caller that never reads would never leave
  try {
    for await (const line of lines) {
      if (line !== '') yield eventIn(frameIn(line, reading, path), path);
    }
  } catch (error) {
    throw end.reason(error);
  } finally {
    reading.leave();
    end.release();
  }
}

function eventIn(frame: Frame, path: string): WatchEvent {
  if (frame.type === 'ERROR') throw new KubeError((frame.object ?? {}) as ApiStatus);
  if (types.has(frame.type) && frame.object) return frame as WatchEvent;
  throw new FairleadError('Unavailable', `the watch of ${path} sent an event of unknown type`);
}

/** A line that is no JSON was cut off with its connection. */
function frameIn(line: string, reading: FrameReader<Frame>, path: string): Frame {
  try {
    return reading.read(line);
  } catch (error) {
    throw new FairleadError('Unavailable', `the watch of ${path} broke off`, error);
  }
}
