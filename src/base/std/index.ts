/**
 * std: what the language's library lacks. It has nothing of Kubernetes, Git or GitOps.
 *
 * Invariants
 * (1) Nothing here does I/O. Time comes from a Clock; the one real timer of the house is in clock.ts.
 * (2) FairleadError is the only error class that crosses a room, and its code alone decides what happens next.
 * (3) runAll() returns only when everything it started has stopped.
 * (4) parseJson ∘ printJson is the identity, integers of any size included.
 * (5) equal() and clone() treat `__proto__` as an ordinary key; no call can change a prototype.
 */
export { abridge } from './abridge.ts';
export { type Backoff, delayOf } from './backoff.ts';
export { fromBase64, toBase64 } from './base64.ts';
export { Budget } from './budget.ts';
export { type Clock, realClock } from './clock.ts';
export { clone } from './clone.ts';
export { atOnce } from './concurrency.ts';
export { type Ctx, deadline, within } from './ctx.ts';
export { equal } from './equal.ts';
export { type ErrorCode, FairleadError } from './errors.ts';
export { FailureNews } from './failure-news.ts';
export { freeze } from './freeze.ts';
export { compileGlob, compilePathPattern, type Glob } from './glob.ts';
export { sha256 } from './hash.ts';
export { joined } from './joined.ts';
export { parseJson, printJson } from './json.ts';
export { isObject, type JsonObject } from './json-object.ts';
export { type LogFields, type Logger, silent } from './log.ts';
export { Lru } from './lru.ts';
export { onAbort } from './on-abort.ts';
export type { Records } from './records.ts';
export { runAll, type Task } from './run-all.ts';
export {
  comparePreReleases,
  compareVersions,
  readVersion,
  type SemanticVersion,
  versionIdentifiers,
} from './semantic-version.ts';
export { Semaphore } from './semaphore.ts';
export { SingleFlight } from './single-flight.ts';
export { Tasks } from './tasks.ts';
export { findTimeZone, offsetAt, offsetChange, type TimeZone, utcZone } from './time-zone.ts';
export { type VirtualClock, virtualClock } from './virtual-clock.ts';
