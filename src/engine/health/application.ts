import {
  type Application,
  type ComparedTo,
  effectiveSources,
  type Health,
  isAutomated,
  type KubeObject,
  sameDestination,
  sameSources,
} from '#model';
import { healthy, progressing } from './verdict.ts';

/** What a parent sees of a child Application. `off` is Argo CD's own answer: nothing. */
export type ChildHealth = 'off' | 'mirror' | 'strict';

export type ChildOptions = {
  readonly mode: ChildHealth;
  /** When the parent last applied this child; a status older than that speaks of the spec before. */
  readonly appliedAt?: string;
};

export function applicationHealth(object: KubeObject, options: ChildOptions): Health | undefined {
  if (options.mode === 'off') return undefined;
  const child = object as Application;
  const reported = child.status?.health;
  if (!reported?.status) return progressing('waiting for the application to report its health');
  if (options.mode === 'strict') {
    const unsettled = reasonUnsettled(child, options.appliedAt);
    if (unsettled) return progressing(unsettled);
  }
  const { status, message } = reported;
  if (status === 'Healthy') return healthy(message);
  return message ? { status, message } : { status };
}

/** a child that has not digested its new spec still shows the health of the old one. */
function reasonUnsettled(child: Application, appliedAt: string | undefined): string | undefined {
  const { operationState, sync, reconciledAt } = child.status ?? {};
  if (child.operation) return 'an operation is requested';
  if (operationState && !isComplete(operationState.phase)) return 'an operation is running';
  if (!isComparedTo(child, sync?.comparedTo)) return 'the new spec is not compared yet';
  if (appliedAt && (!reconciledAt || Date.parse(reconciledAt) < Date.parse(appliedAt))) {
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
