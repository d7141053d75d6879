import { type ApplicationSpec, maskApplication, maskerOf } from '#base/model';
import { applications, type LogEntry } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import { downloadable, listed, many, one, type RestRoute } from '../../rest/routes.ts';
import type { MethodDeps } from '../deps.ts';
import * as act from './actions.ts';
import { create } from './create.ts';
import * as links from './links.ts';
import * as list from './list.ts';
import { logs } from './logs/logs.ts';
import * as manifests from './manifests.ts';
import { preview } from './preview.ts';
import * as read from './read.ts';
import * as resources from './resources.ts';
import * as revisions from './revisions.ts';
import * as tree from './tree.ts';
import * as update from './update.ts';
import { manifestsWithFiles } from './uploaded-manifests.ts';
import { windows } from './windows.ts';
import * as write from './write.ts';

export const applicationRoutes = (deps: MethodDeps): RestRoute[] => [
  listed(applications.list, (ctx, call) => list.list(ctx, deps, call)),
  one(applications.create, async (ctx, call) => maskApplication(await create(ctx, deps, call))),
  one(applications.preview, (ctx, call) => preview(ctx, deps, call)),
  one(applications.get, async (ctx, call) => maskApplication(await write.get(ctx, deps, call))),
  one(applications.update, async (ctx, call) => maskApplication(await update.update(ctx, deps, call))),
  one(applications.updateSpec, async (ctx, call) => maskSpec(await update.updateSpec(ctx, deps, call))),
  one(applications.patch, async (ctx, call) => maskApplication(await update.patch(ctx, deps, call))),
  one(applications.delete, (ctx, call) => write.remove(ctx, deps, call)),
  one(applications.sync, async (ctx, call) => maskApplication(await write.sync(ctx, deps, call))),
  one(applications.rollback, async (ctx, call) => maskApplication(await write.rollback(ctx, deps, call))),
  one(applications.terminate, (ctx, call) => write.terminate(ctx, deps, call)),
  one(applications.windows, (ctx, call) => windows(ctx, deps, call)),
  one(applications.tree, (ctx, call) => tree.tree(ctx, deps, call)),
  listed(applications.managedResources, (ctx, call) => read.managedResources(ctx, deps, call)),
  one(applications.revision, (ctx, call) => revisions.revision(ctx, deps, call)),
  one(applications.chart, (ctx, call) => revisions.chartDetails(ctx, deps, call)),
  one(applications.oci, (ctx, call) => revisions.ociMetadata(ctx, deps, call)),
  one(applications.manifests, (ctx, call) => manifests.manifests(ctx, deps, call)),
  one(applications.manifestsWithFiles, (ctx, call) => manifestsWithFiles(ctx, deps, call)),
  one(applications.serverSideDiff, (ctx, call) => manifests.serverSideDiff(ctx, deps, call)),
  one(applications.compare, (ctx, call) => manifests.compare(ctx, deps, call)),
  one(applications.links, (ctx, call) => links.links(ctx, deps, call)),
  one(applications.resourceLinks, (ctx, call) => links.resourceLinks(ctx, deps, call)),
  one(applications.actions, (ctx, call) => act.actions(ctx, deps, call)),
  one(applications.runAction, (ctx, call) => act.runAction(ctx, deps, call)),
  one(applications.runActionWith, (ctx, call) => act.runActionWith(ctx, deps, call)),
  one(applications.resource, (ctx, call) => resources.resource(ctx, deps, call)),
  one(applications.patchResource, (ctx, call) => resources.patchResource(ctx, deps, call)),
  one(applications.deleteResource, (ctx, call) => resources.deleteResource(ctx, deps, call)),
  one(applications.events, (ctx, call) => resources.events(ctx, deps, call)),
  downloadable(applications.logs, (ctx, call) => logs(ctx, deps, call), logFile),
  downloadable(applications.podLogs, (ctx, call) => logs(ctx, deps, call), logFile),
  many(applications.watch, (ctx, call) => list.watch(ctx, deps, call)),
  many(applications.watchTree, (ctx, call) => tree.watchTree(ctx, deps, call)),
];

const logFile = {
  name: ({ params, query }: MethodCall): string => {
    const pod = params.pod ?? query.get('podName') ?? query.get('resourceName');
    return `${[query.get('namespace'), pod ?? params.name, query.get('container')].filter(Boolean).join('-')}.log`;
  },
  line: ({ content, last }: LogEntry): string | undefined =>
    last && content === '' ? undefined : `${content}\n`,
};

const maskSpec = (spec: ApplicationSpec): ApplicationSpec => maskerOf(spec)(spec);
