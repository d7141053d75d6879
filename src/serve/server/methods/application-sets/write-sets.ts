import {
  type Application,
  type ApplicationSet,
  argoApiVersion,
  maskApplication,
  maskerOf,
  unmasked,
} from '#base/model';
import { type Ctx, equal, FairleadError } from '#base/std';
import { applicationSetProblems, isApplicationNamespace } from '#engine';
import { hasReason, refOf } from '#kubernetes/client';
import type { ApplicationSetPreview } from '#serve/api';
import { hidden, type Permissions } from '../../rbac/permissions.ts';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { raiseFor } from '../raise-for.ts';
import { findSet, maskSet, onSet, projectOfSet } from './find-set.ts';

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

type Given = { readonly set: ApplicationSet; readonly existing: ApplicationSet | undefined };

/** compat sources ASN-3: the same spec again is accepted, another one needs `upsert`; `dryRun` stores nothing. */
export async function create(
  ctx: Ctx,
  deps: MethodDeps,
  { body, query, permissions, user }: MethodCall<ApplicationSet>,
): Promise<ApplicationSet> {
  const given = readSet(deps, body, permissions);
  const { set, existing } = given;
  const isUpsert = query.get('upsert') === 'true';
  if (existing && !equal(existing.spec, set.spec)) {
    if (!isUpsert)
      throw invalid('existing ApplicationSet spec is different, use upsert flag to force update');
    permissions.require(onSet(deps, existing, 'update'));
    permissions.require(onSet(deps, set, 'update'));
  }
  if (query.get('dryRun') === 'true') return maskSet(await rehearsed(ctx, deps, set));
  if (existing && equal(existing.spec, set.spec) && !isUpsert) return maskSet(existing);
  const written = existing
    ? await replace(ctx, deps, permissions, { existing, set })
    : ((await deps.kube.create(ctx, set)) as ApplicationSet);
  deps.sets.put(written);
  await raiseFor(ctx, deps, user, {
    about: written,
    ...(existing
      ? { reason: 'ResourceUpdated', done: 'updated ApplicationSet' }
      : { reason: 'ResourceCreated', done: 'created ApplicationSet' }),
  });
  return maskSet(written);
}

type Replacement = { readonly existing: ApplicationSet; readonly set: ApplicationSet };

/** Replaces the newest one again when another writer was faster: its controller writes the status after every change. */
async function replace(
  ctx: Ctx,
  deps: MethodDeps,
  permissions: Permissions,
  { existing, set }: Replacement,
): Promise<ApplicationSet> {
  const { labels, annotations } = set.metadata;
  const kept = { ...existing.metadata, ...(labels && { labels }), ...(annotations && { annotations }) };
  const { unreadable: _ours, ...stored } = existing;
  try {
    return (await deps.kube.update(ctx, { ...stored, metadata: kept, spec: set.spec })) as ApplicationSet;
  } catch (error) {
    if (!hasReason(error, 'Conflict')) throw error;
    const newest = (await deps.kube.get(ctx, refOf(existing))) as ApplicationSet;
    permissions.require(onSet(deps, newest, 'update'));
    return replace(ctx, deps, permissions, { existing: newest, set });
  }
}

/**
 * The set of a request body, for a caller that may create it. Masked values of a stored set that is sent back are restored.
 * Throws InvalidSpec with every problem that can be found without evaluating it.
 */
function readSet(deps: MethodDeps, body: ApplicationSet, permissions: Permissions): Given {
  const { context, sets } = deps;
  const { namespace = context.namespace, name, labels, annotations, finalizers } = body.metadata;
  const existing = sets.get(namespace, name);
  const wanted = {
    apiVersion: argoApiVersion,
    kind: 'ApplicationSet',
    metadata: { name, namespace },
  } as const;
  const typed = { ...wanted, spec: body.spec } as ApplicationSet;
  requireFixedProject(typed);
  permissions.require(onSet(deps, typed, 'create'));
  // compat server §2.4: one of a project that the caller may not see has nothing to show
  if (existing && !permissions.may(onSet(deps, existing, 'get'))) throw hidden();
  const problems = applicationSetProblems(typed);
  if (problems.length > 0) throw invalid(problems.join('; '));
  requireNamespace(deps, namespace);
  if (!context.projects.get(context.namespace, projectOfSet(typed)))
    throw invalid(`ApplicationSet references project ${projectOfSet(typed)} which does not exist`);
  const metadata = {
    ...wanted.metadata,
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(finalizers && { finalizers }),
  };
  return { existing, set: { ...typed, metadata, spec: unmasked(body.spec, existing?.spec) } };
}

