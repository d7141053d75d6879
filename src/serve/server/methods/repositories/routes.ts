import { repositories, templates, writeRepositories, writeTemplates } from '#serve/api';
import { one, type RestRoute } from '../../rest/routes.ts';
import * as read from './read-repositories.ts';
import type { RepositoryDeps, RepositoryKind } from './repository-deps.ts';
import { appDetails, folders } from './source-details.ts';
import * as template from './templates.ts';
import * as write from './write-repositories.ts';

export const repositoryRoutes = (deps: RepositoryDeps): RestRoute[] => [
  ...stored(deps, 'repository', repositories),
  ...stored(deps, 'repository-write', writeRepositories),
  ...storedTemplates(deps, 'repo-creds', templates),
  ...storedTemplates(deps, 'repo-write-creds', writeTemplates),
  one(repositories.refs, (ctx, call) => read.refs(ctx, deps, call)),
  one(repositories.tags, (ctx, call) => read.tags(ctx, deps, call)),
  one(repositories.charts, (ctx, call) => read.charts(ctx, deps, call)),
  one(repositories.apps, (ctx, call) => folders(ctx, deps, call)),
  one(repositories.appDetails, (ctx, call) => appDetails(ctx, deps, call)),
];

const stored = (deps: RepositoryDeps, kind: RepositoryKind, at: typeof writeRepositories): RestRoute[] => [
  one(at.list, (ctx, call) => read.list(ctx, deps, kind, call)),
  one(at.create, (ctx, call) => write.create(ctx, deps, kind, call)),
  one(at.get, (ctx, call) => read.get(ctx, deps, kind, call)),
  one(at.update, (ctx, call) => write.update(ctx, deps, kind, call)),
  one(at.delete, (ctx, call) => write.remove(ctx, deps, kind, call)),
  one(at.validate, (ctx, call) => write.validate(ctx, deps, kind, call)),
];

const storedTemplates = (
  deps: RepositoryDeps,
  kind: template.TemplateKind,
  at: typeof templates,
): RestRoute[] => [
  one(at.list, (ctx, call) => template.list(ctx, deps, kind, call)),
  one(at.create, (ctx, call) => template.create(ctx, deps, kind, call)),
  one(at.update, (ctx, call) => template.update(ctx, deps, kind, call)),
  one(at.delete, (ctx, call) => template.remove(ctx, deps, kind, call)),
];
