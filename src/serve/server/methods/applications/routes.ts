import { maskApplication } from '#base/model';
import { type ApplicationList, type ApplicationWatchEvent, applications } from '#serve/api';
import { listed, many, one, type RestRoute } from '../../rest/routes.ts';
import type { MethodDeps } from '../deps.ts';
import * as act from './actions.ts';
import * as read from './read.ts';
import * as tree from './tree.ts';
import { windows } from './windows.ts';
import * as write from './write.ts';

export const applicationRoutes = (deps: MethodDeps): RestRoute[] => [
  one(applications.list, async (ctx, call) => shownList(await read.list(ctx, deps, call))),
  one(applications.create, async (ctx, call) => maskApplication(await write.create(ctx, deps, call))),
  one(applications.get, async (ctx, call) => maskApplication(await write.get(ctx, deps, call))),
  one(applications.delete, (ctx, call) => write.remove(ctx, deps, call)),
  one(applications.sync, async (ctx, call) => maskApplication(await write.sync(ctx, deps, call))),
  one(applications.rollback, async (ctx, call) => maskApplication(await write.rollback(ctx, deps, call))),
  one(applications.terminate, (ctx, call) => write.terminate(ctx, deps, call)),
  one(applications.windows, (ctx, call) => windows(ctx, deps, call)),
  one(applications.tree, (ctx, call) => tree.tree(ctx, deps, call)),
  listed(applications.managedResources, (ctx, call) => read.managedResources(ctx, deps, call)),
  one(applications.revision, (ctx, call) => read.revision(ctx, deps, call)),
  one(applications.actions, (ctx, call) => act.actions(ctx, deps, call)),
  one(applications.runAction, (ctx, call) => act.runAction(ctx, deps, call)),
  one(applications.runActionWith, (ctx, call) => act.runActionWith(ctx, deps, call)),
  one(applications.resource, (ctx, call) => tree.resource(ctx, deps, call)),
  many(applications.watch, (ctx, call) => shownEvents(read.watch(ctx, deps, call))),
  many(applications.watchTree, (ctx, call) => tree.watchTree(ctx, deps, call)),
];

/** Responses contain no secret of an Application; only they are masked. */
const shownList = (list: ApplicationList): ApplicationList => ({
  ...list,
  items: list.items.map(maskApplication),
});

async function* shownEvents(
  events: AsyncIterable<ApplicationWatchEvent>,
): AsyncGenerator<ApplicationWatchEvent> {
  for await (const { type, application } of events) yield { type, application: maskApplication(application) };
}
