import { compareBytes, groupOf, isKind, type KubeObject, type SyncPhase } from '#base/model';
import { isDefinition } from '../tracking.ts';

/** The properties of a task that ordering uses. Phase and wave are the two it may also change. */
export type Orderable = {
  phase: SyncPhase;
  wave: number;
  readonly target?: KubeObject;
  readonly live?: KubeObject;
};

const phases: Readonly<Record<SyncPhase, number>> = { PreSync: 0, Sync: 1, PostSync: 2, SyncFail: 3 };

// compat engine S-16: the kind alone decides, whatever its group; every other kind comes last
const ranks: ReadonlyMap<string, number> = new Map(
  [
    'Namespace',
    'NetworkPolicy',
    'ResourceQuota',
    'LimitRange',
    'PodSecurityPolicy',
    'PodDisruptionBudget',
    'ServiceAccount',
    'Secret',
    'SecretList',
    'ConfigMap',
    'StorageClass',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'CustomResourceDefinition',
    'ClusterRole',
    'ClusterRoleList',
    'ClusterRoleBinding',
    'ClusterRoleBindingList',
    'Role',
    'RoleList',
    'RoleBinding',
    'RoleBindingList',
    'Service',
    'DaemonSet',
    'Pod',
    'ReplicationController',
    'ReplicaSet',
    'Deployment',
    'HorizontalPodAutoscaler',
    'StatefulSet',
    'Job',
    'CronJob',
    'IngressClass',
    'Ingress',
    'APIService',
  ].map((kind, rank) => [kind, rank]),
);

/** compat engine S-15, S-17: the order in which tasks are taken. Total: the same tasks in any order give the same list. */
export function order<T extends Orderable>(tasks: readonly T[]): T[] {
  const sorted = tasks.map((task) => ({ ...task })).sort(compareTasks);
  return lift(lift(lift(sorted, gates), namespaces), definitions);
}

export function isSameStep(
  a: Pick<Orderable, 'phase' | 'wave'>,
  b: Pick<Orderable, 'phase' | 'wave'>,
): boolean {
  return a.phase === b.phase && a.wave === b.wave;
}

function compareTasks(a: Orderable, b: Orderable): number {
  const [x, y] = [shown(a), shown(b)];
  return (
    phases[a.phase] - phases[b.phase] ||
    a.wave - b.wave ||
    rank(x.kind) - rank(y.kind) ||
    compareBytes(x.metadata.name, y.metadata.name) ||
    compareBytes(x.kind, y.kind) ||
    compareBytes(groupOf(x), groupOf(y)) ||
    compareBytes(x.metadata.namespace ?? '', y.metadata.namespace ?? '')
  );
}

const rank = (kind: string): number => ranks.get(kind) ?? ranks.size;
const shown = ({ target, live }: Orderable): KubeObject =>
  target ?? live ?? { apiVersion: '', kind: '', metadata: { name: '' } };

/** One way in which objects need another object to exist first. */
type Dependency = {
  /** The name under which others depend on this object; undefined when none can. */
  readonly provides: (object: KubeObject) => string | undefined;
  readonly needs: (object: KubeObject, live: KubeObject | undefined) => string | undefined;
};

const namespaces: Dependency = {
  provides: (object) => (isKind(object, '', 'Namespace') ? object.metadata.name : undefined),
  needs: ({ metadata }) => metadata.namespace || undefined,
};

type DefinitionView = KubeObject<{ group?: string; names?: { kind?: string } }>;

/** `group/Kind` of what a CustomResourceDefinition defines; undefined for any other object. */
export function definedKind(object: KubeObject): string | undefined {
  const { group, names } = (isDefinition(object) && (object as DefinitionView).spec) || {};
  return group && names?.kind ? `${group}/${names.kind}` : undefined;
}

const definitions: Dependency = {
  provides: definedKind,
  needs: (object) => `${groupOf(object)}/${object.kind}`,
};

type GateView = KubeObject<{
  strategy?: {
    canary?: { trafficRouting?: { plugins?: Readonly<Record<string, { service?: unknown } | null>> } };
  };
}>;

/** The Knative Service that a Rollout moves the traffic of; undefined for any other object. */
export function gatedService(object: KubeObject): string | undefined {
  if (!isKind(object, 'argoproj.io', 'Rollout')) return undefined;
  const { plugins } = (object as GateView).spec?.strategy?.canary?.trafficRouting ?? {};
  const service = plugins?.['fairlead.io/knative']?.service;
  return typeof service === 'string' ? service : undefined;
}

/**
 * compat rollouts RK-12: a Rollout pins the traffic before its Service gets a new template. A Service that does not exist yet has none to
 * pin, and comes first: before that the Rollout would be invalid.
 */
const gates: Dependency = {
  provides: (object) => {
    const service = gatedService(object);
    return service === undefined ? undefined : `${object.metadata.namespace ?? ''}/${service}`;
  },
  needs: (object, live) =>
    live && isKind(object, 'serving.knative.dev', 'Service')
      ? `${object.metadata.namespace ?? ''}/${object.metadata.name}`
      : undefined,
};

/**
 * Moves dependencies right before their first dependant, into the same phase and wave. One walk: a dependency
 * never has dependencies itself, so the indices recorded on the way stay valid and the list is assembled once
 * at the end.
 */
function lift<T extends Orderable>(tasks: T[], { provides, needs }: Dependency): T[] {
  const provided = new Set(tasks.flatMap(({ target }) => (target && provides(target)) ?? []));
  if (provided.size === 0) return tasks;

  const firstNeed = new Map<string, T>();
  const lifted = new Map<T, T[]>();
  const rest = tasks.filter((task) => {
    if (!task.target) return true;
    const provision = provides(task.target);
    if (provision === undefined) {
      const need = needs(task.target, task.live);
      if (need !== undefined && provided.has(need) && !firstNeed.has(need)) firstNeed.set(need, task);
      return true;
    }
    return !join(task, firstNeed.get(provision), lifted);
  });
  return rest.flatMap((task) => [...(lifted.get(task) ?? []), task]);
}

/**
 * Puts a task before its dependant, whose phase and wave it takes on; false when no earlier task depends on
 * it.
 */
function join<T extends Orderable>(task: T, dependant: T | undefined, lifted: Map<T, T[]>): boolean {
  if (!dependant) return false;
  task.phase = dependant.phase;
  task.wave = dependant.wave;
  const before = lifted.get(dependant);
  if (before) before.push(task);
  else lifted.set(dependant, [task]);
  return true;
}
