import type { JsonObject } from '#kubernetes/schema';
import type { RevisionProbe } from '../view.ts';
import {
  both,
  explained,
  invalid,
  type KnativeProblem,
  neither,
  outOfBounds,
  said,
  under,
  unmasked,
} from './problem.ts';

/** The largest number Go keeps in 32 bits. */
export const maxInt32 = 2_147_483_647;

const handlers = { httpGet: 'httpGet', tcpSocket: 'tcpSocket', exec: 'exec', grpc: 'gRPC' } as const;

/** A probe of the serving container; it may name only that container's port. */
export function ofProbe(probe: RevisionProbe | undefined, portName: string): KnativeProblem[] {
  return probe ? ofHandlers(probe, (port) => mismatch(port, portName)) : [];
}

/** A probe of a sidecar, where those are allowed at all. */
export function ofSidecarProbe(probe: RevisionProbe | undefined, isAllowed: boolean): KnativeProblem[] {
  if (!probe) return [];
  return isAllowed ? ofHandlers(probe, unspecified) : forbidden(probe);
}

/**
 * compat cluster 5.6: the handler is embedded in the probe, so its problems are reported without a name of its
 * own.
 */
function forbidden(probe: RevisionProbe): KnativeProblem[] {
  const names = Object.keys(handlers);
  return unmasked(probe, () => false).map((problem) => ({
    ...problem,
    paths: problem.paths.map((field) => (names.includes(field) ? '' : field)),
  }));
}

const mismatch = (port: unknown, name: string): string | undefined =>
  typeof port === 'string' && port !== '' && port !== name
    ? 'Probe port must match container port'
    : undefined;

const unspecified = (port: unknown): string | undefined =>
  port === '' || port === 0 || port === undefined ? 'Probe port must be specified' : undefined;

function ofHandlers(probe: RevisionProbe, wrong: (port: unknown) => string | undefined): KnativeProblem[] {
  let found: KnativeProblem[] = [];
  const set: string[] = [];
  for (const [field, name] of Object.entries(handlers)) {
    const handler = probe[field] as JsonObject | undefined;
    if (handler === undefined) continue;
    set.push(name);
    // compat cluster 5.6: problems found before are reported as if they were below this handler
    found = under(field, found);
    const why = field === 'httpGet' || field === 'tcpSocket' ? wrong(handler.port) : undefined;
    if (why) found.push(explained(invalid(handler.port ?? 0, `${field}.port`), why));
  }
  if (set.length === 0) return [...found, neither('httpGet', 'tcpSocket', 'exec', 'grpc')];
  return set.length > 1 ? [...found, both(...set)] : found;
}

/**
 * compat cluster 5.6: a readiness probe without a period is Knative's own and must not set failureThreshold or
 * timeoutSeconds.
 */
export function ofReadiness(probe: RevisionProbe | undefined): KnativeProblem[] {
  if (!probe) return [];
  const number = (field: string): number => Number(probe[field] ?? 0);
  const atLeast = (least: number, field: string): KnativeProblem[] =>
    number(field) < least ? [outOfBounds(number(field), least, maxInt32, field)] : [];
  const found = [
    ...atLeast(0, 'periodSeconds'),
    ...atLeast(0, 'initialDelaySeconds'),
    ...atLeast(1, 'successThreshold'),
  ];
  if (number('periodSeconds') !== 0)
    return [...found, ...atLeast(1, 'timeoutSeconds'), ...atLeast(1, 'failureThreshold')];
  const pointless = ['failureThreshold', 'timeoutSeconds'].filter((field) => number(field) !== 0);
  return [
    ...found,
    ...pointless.map((field) => said(`${field} is disallowed when periodSeconds is zero`, field)),
  ];
}
