import {
  type Application,
  effectiveSources,
  hasMultipleSources,
  parseTime,
  refreshRequest,
  type Settings,
  sameDestination,
  sameSources,
} from '#base/model';
import { equal } from '#base/std';

/**
 * The level of a refresh. Argo CD's levels 0 to 3: rebuild the tree only; compare with the recorded revision;
 * with the tracked one; with the tracked one resolved again.
 */
export type RefreshLevel = 'tree' | 'recorded' | 'tracked' | 'resolved';
export type Refresh = {
  readonly level: RefreshLevel;
  /** compat engine R-9: bypass the cache of rendered manifests too. */
  readonly hard: boolean;
  readonly why: string;
};

const levels: readonly RefreshLevel[] = ['tree', 'recorded', 'tracked', 'resolved'];

/** compat engine R-5: of two requests the deeper one is kept. */
export function deeper(a: RefreshLevel, b: RefreshLevel): RefreshLevel {
  return levels.indexOf(a) >= levels.indexOf(b) ? a : b;
}

/** compat engine R-6: only a refresh with the tracked revision is a reconciliation. */
export const isReconciliation = (level: RefreshLevel): boolean => levels.indexOf(level) >= 2;

/**
 * compat engine R-10: when the timer refreshes next, with `random` in [0, 1) to spread a thousand
 * applications over the jitter; undefined: never. Only the timer is spread; changes and requested refreshes
 * run when they arrive.
 */
export function timerDelay(
  { intervalMs, jitterMs }: Pick<Settings['refresh'], 'intervalMs' | 'jitterMs'>,
  random: number,
): number | undefined {
  return intervalMs > 0 ? intervalMs + random * jitterMs : undefined;
}

export type RefreshOptions = {
  readonly now: Date;
  readonly intervals: Pick<Settings['refresh'], 'intervalMs' | 'hardIntervalMs'>;
  /** The level that an event requested, if any. */
  readonly requested?: RefreshLevel;
};

/**
 * How deep an application must be compared now, and why; undefined when there is no reason to. dev engine R-8: the deepest reason
 * wins, and any of them can make it hard. In Argo CD the first reason wins, so a push that arrives when the timer is due is
 * compared with cached refs and lost. Of equally deep reasons the first one is reported, in Argo CD's order.
 */
export function neededRefresh(app: Application, options: RefreshOptions): Refresh | undefined {
  const [first, ...more] = [
    requestedRefresh(app),
    sourceChange(app),
    timers(app, options),
    specChange(app),
    requested(options),
  ].flatMap((reason) => reason ?? []);
  if (!first) return undefined;
  const deepest = more.reduce((found, next) => (isDeeper(next, found) ? next : found), first);
  return { ...deepest, hard: [first, ...more].some(({ hard }) => hard) };
}

const isDeeper = (a: Refresh, b: Refresh): boolean => levels.indexOf(a.level) > levels.indexOf(b.level);

function requestedRefresh(app: Application): Refresh | undefined {
  const request = refreshRequest(app);
  return request && { level: 'resolved', hard: request === 'hard', why: 'a refresh was requested' };
}

function sourceChange({ spec, status }: Application): Refresh | undefined {
  const compared = status?.sync?.comparedTo;
  if (!compared) return undefined;
  const single = compared.source ? [compared.source] : [];
  const before = hasMultipleSources(spec) ? (compared.sources ?? []) : single;
  if (sameSources(before, effectiveSources(spec))) return undefined;
  return { level: 'resolved', hard: false, why: 'spec.source has changed' };
}

function timers(app: Application, { now, intervals }: RefreshOptions): Refresh | undefined {
  const { intervalMs, hardIntervalMs } = intervals;
  const last = parseTime(app.status?.reconciledAt);
  if (last === undefined)
    return { level: 'tracked', hard: hardIntervalMs > 0, why: 'it was never reconciled' };
  const age = now.getTime() - last;
  if (hardIntervalMs > 0 && age >= hardIntervalMs)
    return { level: 'tracked', hard: true, why: 'the hard refresh is due' };
  if (intervalMs > 0 && age >= intervalMs)
    return { level: 'tracked', hard: false, why: 'the refresh is due' };
  return undefined;
}

function specChange({ spec, status }: Application): Refresh | undefined {
  const compared = status?.sync?.comparedTo;
  const tracked = (why: string): Refresh => ({ level: 'tracked', hard: false, why });
  if (compared && !sameDestination(compared.destination, spec.destination))
    return tracked('spec.destination has changed');
  const wanted = spec.syncPolicy?.managedNamespaceMetadata;
  const applied = status?.operationState?.syncResult;
  if (wanted && applied && !equal(applied.managedNamespaceMetadata, wanted)) {
    return tracked('managedNamespaceMetadata has changed');
  }
  const ignored = spec.ignoreDifferences ?? [];
  if (compared && !equal(compared.ignoreDifferences ?? [], ignored))
    return tracked('ignoreDifferences have changed');
  return undefined;
}

function requested({ requested: level }: RefreshOptions): Refresh | undefined {
  return level && { level, hard: false, why: 'something it manages has changed' };
}
