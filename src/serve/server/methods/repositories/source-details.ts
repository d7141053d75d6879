import { type Application, type AppProject, effectiveSources, type Source } from '#base/model';
import { type Ctx, equal, FairleadError } from '#base/std';
import { applicationObject, denySource, effectiveProject, globalsOf, imagesOf } from '#engine';
import type { AppDetails, AppDetailsRequest, AppFolder } from '#serve/api';
import { hidden } from '../../rbac/permissions.ts';
import type { MethodCall } from '../../rest/request.ts';
import { requireReadable } from './read-repositories.ts';
import { fromRepository, type RepositoryDeps } from './repository-deps.ts';

/** compat server §2.8: rendering is for callers that may create the application, or change the one that is there. */
export async function folders(
  ctx: Ctx,
  deps: RepositoryDeps,
  call: MethodCall,
): Promise<{ items: readonly AppFolder[] }> {
  const { query } = call;
  const [project, name] = [query.get('appProject') ?? '', query.get('appName') ?? ''];
  const record = requireReadable(deps, call, project);
  const object = objectOf(deps, project, name);
  call.permissions.require(
    { resource: 'applications', action: 'create', object },
    { resource: 'applications', action: 'update', object },
  );
  requirePermitted(deps, project, record.url);
  const found = deps.reader.folders(ctx, record, query.get('revision') || 'HEAD');
  return { items: await fromRepository(ctx, found) };
}

export async function appDetails(
  ctx: Ctx,
  deps: RepositoryDeps,
  call: MethodCall<AppDetailsRequest>,
): Promise<AppDetails> {
  const { source, appProject, appName } = call.body;
  const record = requireReadable(deps, call, appProject);
  if (!source) throw new FairleadError('InvalidSpec', 'missing payload in request: source');
  requireOwn(deps, call, source);
  const project = requirePermitted(deps, appProject, record.url);
  const at = { ...source, repoURL: record.url };
  const { type, helm } = await fromRepository(ctx, deps.reader.details(ctx, record, at));
  if (type === 'Helm') return { type, ...(helm && { helm }) };
  if (type === 'Directory') return { type, directory: {} };
  if (type === 'Plugin') return { type, plugin: {} };
  const images = fromRepository(ctx, imagesIn(ctx, deps, { source: at, project, appName }));
  return { type, kustomize: { images: await images } };
}

const objectOf = ({ context }: RepositoryDeps, project: string, qualified: string): string => {
  const [name = '', namespace = context.namespace] = qualified.split('/').reverse();
  return applicationObject({ project, namespace, name }, context.namespace);
};

/**
 * compat server §2.8: of an application that exists, a caller that may only get it is shown the sources that it has or had;
 * any other source is for callers that may create or update it.
 */
function requireOwn(deps: RepositoryDeps, call: MethodCall<AppDetailsRequest>, source: Source): void {
  const { appName, appProject } = call.body;
  const { permissions } = call;
  const object = objectOf(deps, appProject, appName);
  permissions.require({ resource: 'applications', action: 'get', object });
  const [name = '', namespace = deps.context.namespace] = appName.split('/').reverse();
  const app = deps.apps.get(namespace, name);
  if (app && (app.spec.project || 'default') !== appProject) throw hidden();
  if (app && sourcesEverOf(app).some((one) => equal(one, source))) return;
  const action = app ? 'update' : 'create';
  permissions.require({ resource: 'applications', action, object });
}

const sourcesEverOf = ({ spec, status }: Application): readonly Source[] => [
  ...effectiveSources(spec),
  ...(status?.history ?? []).flatMap(({ source, sources }) => [
    ...(source ? [source] : []),
    ...(sources ?? []),
  ]),
];

function requirePermitted({ context }: RepositoryDeps, name: string, url: string): AppProject {
  const stored = context.projects.get(context.namespace, name);
  const named = (other: string) => context.projects.get(context.namespace, other);
  const project =
    stored &&
    effectiveProject(stored, {
      globals: globalsOf(stored, context.settings().globalProjects, named),
      repositories: context.repositoriesScopedTo?.(name) ?? [],
    });
  const denied = project
    ? denySource(project, url)
    : `project ${name || '""'} does not exist: set appProject`;
  if (denied || !project) throw new FairleadError('InvalidSpec', denied ?? '');
  return project;
}

type Kustomized = { readonly source: Source; readonly project: AppProject; readonly appName: string };

/** compat: the images of the objects that the kustomization builds. */
async function imagesIn(
  ctx: Ctx,
  { context }: RepositoryDeps,
  { source, project, appName }: Kustomized,
): Promise<readonly string[]> {
  const { name } = project.metadata;
  const { objects } = await context.manifests.generate(ctx, {
    app: { name: appName || 'preview', project: name },
    sources: [source],
    destinationNamespace: '',
    kube: { version: '', apiVersions: [] },
    settings: context.settings().render,
    ...(context.repositoryOf && { repositoryOf: (url) => context.repositoryOf?.(url, name) }),
    chartRepositories: {
      list: () => context.chartRepositoriesOf?.(name) ?? [],
      permits: (url) => denySource(project, url) === undefined,
    },
  });
  return [...new Set(objects.flatMap((object) => imagesOf(object)))].sort();
}
