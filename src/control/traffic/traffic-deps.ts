import type { Application, WriteAccess } from '#base/model';
import type { AppDestination, ComparisonDeps } from '#control/comparison';
import type { TrafficIntent } from '#engine/traffic';
import type { KubeClient } from '#kubernetes/client';
import type { Sources } from '#sources/repositories';

/** What traffic is read from and written to. */
export type TrafficDeps = {
  readonly context: ComparisonDeps;
  /** Of the control plane, for the Application itself. */
  readonly kube: Pick<KubeClient, 'get' | 'patch'>;
  readonly sources: Pick<Sources, 'listRefs' | 'resolveRevision' | 'openTree' | 'push'>;
  /** The credentials that were declared for pushing to a repository from applications of a project. */
  writerOf(url: string, project: string): WriteAccess | undefined;
};

/** An application and where it is deployed. */
export type AppAtDestination = { readonly app: Application; readonly destination: AppDestination };

/** A request to change the traffic of a Service. */
export type TrafficOrder = {
  /** Left out: the only Knative Service of the application. */
  readonly service?: string | undefined;
  readonly namespace?: string | undefined;
  readonly intent: TrafficIntent;
  readonly mode: 'commit' | 'override';
  /** Pushed to instead of the branch that the application tracks. */
  readonly branch?: string | undefined;
  readonly reason: string;
  /** The user, for the commit or the record. */
  readonly by: string;
  /** The hash of the plan that the user has seen; another one is refused. */
  readonly expect?: string | undefined;
};
