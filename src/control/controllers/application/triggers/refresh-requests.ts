import { type Application, refreshRequest } from '#base/model';
import { deeper, type RefreshLevel } from '#engine';

/** A look that something asked for. */
export type RefreshRequest = {
  readonly level: RefreshLevel;
  /** When it was asked for last; what is found out about a repository after this is new enough. */
  readonly at: number;
  /** Nothing but pushes asked for it: where they do not touch the application, there is nothing to look at. */
  readonly isPush: boolean;
};

/** What was asked for and not done yet, by the key of the application. */
export class RefreshRequests {
  readonly #held = new Map<string, RefreshRequest>();

  /** compat R-5: of two requests the deeper one is kept. */
  note(
    key: string,
    { level, at, isPush = false }: Omit<RefreshRequest, 'isPush'> & { isPush?: boolean },
  ): void {
    const before = this.#held.get(key);
    this.#held.set(key, {
      level: before ? deeper(before.level, level) : level,
      at: Math.max(before?.at ?? 0, at),
      isPush: isPush && before?.isPush !== false,
    });
  }

  take(key: string): RefreshRequest | undefined {
    const held = this.#held.get(key);
    this.#held.delete(key);
    return held;
  }
}

/**
 * Since when what a repository says is new enough for a look; undefined: only what it says from now on. A request for something
 * less may be older than the annotation, or the change of the spec, for which the repository is asked now.
 */
export function requestedSince(request: RefreshRequest | undefined, app: Application): number | undefined {
  return request?.level === 'resolved' && refreshRequest(app) === undefined ? request.at : undefined;
}

/** What a look that failed still owes: one as deep as was asked for, be it by annotation, which has been answered by now. */
export function remainingRequest(
  request: RefreshRequest | undefined,
  app: Application,
  now: number,
): RefreshRequest | undefined {
  if (refreshRequest(app) !== undefined) return { level: 'resolved', at: now, isPush: false };
  return request && { ...request, isPush: false };
}
