import { type Application, argoApiVersion, projectName, unmasked } from '#base/model';
import { type Ctx, equal, FairleadError } from '#base/std';
import { isApplicationNamespace } from '#engine';
import { hasReason } from '#kubernetes/client';
import { hidden } from '../../rbac/permissions.ts';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { raiseFor } from '../raise-for.ts';
import { applicationRef, onApplication } from './find.ts';
import { invalid, requireKnownFields, requireUpdate, requireValid } from './validate.ts';

/** compat server §2.8: the same spec again is accepted, another one needs `upsert`. */
export async function create(
  ctx: Ctx,
  deps: MethodDeps,
  { body, query, permissions, user }: MethodCall<Application>,
): Promise<Application> {
  const app = givenApplication(deps, body);
  requireKnownFields(app);
  permissions.require(onApplication(deps, app, 'create'));
  requireNamespace(deps, app.metadata.namespace ?? '');
  const existing = (await deps.kube.find(ctx, applicationRef(app))) as Application | undefined;
  const isRendered = query.get('validate') !== 'false';
  // a spec that was read here and is sent back has masks instead of secrets
  const spec = unmasked(app.spec, existing?.spec);
  if (existing) {
    const isUpsert = query.get('upsert') === 'true';
    const wanted = { ...app, spec };
    return replace(ctx, deps, { permissions, user }, { existing, wanted, isUpsert, isRendered });
  }
  await requireValid(ctx, deps, app, { isRendered });
  const created = (await deps.kube.create(ctx, app)) as Application;
  deps.apps.put(created);
  await raiseFor(ctx, deps, user, { about: created, reason: 'ResourceCreated', done: 'created application' });
  return created;
}

/** The application of a request as it would be created: typed, in its namespace and project, without a state. */
export function givenApplication({ context }: MethodDeps, body: Application): Application {
  const { status: _status, operation: _operation, ...given } = body;
  const { namespace = context.namespace } = body.metadata;
  return {
    ...given,
    // compat server §2.8: the path determines the type, so Argo CD's clients leave it out
    apiVersion: argoApiVersion,
    kind: 'Application',
    metadata: { ...body.metadata, namespace },
    // without a project it belongs to the default one, and the same request again must find the same spec
    spec: { ...body.spec, project: projectName(body) },
  };
}

type Replacing = {
  readonly existing: Application;
  readonly wanted: Application;
  readonly isUpsert: boolean;
  readonly isRendered: boolean;
};

/** compat engine A-3 */
export function requireNamespace({ context }: MethodDeps, namespace: string): void {
  const { applicationNamespaces } = context.settings();
  if (!isApplicationNamespace(namespace, context.namespace, applicationNamespaces))
    throw new FairleadError(
      'PermissionDenied',
      `namespace ${namespace} is not permitted: add it to application.namespaces in argocd-cmd-params-cm`,
    );
}

/** Replaces the newest one again when another writer was faster: its controller writes the status at any moment. */
async function replace(
  ctx: Ctx,
  deps: MethodDeps,
  { permissions, user }: Pick<MethodCall, 'permissions' | 'user'>,
  { existing, wanted, isUpsert, isRendered }: Replacing,
): Promise<Application> {
  // compat server §2.4: one of a project that the caller may not see has nothing to show
  if (!permissions.may(onApplication(deps, existing, 'get'))) throw hidden();
  const metadata = mergedInto(existing, wanted);
  if (equal(existing.spec, wanted.spec) && equal(existing.metadata, metadata)) return existing;
  if (!isUpsert) throw invalid('existing application spec is different, use upsert flag to force update');
  requireUpdate(deps, permissions, existing, wanted);
  await requireValid(ctx, deps, wanted, { isRendered });
  try {
    const written = (await deps.kube.update(ctx, {
      ...existing,
      metadata,
      spec: wanted.spec,
    })) as Application;
    deps.apps.put(written);
    const event = { about: written, reason: 'ResourceUpdated', done: 'updated application' } as const;
    await raiseFor(ctx, deps, user, event);
    return written;
  } catch (error) {
    if (!hasReason(error, 'Conflict')) throw error;
    const newest = (await deps.kube.get(ctx, applicationRef(existing))) as Application;
    return replace(ctx, deps, { permissions, user }, { existing: newest, wanted, isUpsert, isRendered });
  }
}

/**
 * compat server §2.8: the labels and annotations that the request does not name stay, as controllers add some; the finalizers are
 * those of the request, unless one of them holds the application that is being deleted.
 */
function mergedInto(
  { metadata: old }: Application,
  { metadata: given }: Application,
): Application['metadata'] {
  const finalizers = old.deletionTimestamp ? old.finalizers : given.finalizers;
  const { finalizers: _replaced, ...kept } = old;
  return {
    ...kept,
    ...(given.labels && { labels: { ...old.labels, ...given.labels } }),
    ...(given.annotations && { annotations: { ...old.annotations, ...given.annotations } }),
    ...(finalizers?.length && { finalizers }),
  };
}
