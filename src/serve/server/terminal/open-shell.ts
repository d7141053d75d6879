import { type Ctx, FairleadError } from '#base/std';
import type { ExecSession, KubeClient } from '#kubernetes/client';
import { findApplication, onApplication } from '../methods/applications/find.ts';
import { grow } from '../methods/applications/tree.ts';
import type { MethodDeps } from '../methods/deps.ts';
import type { MethodCall } from '../rest/request.ts';

/** A container of a pod, and the shells to try in it. */
export type ShellTarget = {
  readonly shells: readonly string[];
  open(ctx: Ctx, shell: string): Promise<ExecSession>;
};

/**
 * compat server §2.9: the container that a call names, for a caller that may get the application and has `exec, create` on it.
 * The pod must belong to the application: its permission is for what the application owns.
 */
export async function shellTarget(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<ShellTarget> {
  const { query } = call;
  const app = findApplication(deps, call, 'get');
  call.permissions.require({ ...onApplication(deps, app, 'create'), resource: 'exec' });
  const [name, namespace] = [wanted(query, 'pod'), wanted(query, 'namespace')];
  const { nodes } = await grow(ctx, deps, app);
  const isOwn = nodes.some(
    (node) => node.kind === 'Pod' && !node.group && node.name === name && node.namespace === namespace,
  );
  if (!isOwn)
    throw new FairleadError('NotFound', `pod ${namespace}/${name} is not in the tree of the application`);
  const { kube }: { kube: KubeClient } = deps.context.clusters.resolve(app.spec.destination);
  const container = wanted(query, 'container');
  return {
    shells: shellsIn(query.get('shell') ?? '', deps.context.settings().server.execShells),
    open: (inner, shell) => kube.exec(inner, { namespace, name }, { container, command: [shell] }),
  };
}

function wanted(query: URLSearchParams, name: string): string {
  const value = query.get(name) ?? '';
  if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(value))
    throw new FairleadError('InvalidSpec', `${name} is missing, or is no name of Kubernetes`);
  return value;
}

/** The setting is both the order of attempts and the list of what may be started. */
function shellsIn(requested: string, allowed: readonly string[]): readonly string[] {
  if (requested === '') return allowed;
  if (allowed.includes(requested)) return [requested];
  throw new FairleadError('InvalidSpec', `shell ${requested} is not in exec.shells: ${allowed.join(', ')}`);
}
