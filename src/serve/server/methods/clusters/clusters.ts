import {
  annotation,
  clusterFrom,
  isManagedSecret,
  type KubeObject,
  label,
  printTime,
  type RegisteredCluster,
  trimServer,
} from '#base/model';
import { type Ctx, equal, FairleadError } from '#base/std';
import { refOf } from '#kubernetes/client';
import type { ClusterInput, ClusterView } from '#serve/api';
import { hidden } from '../../rbac/permissions.ts';
import type { MethodCall } from '../../rest/request.ts';
import { applicationsOn } from './applications-on.ts';
import { type ClusterDeps, onCluster, requireConnection } from './cluster-deps.ts';
import { clusterFields, clusterSecret, limitedTo, secretOf } from './cluster-secret.ts';
import { clusterView } from './cluster-view.ts';
import { findCluster, isNamed, named, shownMembers } from './find-cluster.ts';

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

/** Those that the caller may get, sorted by address. */
export async function list(
  ctx: Ctx,
  deps: ClusterDeps,
  { query, permissions }: MethodCall,
): Promise<{ items: readonly ClusterView[] }> {
  permissions.waive(); // what the caller may not get is left out
  const filters = [
    ...(query.get('server') ? [named(query.get('server') ?? '', 'server')] : []),
    ...(query.get('name') ? [named(query.get('name') ?? '', 'name')] : []),
    ...(query.get('id.value') ? [named(query.get('id.value') ?? '', query.get('id.type'))] : []),
  ];
  const members = shownMembers(deps)
    .filter((member) => filters.every((filter) => isNamed(member, filter)))
    .filter(({ record }) => permissions.may(onCluster('get', record)))
    .toSorted((a, b) => (a.record.server < b.record.server ? -1 : 1));
  const view = (member: (typeof members)[number]) =>
    clusterView(ctx, member, applicationsOn(deps, member.record));
  return { items: await Promise.all(members.map(view)) };
}

export async function get(ctx: Ctx, deps: ClusterDeps, call: MethodCall): Promise<ClusterView> {
  const member = findCluster(deps, call, 'get');
  return clusterView(ctx, member, applicationsOn(deps, member.record));
}

/** compat server §2.8: connects first; the same again is accepted, other settings need `upsert`. */
export async function create(
  ctx: Ctx,
  deps: ClusterDeps,
  call: MethodCall<ClusterInput>,
): Promise<ClusterView> {
  const { body, query, permissions } = call;
  const [server, project] = [trimServer(body.server), body.project ?? ''];
  permissions.require(onCluster('create', { server, project }));
  requireForPlugin(call, server);
  if (server === '') throw invalid('server is missing: give the URL of the cluster');
  const before = secretOf(deps.clusters.secrets(), server);
  // applications of other projects may have the address as their destination: registering it again does not take it over
  const holder = deps.clusters.members().find(({ record }) => record.server === server)?.record;
  const isUpsert = query.get('upsert') === 'true';
  if (holder && !permissions.may(onCluster('get', holder))) throw hidden();
  if (holder && !before) permissions.require(onCluster('update', holder));
  const secret = clusterSecret(body, deps.context.namespace, before);
  const record = requireUsable(secret);
  if (before && equal(clusterFrom(before), record)) return shown(ctx, deps, record);
  if (before && !isUpsert)
    throw invalid('existing cluster spec is different, use upsert flag to force update');
  if (holder) permissions.require(onCluster('update', holder));
  await requireConnection(ctx, deps, record);
  return store(ctx, deps, secret, before !== undefined);
}

/** compat server §2.8: the caller may update it where it is and where it will be. dev: secrets that are left out stay. */
export async function update(
  ctx: Ctx,
  deps: ClusterDeps,
  call: MethodCall<ClusterInput>,
): Promise<ClusterView> {
  const { record: existing } = findCluster(deps, call, 'update');
  const fields = call.query.getAll('updatedFields').flatMap((text) => text.split(','));
  const unknown = fields.filter((field) => !clusterFields.some((known) => known === field));
  if (unknown.length > 0)
    throw invalid(
      `updatedFields: ${unknown.join(', ')} cannot be updated; there are ${clusterFields.join(', ')}`,
    );
  const { server } = existing;
  const given = { ...limitedTo(fields, call.body, existing), server };
  call.permissions.require(onCluster('update', { server, project: given.project ?? '' }));
  requireForPlugin(call, server);
  const before = secretOf(deps.clusters.secrets(), server);
  const secret = clusterSecret(given, deps.context.namespace, before);
  await requireConnection(ctx, deps, requireUsable(secret));
  return store(ctx, deps, secret, before !== undefined);
}

/** compat server §1.6: a Secret that users wrote stays, without the label that makes it a cluster. */
export async function remove(ctx: Ctx, deps: ClusterDeps, call: MethodCall): Promise<Record<string, never>> {
  const { record } = findCluster(deps, call, 'delete');
  const secret = secretOf(deps.clusters.secrets(), record.server);
  if (!secret)
    throw invalid(
      'the cluster that we run in has no Secret: set cluster.inClusterEnabled to "false" in argocd-cm to switch it off',
    );
  const ref = refOf(secret);
  const body = { metadata: { labels: { [label.secretType]: null } } };
  if (isManagedSecret(secret)) await deps.kube.delete(ctx, ref);
  else await deps.kube.patch(ctx, ref, { type: 'merge', body });
  deps.clusters.drop(ctx, secret);
  return {};
}

/** compat server §1.7: the annotation requests it, so that a controller in another process reads the cluster again too. */
export async function invalidate(ctx: Ctx, deps: ClusterDeps, call: MethodCall): Promise<ClusterView> {
  const { record } = findCluster(deps, call, 'update');
  const before = secretOf(deps.clusters.secrets(), record.server);
  const { config: _kept, ...rest } = record;
  const annotations = { ...record.annotations, [annotation.refresh]: printTime(ctx.clock.now()) };
  const input = { ...rest, namespaces: [...record.namespaces], annotations };
  return store(ctx, deps, clusterSecret(input, deps.context.namespace, before), before !== undefined);
}

/**
 * A credential plugin is a program that this process runs: who may register clusters of one project only, may not name one.
 */
function requireForPlugin({ body, permissions }: MethodCall<ClusterInput>, server: string): void {
  const { execProviderConfig, awsAuthConfig } = body.config ?? {};
  if (execProviderConfig || awsAuthConfig) permissions.require(onCluster('create', { server }));
}

function requireUsable(secret: KubeObject): RegisteredCluster {
  const record = clusterFrom(secret);
  if (record.problem) throw invalid(record.problem);
  return record;
}

export async function store(
  ctx: Ctx,
  deps: ClusterDeps,
  secret: KubeObject,
  exists: boolean,
): Promise<ClusterView> {
  const written = await (exists ? deps.kube.update(ctx, secret) : deps.kube.create(ctx, secret));
  deps.clusters.put(ctx, written);
  return shown(ctx, deps, clusterFrom(written));
}

/** As it is registered; its name is filled in where it has none. */
function shown(ctx: Ctx, deps: ClusterDeps, { server }: RegisteredCluster): Promise<ClusterView> {
  const member = deps.clusters.members().find(({ record }) => record.server === server);
  if (!member) throw new FairleadError('Unavailable', `cluster ${server} was removed meanwhile`);
  return clusterView(ctx, member, applicationsOn(deps, member.record));
}
