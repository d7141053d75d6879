import {
  type Application,
  type ApplicationStatus,
  annotation,
  type Operation,
  type OperationState,
  setApplicationConditions,
  standingAnnotations,
} from '#base/model';
import { type Ctx, equal, FairleadError } from '#base/std';
import type { Informer } from '#control/live';
import { hasReason, type KubeClient } from '#kubernetes/client';
import { createMergePatch } from '#kubernetes/patch';

/** Reads and writes Applications, one small patch at a time. This process reads its own writes (compat engine R-2). */
export type Applications = {
  /** From the informer's cache; undefined when there is none. */
  get(key: string): Application | undefined;
  all(): readonly Application[];
  /** From the API server: an operation must act on the newest version (compat engine R-32). */
  fetch(ctx: Ctx, key: string): Promise<Application | undefined>;
  /** Patches the fields that differ; sends no request when none does. */
  saveStatus(ctx: Ctx, app: Application, next: ApplicationStatus): Promise<Application>;
  /**
   * The same for a refresh requested by annotation on `app`: removes that annotation, and keeps a newer request (compat
   * engine §1.12).
   */
  answer(ctx: Ctx, app: Application, next: ApplicationStatus): Promise<Application>;
  /**
   * Writes the operation's state; when the operation is finished, removes `operation` in the same patch (compat engine A-22).
   * Throws Conflict when another writer changed the operation since `app` was read: the record is then that writer's.
   */
  saveOperation(
    ctx: Ctx,
    app: Application,
    next: { state: OperationState; status?: Partial<ApplicationStatus>; isDone: boolean },
  ): Promise<Application>;
  /**
   * Requests an operation and writes the status in the same patch; removes the refresh annotation if it is still the one on
   * `app`. Retries over unrelated concurrent writes. Returns undefined, and writes nothing, when an operation exists by now
   * or the spec, the annotations or the deletion timestamp changed (compat engine R-29).
   */
  request(
    ctx: Ctx,
    app: Application,
    operation: Operation,
    status?: ApplicationStatus,
  ): Promise<Application | undefined>;
  patch(ctx: Ctx, app: Application, body: object): Promise<Application>;
};

export const keyOfApp = ({ metadata }: Pick<Application, 'metadata'>): string =>
  `${metadata.namespace ?? ''}/${metadata.name}`;

/** compat engine §0: a bare name is in the control plane's namespace, `<namespace>_<name>` in another one. */
export function keyOfInstance(instance: string, home: string): string {
  const at = instance.indexOf('_');
  return at < 0 ? `${home}/${instance}` : `${instance.slice(0, at)}/${instance.slice(at + 1)}`;
}

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
  const saveStatus = async (ctx: Ctx, app: Application, next: ApplicationStatus, more: object = {}) => {
    try {
      return await patchStatus(ctx, app, next, more);
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      return patchStatus(ctx, app, sayTooLarge(app, ctx.clock.now()), more);
    }
  };
  const fetch: Applications['fetch'] = async (ctx, key) =>
    (await kube.find(ctx, refOf(key))) as Application | undefined;
  const fetchIf = async (ctx: Ctx, app: Application, isSame: typeof isUnchangedForDecision) => {
    const now = await fetch(ctx, keyOfApp(app));
    return now && isSame(now, app) ? now : undefined;
  };
  return {
    get: (key) => {
      const { namespace, name } = refOf(key);
      return informer.get(namespace, name);
    },
    all: () => informer.list(),
    fetch,
    saveStatus,
    answer: async (ctx, app, next) => {
      const requested = requestIn(app);
      if (!requested) return saveStatus(ctx, app, next);
      const { resourceVersion } = app.metadata;
      try {
        return await saveStatus(ctx, app, next, { metadata: { resourceVersion, annotations: noRequest } });
      } catch (error) {
        if (!hasReason(error, 'Conflict')) throw error;
        const written = await saveStatus(ctx, app, next);
        if (!equal(requestIn(written), requested)) return written;
        return patch(ctx, written, { metadata: { annotations: noRequest } });
      }
    },
    saveOperation: async (ctx, app, { state, status, isDone }) => {
      const next = { ...app.status, ...status, operationState: state };
      const write = ({ metadata: { resourceVersion } }: Application) =>
        patchStatus(ctx, app, next, {
          metadata: { resourceVersion },
          ...(isDone && { operation: null }),
        });
      const { namespace, name } = refOf(keyOfApp(app));
      const held = informer.get(namespace, name);
      // a refresh by this process may have written other fields since
      const known = held && isSameOperation(held, app) ? held : app;
      return insist(known, write, () => fetchIf(ctx, app, isSameOperation));
    },
    request: async (ctx, app, operation, status = app.status ?? {}) => {
      // compat engine A-21: a new operation clears the state of the last one
      const write = (over: Application, { operationState: _last, ...next }: ApplicationStatus) =>
        patchStatus(ctx, app, next, { metadata: answering(app, over), operation });
      const writeWhatFits = (over: Application) =>
        write(over, status).catch((error: unknown) => {
          if (!isTooLarge(error)) throw error;
          return write(over, sayTooLarge(app, ctx.clock.now()));
        });
      try {
        return await insist(app, writeWhatFits, () => fetchIf(ctx, app, isUnchangedForDecision));
      } catch (error) {
        if (hasReason(error, 'Conflict')) return undefined;
        throw error;
      }
    },
    patch,
  };
}

