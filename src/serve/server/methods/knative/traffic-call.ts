import type { Application } from '#base/model';
import { FairleadError } from '#base/std';
import type { Permit, TrafficDeps, TrafficOrder } from '#control/traffic';
import type { TrafficRequest } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import { findApplication, onApplication } from '../applications/find.ts';
import type { MethodDeps } from '../deps.ts';
import { onRepository } from '../repositories/repository-deps.ts';

export type KnativeDeps = MethodDeps & {
  /** Where traffic is read from and pushed to. */
  readonly traffic: Pick<TrafficDeps, 'sources' | 'writerOf'>;
};

export const trafficDeps = ({ context, kube, traffic }: KnativeDeps): TrafficDeps => ({
  context,
  kube,
  ...traffic,
});

type Mode = TrafficOrder['mode'];

/** decision 56: what a change needs; an override leaves what Git declares, as a sync of local manifests does. */
export const actionsFor = (mode: Mode): readonly string[] =>
  mode === 'override' ? ['update', 'override'] : ['update'];

/** The application, for a caller that may change its traffic in this way. */
export function findForTraffic(deps: KnativeDeps, call: MethodCall, mode: Mode): Application {
  const app = findApplication(deps, { ...call, body: undefined }, 'get');
  for (const action of actionsFor(mode)) call.permissions.require(onApplication(deps, app, action));
  return app;
}

/**
 * decision 56: credentials of the project serve its applications; those of no project, and a folder of this machine, are the
 * operators' own, and need their permission as well.
 */
export const permitFor =
  ({ permissions }: MethodCall): Permit =>
  ({ isShared }, url) => {
    if (isShared) permissions.require(onRepository('repository-write', 'update', { url }));
  };

export function orderOf({ body, user }: MethodCall<TrafficRequest>): TrafficOrder {
  const { action, to, percent, tag, targets, mode = 'commit', reason = '', ...rest } = body;
  const { service, namespace, branch, expect } = rest;
  const common = { service, namespace, mode, branch, reason, expect, by: user?.username || 'unknown user' };
  if (mode === 'override' && branch)
    throw invalid('an override has no branch: leave out branch, or use mode commit');
  if (action === 'split') {
    if (!targets?.length || to || percent !== undefined)
      throw invalid('a split needs targets, each with a percentage, and nothing else');
    return { ...common, intent: { action, targets } };
  }
  if (targets) throw invalid(`${action} takes one revision: give to, or use split for several`);
  return { ...common, intent: { action, to, percent, tag } };
}

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);
