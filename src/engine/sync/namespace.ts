import { type Application, isKind, type KubeObject, keyOf } from '#base/model';
import type { Comparison } from '../compare.ts';
import type { SyncOptions } from './options.ts';
import type { SyncTask } from './task.ts';

type Input = { readonly app: Application; readonly comparison: Comparison; readonly namespace?: KubeObject };
type Draft = { -readonly [Field in keyof SyncTask]: SyncTask[Field] };

/**
 * compat engine S-40, S-41: the destination Namespace when CreateNamespace=true and Git does not declare it. It is not
 * tracked, so it outlives the Application. With managed metadata it is applied on every sync, owning just those keys.
 */
export function namespaceTask(
  { app, comparison, namespace }: Input,
  options: SyncOptions,
): Draft | undefined {
  const name = app.spec.destination.namespace;
  if (!options.createNamespace || !name || isDeclared(name, comparison)) return undefined;
  const managed = app.spec.syncPolicy?.managedNamespaceMetadata;
  if (namespace && !managed) return undefined;

  const { labels, annotations } = managed ?? {};
  const target: KubeObject = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) },
  };
  return {
    id: '',
    key: keyOf(target),
    phase: 'PreSync',
    wave: 0,
    target,
    ...(namespace && { live: namespace }),
    mode: { verb: managed ? 'server-side-apply' : 'apply', force: false, validate: true },
    prune: { do: 'delete' },
    skipDryRun: false,
    unchanged: false,
    state: 'pending',
  };
}

const isDeclared = (name: string, { resources }: Comparison): boolean =>
  resources.some(({ target }) => target && isKind(target, '', 'Namespace') && target.metadata.name === name);
