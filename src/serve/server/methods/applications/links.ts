import { type Application, maskApplication } from '#base/model';
import type { Ctx } from '#base/std';
import { resolveDestination } from '#control/comparison';
import type { LinkList } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';
import { evaluateLinks, type LinkObjects } from '../links.ts';
import { findApplication } from './find.ts';
import { shownObject } from './resources.ts';
import { coordinatesIn, findObject } from './tree.ts';

/** compat server §2.8: `application.links` for this application. */
export async function links(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<LinkList> {
  const app = findApplication(deps, call, 'get');
  return evaluated(ctx, deps, { app, of: 'application', objects: objectsOf(deps, app) });
}

/** compat server §2.8: `resource.links` for one object of the application's tree. */
export async function resourceLinks(ctx: Ctx, deps: MethodDeps, call: MethodCall): Promise<LinkList> {
  const app = findApplication(deps, call, 'get');
  const { live } = await findObject(ctx, deps, app, coordinatesIn(call.query));
  const resource = shownObject(deps, live);
  return evaluated(ctx, deps, { app, of: 'resource', objects: { ...objectsOf(deps, app), resource } });
}

/** No credentials of a cluster, no tokens of a project, no secrets of an application. */
function objectsOf({ context }: MethodDeps, app: Application): LinkObjects {
  const shown = maskApplication(app);
  const placed = resolveDestination(context, app);
  const objects = { application: shown, app: shown };
  if (!('destination' in placed)) return objects;
  const { cluster, project } = placed.destination;
  const { metadata, spec } = project;
  const { roles: _roles, ...rest } = spec;
  return {
    ...objects,
    cluster: { name: cluster.name, server: cluster.server },
    project: { metadata, spec: rest },
  };
}

type Wanted = {
  readonly app: Application;
  readonly of: 'application' | 'resource';
  readonly objects: LinkObjects;
};

function evaluated(ctx: Ctx, { context }: MethodDeps, { app, of, objects }: Wanted): LinkList {
  return evaluateLinks(context.settings().links[of], objects, (title, problem) =>
    ctx.log.warn('link left out', { setting: `${of}.links`, title, app: app.metadata.name, problem }),
  );
}
