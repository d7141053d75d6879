import { type Application, isErrorCondition } from '#base/model';

/** The most important message, and whether it is an error or only takes time. */
export type Headline = { readonly label: 'Problem' | 'Waiting'; readonly text: string };

/**
 * Why an application is not synced and healthy, in one line; undefined: it is, or its state is not known yet.
 * Comparison errors come first, then a failed operation, then its health.
 */
export function headlineOf({ status = {} }: Application): Headline | undefined {
  const { conditions = [], operationState: last, health } = status;
  const errors = conditions.filter(isErrorCondition);
  const error = errors.find(({ type }) => type !== 'SyncError') ?? errors[0];
  const [first] = [
    error?.type !== 'SyncError' && error ? problem(error.message) : undefined,
    isFailed(last?.phase) && last?.message ? problem(last.message) : undefined,
    last?.phase === 'Running' && last.message ? waiting(last.message) : undefined,
    error && problem(error.message),
    health?.message && isBad(health.status) ? problem(`${health.status}: ${health.message}`) : undefined,
    health?.message && health.status === 'Progressing' ? waiting(health.message) : undefined,
  ].filter((one) => one !== undefined);
  return first;
}

const isFailed = (phase: string | undefined): boolean => phase === 'Failed' || phase === 'Error';
const isBad = (code: string | undefined): boolean =>
  code === 'Degraded' || code === 'Missing' || code === 'Unknown';

const problem = (text: string): Headline => ({ label: 'Problem', text: oneLine(text) });
const waiting = (text: string): Headline => ({ label: 'Waiting', text: oneLine(text) });

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ').trim();
