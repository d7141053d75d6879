import {
  type Application,
  type ComparedTo,
  effectiveSources,
  type Health,
  isAutomated,
  type KubeObject,
  parseTime,
  sameDestination,
  sameSources,
} from '#base/model';
import { fieldManager } from '../diff/field-manager.ts';
import { healthy, progressing } from './verdict.ts';

/** How a child Application counts for its parent (engine X-1). `off` is Argo CD's behaviour: not at all. */
type ChildHealth = 'off' | 'mirror' | 'strict';

export type ChildOptions = {
  readonly mode: ChildHealth;
  /** When the parent last applied this child; a status older than that refers to the previous spec. */
  readonly appliedAt?: string;
  /** engine X-3: how long a child may be Degraded before a strict parent believes it. Needs `now`. */
  readonly degradedGraceSeconds?: number;
  readonly now?: Date;
};

export function applicationHealth(object: KubeObject, options: ChildOptions): Health | undefined {
  if (options.mode === 'off') return undefined;
  const child = object as Application;
  const reported = child.status?.health;
  if (!reported?.status) return progressing('waiting for the application to report its health');
  if (options.mode === 'strict') {
    const unsettled = reasonUnsettled(child, options.appliedAt ?? appliedAt(child));
    if (unsettled) return progressing(unsettled);
    if (inGrace(reported, options)) return progressing(graceMessage(reported));
  }
  const { status, message } = reported;
  if (status === 'Healthy') return healthy(message);
  return message ? { status, message } : { status };
}

const graceMessage = ({ message }: Health): string =>
  `degraded, and given time to recover${message ? `: ${message}` : ''}`;

/** engine X-3: Degraded since less than the grace period, counted from the later of its beginning and our apply. */
export function inGrace(health: Health, { appliedAt, degradedGraceSeconds = 0, now }: ChildOptions): boolean {
  if (health.status !== 'Degraded' || degradedGraceSeconds <= 0 || !now) return false;
  const since = Math.max(parseTime(health.lastTransitionTime) ?? 0, parseTime(appliedAt) ?? 0);
  return now.getTime() - since < degradedGraceSeconds * 1000;
}

/**
 * When a parent last applied it server-side. Only an Apply entry counts: the status of an Application is
 * written to the same resource, so the time of our other entries moves with every reconciliation.
 */
const appliedAt = ({ metadata }: KubeObject): string | undefined =>
  metadata.managedFields?.find(
    ({ manager, operation, subresource }) =>
      manager === fieldManager && operation === 'Apply' && !subresource,
  )?.time;

/** engine X-2: a child that has not digested its new spec still shows the health of the old one. */
function reasonUnsettled(child: Application, appliedAt: string | undefined): string | undefined {
  const { operationState, sync, reconciledAt } = child.status ?? {};
  if (child.operation) return 'an operation is requested';
  if (operationState && !isComplete(operationState.phase)) return 'an operation is running';
  if (!isComparedTo(child, sync?.comparedTo)) return 'the new spec is not compared yet';
  const applied = parseTime(appliedAt);
  if (applied !== undefined && (parseTime(reconciledAt) ?? 0) < applied) {
    return 'the application was not reconciled since it was applied';
  }
  if (isAutomated(child.spec) && sync?.status !== 'Synced')
    return `automated sync is pending: ${sync?.status}`;
  return undefined;
}

const isComplete = (phase: string): boolean =>
  phase === 'Succeeded' || phase === 'Failed' || phase === 'Error';

function isComparedTo({ spec }: Application, compared: ComparedTo | undefined): boolean {
  if (!compared || !sameDestination(compared.destination, spec.destination)) return false;
  const before = compared.sources ?? (compared.source ? [compared.source] : []);
  return sameSources(before, effectiveSources(spec));
}
