import type { JsonPatchOperation } from '#kubernetes/patch';

/**
 * What goes wrong, and where. All parts of `match` must hold; a part that is left out always does. Lists hold
 * patterns in which `*` stands for anything.
 */
export type FaultRule = {
  /** How the rule is spoken of; its place in the list when left out. */
  readonly name?: string;
  readonly match?: FaultMatch;
  readonly effect: FaultEffect;
};

export type FaultMatch = {
  /** get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verbs?: readonly string[];
  /** '' is the core group. */
  readonly groups?: readonly string[];
  /** Plurals; `deployments/scale` for a subresource, which `deployments` alone does not mean. */
  readonly resources?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly names?: readonly string[];
  readonly users?: readonly string[];
  readonly userAgents?: readonly string[];
  /** For what changes objects on their way in: a label selector, and images of their containers. */
  readonly labels?: string;
  readonly images?: readonly string[];
  /** So many in a hundred, chosen by the seed and by what is asked, not by the order in which it is. */
  readonly percent?: number;
  /** Every nth. */
  readonly nth?: number;
  /** At most so often. */
  readonly times?: number;
  /** Not before so much time has passed since the rules were set, and for how long then, as `90s`. */
  readonly after?: string;
  readonly for?: string;
};

/** One rule does one thing. */
export type FaultEffect =
  | { readonly latency: string | { readonly from: string; readonly to: string } }
  /** No answer for so long, then 504. */
  | { readonly timeout: string }
  | { readonly error: number; readonly message?: string; readonly retryAfter?: number }
  /** 409, as if somebody had been faster; of updates and patches only. */
  | { readonly conflict: true }
  /** The connection breaks: `before` anything is done, or `after` it is and only the answer is lost. */
  | { readonly reset: 'before' | 'after' }
  /** What becomes of a watch once so many events (0 when left out) have been sent. */
  | { readonly watch: WatchFault; readonly events?: number }
  /** Groups vanish from discovery, or are shown as those of a server that does not answer. */
  | { readonly discovery: 'missing' | 'stale' }
  | { readonly openapi: 'absent' }
  /** What a policy engine would do: refuse, or change. */
  | { readonly deny: string }
  | { readonly mutate: readonly JsonPatchOperation[] }
  /** Annotations, which is how containers and Knative are told what to become of. */
  | { readonly annotate: Readonly<Record<string, string>> }
  | { readonly outcome: string };

export type WatchFault = 'drop' | 'reset' | 'gone' | 'stall' | 'duplicate-bookmarks' | 'no-bookmarks';

/** The kind of thing an effect does: where in the server it takes place. */
export type FaultStage = 'request' | 'watch' | 'discovery' | 'openapi' | 'admission';

export function stageOf(effect: FaultEffect): FaultStage {
  if ('watch' in effect) return 'watch';
  if ('discovery' in effect) return 'discovery';
  if ('openapi' in effect) return 'openapi';
  return 'deny' in effect || 'mutate' in effect || 'annotate' in effect || 'outcome' in effect
    ? 'admission'
    : 'request';
}
