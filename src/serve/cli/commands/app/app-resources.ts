import type { Command } from 'commander';
import type { KubeObject } from '#base/model';
import { isObject, parseJson } from '#base/std';
import { printAll } from '#lang/yaml';
import { applications, type ResourceNode, type ResourceTree } from '#serve/api';
import type { CliDeps } from '../../cli-deps.ts';
import { examples } from '../../input/examples.ts';
import { collectList } from '../../input/lists.ts';
import { ExitError } from '../../io.ts';
import { printAs } from '../../output/print.ts';
import { table } from '../../output/table.ts';
import { treeTable } from '../../output/tree.ts';
import type { Session } from '../../session/session.ts';
import { type ApplicationRef, type NameFlags, namespaced, refOfName } from './app-flags.ts';

type Selecting = NameFlags & {
  group?: string;
  kind?: string;
  namespace?: string;
  resourceName?: string;
  all?: boolean;
};

const selecting = (command: Command): Command =>
  namespaced(command)
    .requiredOption('--kind <kind>', 'of this kind')
    .option('--group <group>', 'of this API group; empty for the core group')
    .option('--namespace <namespace>', 'in this namespace')
    .option('--resource-name <name>', 'with this name')
    .option('--project <name>', 'of an application of this project');

export function addResources(app: Command, { open }: CliDeps): void {
  const resources = namespaced(app.command('resources <name>'))
    .description('list the resources of an application and what they own')
    .option('--orphaned', 'only those that no application declares')
    .option('-o, --output <format>', 'wide, tree, tree=detailed, json or yaml', 'wide')
    .option('--project <name>', 'of an application of this project')
    .action(async (name: string, flags: NameFlags & { orphaned?: boolean; output: string }) => {
      const { io, session } = await open();
      const { params, query } = refOfName(name, flags);
      const ref = { params, query: { ...query, project: flags.project } };
      const tree = await session.call(applications.tree, ref);
      if (/^tree(?:=detailed)?$/.test(flags.output)) {
        const found = await session.call(applications.get, ref);
        const isDetailed = flags.output === 'tree=detailed';
        const shown = flags.orphaned ? { nodes: tree.orphanedNodes ?? [] } : tree;
        io.out(treeTable(found, shown, { isDetailed, now: new Date() }));
      } else io.out(resourcesText(tree, flags));
    });
  examples(
    resources,
    'fairlead app resources guestbook',
    'fairlead app resources guestbook --orphaned',
    'fairlead app resources guestbook -o tree',
  );
}

/** compat server §8.3: orphaned ones are marked. */
function resourcesText(
  tree: ResourceTree,
  { orphaned, output }: { orphaned?: boolean; output: string },
): string {
  const orphans = tree.orphanedNodes ?? [];
  const nodes = orphaned ? orphans : [...tree.nodes, ...orphans];
  if (output !== 'wide') return printAs(output, nodes);
  const isOrphan = new Set<ResourceNode>(orphans);
  const rows = nodes.map((node) => [
    node.group ?? '',
    node.kind,
    node.namespace ?? '',
    node.name,
    isOrphan.has(node) ? 'Yes' : 'No',
  ]);
  return table(['GROUP', 'KIND', 'NAMESPACE', 'NAME', 'ORPHANED'], rows);
}

type GetFlags = Selecting & { output: string; showManagedFields?: boolean; filterFields?: string[] };

export function addGetResource(app: Command, { open }: CliDeps): void {
  const get = selecting(app.command('get-resource <name>'))
    .description('print live resources of an application; the values of Secrets are masked')
    .option('-o, --output <format>', 'wide, json or yaml', 'wide')
    .option(
      '--filter-fields <path>',
      'only these fields, for example spec.replicas; may be repeated',
      collectList,
    )
    .option('--show-managed-fields', 'with the record of field managers')
    .action(async (name: string, flags: GetFlags) => {
      const { io, session } = await open();
      const ref = refOfName(name, flags);
      const objects: KubeObject[] = [];
      for (const node of await nodesOf(session, ref, flags)) {
        const { manifest } = await session.call(applications.resource, {
          params: ref.params,
          query: { ...ref.query, ...coordinatesOf(node) },
        });
        objects.push(shownOf(parseJson(manifest) as KubeObject, flags));
      }
      if (flags.output === 'wide') io.out(table(['NAME', 'KIND', 'NAMESPACE'], objects.map(rowOf)));
      else if (flags.output === 'yaml') io.out(printAll(objects));
      else io.out(printAs(flags.output, objects.length === 1 ? objects[0] : objects));
    });
  examples(
    get,
    'fairlead app get-resource guestbook --kind Deployment --resource-name web -o yaml',
    'fairlead app get-resource guestbook --kind ConfigMap --filter-fields metadata.name,data',
  );
}

