import type { Application } from '#base/model';
import { deploymentsOf, type PastDeployment } from './history.ts';

/** A sync of the past, of which the status keeps no resources, and what ran before it. */
export type PastOperation = PastDeployment & { readonly before?: string };

/** The syncs in the history but the last operation, which is recorded whole; newest first. */
export function pastOperations(app: Application): PastOperation[] {
  const { operationState, history = [] } = app.status ?? {};
  const deployments = deploymentsOf(app);
  const entry = history.at(-1);
  const isLast = entry !== undefined && entry.deployedAt === operationState?.finishedAt;
  return deployments
    .map((one, at) => {
      const before = deployments[at + 1]?.revision;
      return { ...one, ...(before && { before }) };
    })
    .slice(isLast ? 1 : 0);
}

/** The chosen one; undefined: the last operation. */
export const chosenOperation = (
  past: readonly PastOperation[],
  query: URLSearchParams,
): PastOperation | undefined => past.find(({ id }) => String(id) === query.get('op'));