/** compat sources ASN-2: who may create it must be known before its parameters are. */
function requireFixedProject(set: ApplicationSet): void {
  if (!projectOfSet(set).includes('{{')) return;
  throw invalid(
    'the Argo CD API does not currently support creating ApplicationSets with templated `project` fields: write the project, or apply the ApplicationSet with kubectl',
  );
}

/** compat sources ASN-1 */
function requireNamespace({ context }: MethodDeps, namespace: string): void {
  const { namespaces } = context.settings().applicationSet;
  if (!isApplicationNamespace(namespace, context.namespace, namespaces))
    throw new FairleadError(
      'PermissionDenied',
      `namespace ${namespace} is not permitted: add it to applicationsetcontroller.namespaces in argocd-cmd-params-cm`,
    );
}

/** compat sources ASN-3: `dryRun` returns the set with the applications that it would have. */
async function rehearsed(ctx: Ctx, deps: MethodDeps, set: ApplicationSet): Promise<ApplicationSet> {
  const applications = await generated(ctx, deps, set);
  const resources = applications.map(({ metadata: { name, namespace } }) => ({
    ...{ group: 'argoproj.io', version: 'v1alpha1', kind: 'Application', name },
    ...(namespace && { namespace }),
  }));
  return { ...set, status: { resources, resourcesCount: resources.length } };
}

/** compat sources ASN-3, ASN-4: evaluates with the rules for requests of users, and writes nothing. */
async function generated(
  ctx: Ctx,
  { evaluateSet }: MethodDeps,
  set: ApplicationSet,
): Promise<readonly Application[]> {
  const { applications, problem } = await evaluateSet(ctx, set);
  if (problem) throw invalid(problem.message);
  return applications;
}

/** compat sources ASN-4: the applications of a set, in generation order. */
export async function generate(
  ctx: Ctx,
  deps: MethodDeps,
  { body, permissions }: MethodCall<{ applicationSet: ApplicationSet }>,
): Promise<{ applications: Application[] }> {
  const { set } = readSet(deps, body.applicationSet, permissions);
  return { applications: (await generated(ctx, deps, set)).map(maskApplication) };
}

/** dev sources ASN-5: what storing the set would do, compared with the applications that it owns now. */
export async function preview(
  ctx: Ctx,
  deps: MethodDeps,
  { body, permissions }: MethodCall<{ applicationSet: ApplicationSet }>,
): Promise<ApplicationSetPreview> {
  const { set, existing } = readSet(deps, body.applicationSet, permissions);
  const { uid } = existing?.metadata ?? {};
  const asStored = { ...set, metadata: { ...set.metadata, ...(uid && { uid }) } };
  const {
    changes,
    unchanged,
    parameters,
    invalid: skipped,
    problem,
    warnings,
  } = await deps.previewSet(ctx, asStored);
  return maskerOf(set)({
    changes: changes.map(({ live, target, ...change }) => ({
      ...change,
      ...(live && { live: maskApplication(live) }),
      ...(target && { target: maskApplication(target) }),
    })),
    unchanged,
    parameters,
    invalid: skipped,
    ...(problem !== undefined && { blocked: problem }),
    warnings,
  });
}

export async function remove(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<Record<string, never>> {
  const set = findSet(deps, call, 'delete');
  const { name, namespace } = set.metadata;
  await deps.kube.delete(ctx, { apiVersion: argoApiVersion, kind: 'ApplicationSet', name, namespace });
  const deleted = { about: set, reason: 'ResourceDeleted', done: 'deleted ApplicationSet' } as const;
  await raiseFor(ctx, deps, call.user, deleted);
  return {};
}