const rowOf = ({ metadata, kind }: KubeObject): string[] => [metadata.name, kind, metadata.namespace ?? ''];

function shownOf(object: KubeObject, { showManagedFields, filterFields }: GetFlags): KubeObject {
  const { managedFields: _managed, ...metadata } = object.metadata;
  const shown = showManagedFields ? object : { ...object, metadata };
  if (!filterFields) return shown;
  const { apiVersion, kind } = object;
  const chosen: Record<string, unknown> = { apiVersion, kind, metadata: { name: object.metadata.name } };
  for (const path of filterFields) copyField(shown, chosen, path.split('.'));
  return chosen as KubeObject;
}

function copyField(from: unknown, to: Record<string, unknown>, path: readonly string[]): void {
  const [first = '', ...rest] = path;
  if (!isObject(from) || !Object.hasOwn(from, first)) return;
  if (rest.length === 0) to[first] = from[first];
  else {
    const below = isObject(to[first]) ? (to[first] as Record<string, unknown>) : {};
    to[first] = below;
    copyField(from[first], below, rest);
  }
}

type PatchFlags = Selecting & { patch: string; patchType: string };

export function addPatchResource(app: Command, { open }: CliDeps): void {
  const patch = selecting(app.command('patch-resource <name>'))
    .description('patch live resources of an application')
    .requiredOption('--patch <text>', 'the patch, as JSON')
    .option(
      '--patch-type <type>',
      'application/merge-patch+json, application/json-patch+json or application/strategic-merge-patch+json',
      'application/merge-patch+json',
    )
    .option('--all', 'every one that matches')
    .action(async (name: string, flags: PatchFlags) => {
      const { io, session } = await open();
      const ref = refOfName(name, flags);
      for (const node of onlyOne(await nodesOf(session, ref, flags), flags)) {
        await session.call(applications.patchResource, {
          params: ref.params,
          query: { ...ref.query, ...coordinatesOf(node), patchType: flags.patchType },
          body: flags.patch,
        });
        io.out(`Resource '${node.name}' patched\n`);
      }
    });
  examples(
    patch,
    `fairlead app patch-resource guestbook --kind Deployment --resource-name web --patch '{"spec": {"replicas": 3}}'`,
  );
}

type DeleteFlags = Selecting & { force?: boolean; orphan?: boolean };

export function addDeleteResource(app: Command, { open }: CliDeps): void {
  const remove = selecting(app.command('delete-resource <name>'))
    .description('delete live resources of an application; the next sync creates those that Git declares')
    .option('--force', 'at once, without grace')
    .option('--orphan', 'leave what they own')
    .option('--all', 'every one that matches')
    .action(async (name: string, flags: DeleteFlags) => {
      const { io, session } = await open();
      const ref = refOfName(name, flags);
      const { force, orphan } = flags;
      for (const node of onlyOne(await nodesOf(session, ref, flags), flags)) {
        await session.call(applications.deleteResource, {
          params: ref.params,
          query: { ...ref.query, ...coordinatesOf(node), force, orphan },
        });
        io.out(`Resource '${node.name}' deleted\n`);
      }
    });
  examples(
    remove,
    'fairlead app delete-resource guestbook --kind Pod --resource-name web-7d9c-abcde',
    'fairlead app delete-resource guestbook --kind Job --all --orphan',
  );
}

const coordinatesOf = ({ group = '', version = '', kind, namespace = '', name }: ResourceNode) => ({
  group,
  version,
  kind,
  namespace,
  resourceName: name,
});

/** The resources of the tree that the flags select; an absent --group means any, an empty one the core group. */
async function nodesOf(
  session: Session,
  ref: ApplicationRef,
  flags: Selecting,
): Promise<readonly ResourceNode[]> {
  const { group, kind, namespace, resourceName } = flags;
  const { nodes } = await session.call(applications.tree, ref);
  const found = nodes.filter(
    (node) =>
      node.uid !== undefined &&
      node.kind === kind &&
      (group === undefined || (node.group ?? '') === group) &&
      (!namespace || node.namespace === namespace) &&
      (!resourceName || node.name === resourceName),
  );
  if (found.length > 0) return found;
  throw new ExitError(20, `no live ${kind} of the application matches: see what it has with app resources`);
}

function onlyOne(nodes: readonly ResourceNode[], { all }: Selecting): readonly ResourceNode[] {
  if (nodes.length === 1 || all) return nodes;
  throw new ExitError(20, `${nodes.length} resources match: name one with --resource-name, or use --all`);
}
