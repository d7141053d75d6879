import type { Application, ApplicationCondition, AppProject, KubeObject } from '#base/model';
import { projectName, sourceProblems } from '#base/model';
import { FairleadError, Lru } from '#base/std';
import type { LiveCluster } from '#control/live';
import {
  denyApplication,
  denyInCluster,
  denyNamespace,
  denyObject,
  effectiveProject,
  globalsOf,
  identityFor,
} from '#engine';
import type { ComparisonDeps } from './comparison-deps.ts';

/** An application's destination and the project rules for it. */
export type AppDestination = {
  readonly cluster: LiveCluster;
  readonly project: AppProject;
  /** Why the project denies an object, or undefined when it does not. */
  denies(object: KubeObject, namespaced: boolean): string | undefined;
  /**
   * The client that writes for the application (engine P-27). Throws InvalidSpec where no identity may write. Reads do not need it.
   */
  writer(): LiveCluster['kube'];
};

export type DestinationResult =
  | { readonly destination: AppDestination }
  | { readonly conditions: readonly ApplicationCondition[] };

/**
 * compat engine A-18: the spec checked against its project, or every reason why it is invalid. compat engine A-34: an
 * application that is being deleted needs its project and its cluster; invalid sources must not block its deletion.
 */
export function resolveDestination(
  context: Omit<ComparisonDeps, 'manifests'>,
  app: Application,
): DestinationResult {
  if (!app.spec?.destination) return { conditions: withoutDestination(app) };
  const name = projectName(app);
  const stored = context.projects.get(context.namespace, name);
  if (!stored) {
    return invalid(
      `application references project ${name}, which does not exist: create it or change spec.project`,
    );
  }
  const { globalProjects, inClusterEnabled } = context.settings();
  const globals = globalsOf(stored, globalProjects, (other) =>
    context.projects.get(context.namespace, other),
  );
  const unreadable = unreadableIn([stored, ...globals]);
  if (unreadable.length > 0) return { conditions: unreadable };
  const project = effectiveProject(stored, {
    globals,
    repositories: context.repositoriesScopedTo?.(name) ?? [],
    clusters: context.clusters.scopedTo?.(name) ?? [],
  });
  const foreign = denyNamespace(project, app.metadata.namespace ?? context.namespace, context.namespace);
  if (foreign) return { conditions: [{ type: 'UnknownError', message: foreign }] };
  try {
    const cluster = context.clusters.resolve(app.spec.destination);
    const switchedOff = denyInCluster(cluster.server, inClusterEnabled);
    if (switchedOff) return invalid(switchedOff);
    const namespace = app.spec.destination.namespace ?? '';
    const conditions = app.metadata.deletionTimestamp
      ? []
      : [...problemsOf(app), ...denyApplication(app, project, destinationOf(cluster, namespace))];
    if (conditions.length > 0) return { conditions };
    return {
      destination: {
        cluster,
        project,
        denies: denialsOf(project, cluster),
        writer: () => writerFor(context, app, project, cluster),
      },
    };
  } catch (error) {
    return invalid(FairleadError.from(error).message);
  }
}

const withoutDestination = ({ unreadable }: Application): ApplicationCondition[] =>
  (
    unreadable ?? [
      'spec.destination is missing: say which cluster, and usually which namespace, to deploy to',
    ]
  ).flatMap(invalidly);

/** A project that cannot be read permits nothing; a global one might have denied something. */
const unreadableIn = (projects: readonly AppProject[]): ApplicationCondition[] =>
  projects.flatMap(({ metadata, unreadable = [] }) =>
    unreadable.flatMap((why) =>
      invalidly(`project ${metadata.name} cannot be read, so it permits nothing: ${why}`),
    ),
  );

/** Cached decisions per project. */
const capacity = 5_000;

/** Cached decisions of projects. A project object is immutable; a changed project is another object. */
const said = new WeakMap<AppProject, Lru<string>>();

/** compat engine P-17: evaluated once for each kind and namespace; only cluster-scoped objects may be permitted by name. */
function denialsOf(project: AppProject, cluster: LiveCluster): AppDestination['denies'] {
  const known = said.get(project) ?? new Lru<string>({ capacity });
  said.set(project, known);
  const { server, name: clusterName, record } = cluster;
  const where = `${server} ${clusterName} ${record.project}`;
  return (object, namespaced) => {
    const { name, namespace = '' } = object.metadata;
    const what = namespaced ? `in ${namespace}` : name;
    const id = `${object.apiVersion} ${object.kind} ${what} ${where}`;
    let why = known.get(id);
    if (why === undefined) {
      why = denyObject(project, object, namespaced, destinationOf(cluster, namespace)) ?? '';
      known.set(id, why);
    }
    return why || undefined;
  };
}

const destinationOf = ({ server, name, record }: LiveCluster, namespace: string) => ({
  server,
  name,
  namespace,
  clusterProject: record.project,
});

/** compat engine P-25 … P-28: as the service account the project names for this destination, or as the control plane. */
function writerFor(
  context: Omit<ComparisonDeps, 'manifests'>,
  app: Application,
  project: AppProject,
  cluster: LiveCluster,
): LiveCluster['kube'] {
  const identity = identityFor(project, app, cluster.server, context.settings().impersonation);
  if (identity.as === 'none') throw new FairleadError('InvalidSpec', identity.why);
  return identity.as === 'serviceAccount' ? cluster.kube.as(identity.user) : cluster.kube;
}

function problemsOf({ spec, unreadable }: Application): ApplicationCondition[] {
  if (unreadable) return unreadable.flatMap(invalidly);
  if (spec.sourceHydrator) return invalidly('not supported yet: spec.sourceHydrator');
  return sourceProblems(spec).flatMap(invalidly);
}

const invalidly = (message: string): ApplicationCondition[] => [{ type: 'InvalidSpecError', message }];
const invalid = (message: string): DestinationResult => ({ conditions: invalidly(message) });
