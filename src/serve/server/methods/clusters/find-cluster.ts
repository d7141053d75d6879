import { inClusterServer, trimServer } from '#base/model';
import { FairleadError } from '#base/std';
import type { ClusterMember } from '#control/live';
import { hidden } from '../../rbac/permissions.ts';
import type { MethodCall } from '../../rest/request.ts';
import { type ClusterDeps, onCluster } from './cluster-deps.ts';

type Named = { readonly kind: 'server' | 'name'; readonly value: string };

/** compat server §2.8: `id.type` says whether an id is an address or a name, which may be escaped once more. */
export function named(value: string, type: string | null): Named {
  if (type === 'name') return { kind: 'name', value };
  if (type === 'name_escaped') return { kind: 'name', value: unescaped(value) };
  return { kind: 'server', value: trimServer(value) };
}

function unescaped(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return value;
  }
}

export const isNamed = ({ record }: ClusterMember, { kind, value }: Named): boolean =>
  (kind === 'name' ? record.name : record.server) === value;

/** Every registered cluster but the one we run in where that is switched off. */
export const shownMembers = ({ clusters, context }: ClusterDeps): readonly ClusterMember[] =>
  clusters
    .members()
    .filter(({ record }) => record.server !== inClusterServer || context.settings().inClusterEnabled);

/** compat server §2.4: a cluster that the caller may not get is refused like one that does not exist. */
export function findCluster(deps: ClusterDeps, call: MethodCall, action: string): ClusterMember {
  const { params, query, permissions } = call;
  permissions.waive();
  const wanted = named(params.id ?? '', query.get('id.type'));
  const [found, ...others] = shownMembers(deps)
    .filter((member) => isNamed(member, wanted))
    .filter(({ record }) => permissions.may(onCluster('get', record)));
  if (!found) throw hidden();
  if (others.length > 0)
    throw new FairleadError('InvalidSpec', `several clusters are named ${wanted.value}: give the server`);
  permissions.require(onCluster(action, found.record));
  return found;
}
