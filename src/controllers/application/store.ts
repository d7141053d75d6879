import { hasReason, type KubeClient } from '#kube';
import type { Informer } from '#live';
import type { Application, ApplicationStatus, Operation, OperationState } from '#model';
import { createMergePatch } from '#patch';
import type { Ctx } from '#std';

/** Reads and writes Applications, one small patch at a time. Every write is seen by our next read (compat R-2). */
export type Applications = {
  /** From memory; undefined when there is none. */
  get(key: string): Application | undefined;
  all(): readonly Application[];
  /** From the API server: what an operation acts on must be the newest (compat R-32). */
  fetch(ctx: Ctx, key: string): Promise<Application | undefined>;
  /** Writes what differs, and nothing when nothing does. */
  saveStatus(ctx: Ctx, app: Application, next: ApplicationStatus): Promise<Application>;
  /** Writes the operation's state; a finished one takes the request away in the same patch (compat A-22). */
  saveOperation(
    ctx: Ctx,
    app: Application,
    next: { state: OperationState; status?: Partial<ApplicationStatus>; isDone: boolean },
  ): Promise<Application>;
  /** False when somebody else was quicker (compat R-29). */
  request(ctx: Ctx, app: Application, operation: Operation): Promise<boolean>;
  patch(ctx: Ctx, app: Application, body: object): Promise<Application>;
};

export const keyOfApp = ({ metadata }: Pick<Application, 'metadata'>): string =>
  `${metadata.namespace ?? ''}/${metadata.name}`;

type Deps = { readonly kube: Pick<KubeClient, 'find' | 'patch'>; readonly informer: Informer<Application> };

export function createApplications({ kube, informer }: Deps): Applications {
  const refOf = (key: string) => {
    const [namespace = '', name = ''] = key.split('/');
    return { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace, name };
  };
  const patch: Applications['patch'] = async (ctx, app, body) => {
    const written = await kube.patch(ctx, refOf(keyOfApp(app)), { type: 'merge', body });
    informer.put(written as Application);
    return written as Application;
  };
  const patchStatus = async (ctx: Ctx, app: Application, next: ApplicationStatus, more: object) => {
    const changes = createMergePatch({ status: app.status ?? {} }, { status: next }) as object;
    const body = { ...changes, ...more };
    return Object.keys(body).length === 0 ? app : patch(ctx, app, body);
  };
  return {
    get: (key) => {
      const { namespace, name } = refOf(key);
      return informer.get(namespace, name);
    },
    all: () => informer.list(),
    fetch: async (ctx, key) => (await kube.find(ctx, refOf(key))) as Application | undefined,
    saveStatus: (ctx, app, next) => patchStatus(ctx, app, next, {}),
    saveOperation: (ctx, app, { state, status, isDone }) => {
      const next = { ...app.status, ...status, operationState: state };
      return patchStatus(ctx, app, next, isDone ? { operation: null } : {});
    },
    request: async (ctx, app, operation) => {
      const { resourceVersion } = app.metadata;
      try {
        // compat A-21: setting one clears the state of the last, under the version that was looked at
        const status = app.status?.operationState ? { status: { operationState: null } } : {};
        await patch(ctx, app, { metadata: { resourceVersion }, operation, ...status });
        return true;
      } catch (error) {
        if (hasReason(error, 'Conflict')) return false;
        throw error;
      }
    },
    patch,
  };
}
