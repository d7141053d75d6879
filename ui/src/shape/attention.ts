import {
  type Application,
  type ApplicationCondition,
  type Health,
  type HealthCode,
  isErrorCondition,
  type OperationState,
} from '#base/model';
import { failingSync, isUnderway } from './failing-sync.ts';
import { causeOf } from './innermost-cause.ts';
import { counted } from './span.ts';
import { healthCode } from './state.ts';

/**
 * Why an application needs a user. The one rule for it: the headline, the side bar, the list, the page and the browser's
 * tab count and name the same applications.
 */
export type Attention = {
  readonly cause: 'error' | 'sync' | 'blocked' | 'health' | 'warning';
  /** In a few words, for a row of the list. */
  readonly text: string;
};

const known = new WeakMap<Application, { readonly found: Attention | undefined }>(); // one that changes is another object

/** The most pressing reason; undefined: it is all right, or will be without a user. */
export function attentionOf(app: Application): Attention | undefined {
  const before = known.get(app);
  if (before) return before.found;
  const found = mostPressing(app);
  known.set(app, { found });
  return found;
}

function mostPressing(app: Application): Attention | undefined {
  const { status } = app;
  const conditions = status?.conditions ?? [];
  const error = errorIn(conditions);
  if (error) return { cause: 'error', text: errorText(error) };
  const state = status?.operationState;
  const failing = failingSync(state);
  if (failing) {
    const { cause, failures } = failing;
    const times = failures > 1 ? ` ${counted(failures, 'time')}` : '';
    return { cause: 'sync', text: `Sync failed${times}${cause ? `: ${cause}` : ''}` };
  }
  const blocked = blockedBy(state);
  if (blocked) return { cause: 'blocked', text: capital(blocked) };
  if (isTroubled(app)) return { cause: 'health', text: healthText(app) };
  const warning = conditions.find(isMisconfiguration);
  return warning && { cause: 'warning', text: firstLine(warning.message) };
}

export const needsAttention = (app: Application): boolean => attentionOf(app) !== undefined;

/** The error that the page opens with: not that of a sync, which the operation explains better. */
export const errorIn = (conditions: readonly ApplicationCondition[]): ApplicationCondition | undefined =>
  conditions.find((one) => isErrorCondition(one) && one.type !== 'SyncError');

function errorText({ type, message }: ApplicationCondition): string {
  const { text } = causeOf(message);
  if (type === 'DeletionError') return `Cannot be deleted: ${text}`;
  return type === 'InvalidSpecError' ? `Invalid spec: ${text}` : `Cannot compare: ${text}`;
}

/** Progressing and Suspended are transient, or on purpose. */
const troubled: ReadonlySet<HealthCode> = new Set(['Degraded', 'Missing', 'Unknown']);

/** One that is new has no health yet, and one that is being created is not lost. */
function isTroubled({ status, operation }: Application): boolean {
  const isNew = !status?.health && !status?.sync;
  const health = healthCode(status?.health?.status);
  const isComing = health === 'Missing' && (operation !== undefined || isUnderway(status?.operationState));
  return !isNew && !isComing && (troubled.has(health) || isStuck(status?.health));
}

/** What comes, and cannot by itself: the cluster reports Degraded only when the deadline of the rollout is over. */
const isStuck = (health: Health | undefined): boolean =>
  health?.status === 'Progressing' &&
  /\b(?:ErrImagePull|ImagePullBackOff|InvalidImageName|CrashLoopBackOff|CreateContainerConfigError)\b/.test(
    health.message ?? '',
  );

function healthText({ status }: Application): string {
  const { message, status: health = 'Unknown' } = status?.health ?? {};
  return message ? `${health}: ${causeOf(message).text}` : health;
}

/** What only a user or another actor can end: a confirmation, a window, a limit, a cluster that does not respond. */
const blocking =
  /^(?:sync is blocked\b|blocked by\b|waiting for the cluster\b|waiting for .* to be confirmed\b)/;

/** Why an operation that runs does not continue; undefined: it does. */
export function blockedBy(state: OperationState | undefined): string | undefined {
  const message = state?.message ?? '';
  return isUnderway(state) && blocking.test(message) ? firstLine(message) : undefined;
}

/** Orphans are no mistake of this application; every other warning is about how it is written. */
const isMisconfiguration = (one: ApplicationCondition): boolean =>
  !isErrorCondition(one) && one.type !== 'OrphanedResourceWarning';

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const firstLine = (text: string): string => text.split('\n')[0] ?? '';
