import { type Application, refreshRequest } from '#base/model';
import { deeper, type RefreshLevel } from '#engine';

/** A requested refresh. */
export type RefreshRequest = {
  readonly level: RefreshLevel;
  /** The time of the last request; revisions resolved after this are fresh enough. */
  readonly at: number;
  /** Only pushes requested it: if they do not touch the application, no refresh is needed. */
  readonly isPush: boolean;
};

/** The pending refresh requests, by the key of the application. */
export class RefreshRequests {
  readonly #held = new Map<string, RefreshRequest>();

  /** compat engine R-5: of two requests the deeper one is kept. */
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
 * Since when a resolved revision is fresh enough for a refresh; undefined: resolve again. A request of a lower level may be
 * older than the annotation, or the change of the spec, that requires resolving now.
 */
export function requestedSince(request: RefreshRequest | undefined, app: Application): number | undefined {
  return request?.level === 'resolved' && refreshRequest(app) === undefined ? request.at : undefined;
}

/**
 * The request that a failed refresh leaves behind: as deep as the original, also if that was an annotation, which is removed
 * by now.
 */
export function remainingRequest(
  request: RefreshRequest | undefined,
  app: Application,
  now: number,
): RefreshRequest | undefined {
  if (refreshRequest(app) !== undefined) return { level: 'resolved', at: now, isPush: false };
  return request && { ...request, isPush: false };
}
