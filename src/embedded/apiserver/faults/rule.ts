import type { JsonPatchOperation } from '#kubernetes/patch';

/**
 * A fault and the requests that it applies to. All parts of `match` must hold; a part that is left out always
 * does. Lists contain patterns in which `*` matches anything.
 */
export type FaultRule = {
  /** The name in reports; the index in the list when left out. */
  readonly name?: string;
  readonly match?: FaultMatch;
  readonly effect: FaultEffect;
};

export type FaultMatch = {
  /** get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verbs?: readonly string[];
  /** '' is the core group. */
  readonly groups?: readonly string[];
  /** Plurals; `deployments/scale` for a subresource, which `deployments` alone does not match. */
  readonly resources?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly names?: readonly string[];
  readonly users?: readonly string[];
  readonly userAgents?: readonly string[];
  /** For faults that change objects at admission: a label selector, and images of their containers. */
  readonly labels?: string;
  readonly images?: readonly string[];
  /** So many in a hundred, chosen by the seed and the request, not by the order of requests. */
  readonly percent?: number;
  /** Every nth. */
  readonly nth?: number;
  /** At most so often. */
  readonly times?: number;
  /** Not before so much time has passed since the rules were set, and for how long then, as `90s`. */
  readonly after?: string;
  readonly for?: string;
};

/** One rule has one effect. */
export type FaultEffect =
  | { readonly latency: string | { readonly from: string; readonly to: string } }
  /** No response for so long, then 504. */
  | { readonly timeout: string }
  | { readonly error: number; readonly message?: string; readonly retryAfter?: number }
  /** 409, as if another client had written first; of updates and patches only. */
  | { readonly conflict: true }
  /** The connection breaks: `before` the request is processed, or `after`, so that only the response is lost. */
  | { readonly reset: 'before' | 'after' }
  /** The fault of a watch once so many events (0 when left out) have been sent. */
  | { readonly watch: WatchFault; readonly events?: number }
  /** Groups are missing in discovery, or marked stale as if their server were unreachable. */
  | { readonly discovery: 'missing' | 'stale' }
  | { readonly openapi: 'absent' }
  /** The effects of a policy engine: refuse, or change. */
  | { readonly deny: string }
  | { readonly mutate: readonly JsonPatchOperation[] }
  /** Annotations, which control the simulated containers and Knative. */
  | { readonly annotate: Readonly<Record<string, string>> }
  | { readonly outcome: string };

export type WatchFault = 'drop' | 'reset' | 'gone' | 'stall' | 'duplicate-bookmarks' | 'no-bookmarks';

/** The kind of effect: the stage of a request at which it applies. */
export type FaultStage = 'request' | 'watch' | 'discovery' | 'openapi' | 'admission';

export function stageOf(effect: FaultEffect): FaultStage {
  if ('watch' in effect) return 'watch';
  if ('discovery' in effect) return 'discovery';
  if ('openapi' in effect) return 'openapi';
  return 'deny' in effect || 'mutate' in effect || 'annotate' in effect || 'outcome' in effect
    ? 'admission'
    : 'request';
}