/** Refreshes write the status too, so conflicts happen; an operation step that is not recorded is executed again. */
const maxConflicts = 5;

/** Retries a conflicting write over the newest state for as long as `next` returns one. */
async function insist(
  first: Application,
  write: (over: Application) => Promise<Application>,
  next: () => Promise<Application | undefined>,
): Promise<Application> {
  let over = first;
  for (let tries = 0; ; tries++) {
    try {
      return await write(over);
    } catch (error) {
      const now = hasReason(error, 'Conflict') && tries < maxConflicts ? await next() : undefined;
      if (!now) throw error;
      over = now;
    }
  }
}

const noRequest = { [annotation.refresh]: null, [annotation.refreshTimestamp]: null };

/** The metadata of a write over `over`: removes the refresh annotation if it is still the one on `app`, keeps a newer one. */
function answering(app: Application, over: Application): object {
  const { resourceVersion } = over.metadata;
  const requested = requestIn(app);
  const isAnswered = requested !== undefined && equal(requestIn(over), requested);
  return { resourceVersion, ...(isAnswered && { annotations: noRequest }) };
}

/** The refresh requested by annotation, if any; a later request differs at least in its timestamp. */
function requestIn({
  metadata: { annotations = {} },
}: Application): readonly (string | undefined)[] | undefined {
  const { [annotation.refresh]: level, [annotation.refreshTimestamp]: at } = annotations;
  return level === undefined ? undefined : [level, at];
}

/** No other writer advanced the operation; a termination request and its message do not count as an advance (engine R-36). */
function isSameOperation(now: Application, then: Application): boolean {
  const [a, b] = [now.status?.operationState, then.status?.operationState];
  const isEnding = a?.phase === 'Terminating' && b !== undefined;
  const same = isEnding ? { ...a, phase: b.phase, message: b.message } : a;
  return equal(now.operation, then.operation) && equal(same, b);
}

/**
 * The same decision would be made again: spec, annotations and deletion timestamp are unchanged, and no operation started
 * since.
 */
function isUnchangedForDecision(now: Application, then: Application): boolean {
  return (
    isSameOperation(now, then) &&
    equal(now.spec, then.spec) &&
    equal(standingAnnotations(now), standingAnnotations(then)) &&
    now.metadata.deletionTimestamp === then.metadata.deletionTimestamp
  );
}

/** The API server rejects a body over its own limit, or returns etcd's rejection. */
export function isTooLarge(error: unknown): boolean {
  const { message } = FairleadError.from(error);
  return hasReason(error, 'RequestEntityTooLarge') || tooLargeForEtcd.test(message);
}

/** The second alternative is the error of the API server's etcd client for a request over its send limit. */
const tooLargeForEtcd = /etcdserver: request is too large|ResourceExhausted.* message larger than max/;

/** compat engine A-25: the rest of the status stays as it was, and a condition reports that. */
function sayTooLarge({ status }: Application, now: Date): ApplicationStatus {
  const conditions = setApplicationConditions(
    status?.conditions ?? [],
    [
      {
        type: 'UnknownError',
        message:
          'the status is larger than the API server accepts, so it is not written and what you see is old; ' +
          'split the application into several',
      },
    ],
    new Set(['UnknownError']),
    now,
  );
  return { ...status, conditions };
}
