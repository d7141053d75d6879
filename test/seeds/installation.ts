import {
  type Application,
  defaultSettings,
  instanceName,
  type KubeObject,
  keyOf,
  type Operation,
  type OperationState,
  type ResourceKey,
  type Settings,
} from '#base/model';
import { managedBy } from '#control/live';
import {
  type CompareOptions,
  type Comparison,
  compare,
  defaultTracking,
  type HealthOptions,
  ignoreRules,
  nextStep,
  ownerOf,
  planTasks,
  prepareTarget,
  record,
  respectIgnored,
  type SyncStep,
  type SyncTask,
  trackedBy,
} from '#engine';

const clusterWide = new Set([
  'Namespace',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleBinding',
  'ClusterSecretStore',
  'MutatingWebhookConfiguration',
]);
const isNamespaced = ({ kind }: { kind: string }): boolean => !clusterWide.has(kind);

/** An application that a document shows only a part of. */
export const application = (spec: Partial<Application['spec']> = {}, name = 'app'): Application => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: { destination: { server: 'https://kubernetes.default.svc', namespace: 'd' }, ...spec },
});

type Resources = Settings['resources'];
type Setup = { readonly resources?: Resources; readonly health?: HealthOptions };

/** One application, its manifests and a cluster that does what it is told: the engine's caller, without the waiting. */
export class Installation {
  readonly live = new Map<ResourceKey, KubeObject>();
  readonly app: Application;
  readonly targets: readonly KubeObject[];
  health: HealthOptions;
  state: OperationState;
  readonly #resources: Resources;

  constructor(app: Application, targets: readonly KubeObject[], setup: Setup = {}) {
    this.app = app;
    this.targets = targets;
    this.health = setup.health ?? {};
    this.#resources = setup.resources ?? defaultSettings.resources;
    this.state = stateOf({ sync: {} });
  }

  #options(): CompareOptions {
    return {
      controlPlaneNamespace: 'argocd',
      tracking: defaultTracking,
      resources: this.#resources,
      isNamespaced,
      health: this.health,
    };
  }

  compare(): Comparison {
    const owner = ownerOf(this.app, 'argocd');
    const target = prepareTarget(this.targets, { owner, tracking: defaultTracking, isNamespaced });
    const marked = (instance: string) =>
      [...this.live.values()].filter((object) => trackedBy(object, defaultTracking) === instance);
    const cache = { trackedBy: marked, get: (key: ResourceKey) => this.live.get(key) };
    const live = managedBy(cache, instanceName(this.app, 'argocd'), target.objects.map(keyOf));
    return compare(this.app, { target, live }, this.#options());
  }

  begin(operation: Operation): this {
    this.state = stateOf(operation);
    return this;
  }

  /** What is next; a dry run is answered with yes. */
  next(): SyncStep {
    const rules = ignoreRules(this.app, this.#resources);
    const namespace = [...this.live.values()].find(({ kind }) => kind === 'Namespace');
    const respects = this.app.spec.syncPolicy?.syncOptions?.includes('RespectIgnoreDifferences=true');
    const plan = planTasks({
      app: this.app,
      state: this.state,
      comparison: this.compare(),
      revision: 'main',
      discover: ({ kind }) => ({ found: true, namespaced: isNamespaced({ kind }) }),
      health: this.health,
      ...(namespace && { namespace }),
      ...(respects && { respect: (target, live) => respectIgnored(target, live, rules) }),
    });
    return nextStep(plan, { dryRun: [] });
  }

  /** Takes a step and writes down how it went. */
  take(step: SyncStep): void {
    const tasks = step.do === 'apply' ? [...step.prune, ...step.groups.flat()] : [];
    for (const task of tasks) this.#write(task);
    for (const { task, remove } of step.do === 'delete-hooks' ? step.hooks : []) {
      const held = this.live.get(task.key);
      if (remove) this.live.delete(task.key);
      else if (held) this.put({ ...held, metadata: { ...held.metadata, finalizers: [] } });
    }
    const outcomes = tasks.map((task) => ({ task, ok: true, message: '' }));
    this.state = { ...this.state, syncResult: { resources: [...record(step, outcomes)] } };
  }

  #write({ key, target }: SyncTask): void {
    if (target) this.live.set(key, { ...target, status: this.live.get(key)?.status });
    else this.live.delete(key);
  }

  /** A controller writes the status of one object. */
  report(name: string, status: Record<string, unknown>): void {
    for (const [key, object] of this.live)
      if (object.metadata.name === name) this.live.set(key, { ...object, status });
  }

  put(...objects: readonly KubeObject[]): this {
    for (const object of objects) this.live.set(keyOf(object), object);
    return this;
  }
}

const stateOf = (operation: Operation): OperationState => ({
  operation,
  phase: 'Running',
  startedAt: '2026-06-03T10:00:00Z',
});

/** A step in one line: what is done to whom. */
export function told(step: SyncStep): string {
  const names = (tasks: readonly SyncTask[]) => tasks.map(({ key }) => key.split('/').at(-1)).join(' ');
  switch (step.do) {
    case 'apply':
      return [
        `${step.phase} ${step.wave}: ${names(step.groups.flat())}`,
        ...(step.prune.length > 0 ? [`prune ${names(step.prune)}`] : []),
      ].join(', ');
    case 'wait':
      return `wait for ${names(step.for)}`;
    case 'delete-hooks':
      return step.hooks
        .map(({ task, remove }) => `${remove ? 'delete' : 'release'} ${names([task])}`)
        .join(', ');
    case 'finish':
      return step.phase;
    default:
      return step.do;
  }
}

/** Everything a sync does, while the cluster answers between the steps. */
export function run(installation: Installation, between: (world: Installation) => void = done): string[] {
  const steps: string[] = [];
  for (let pass = 0; pass < 50; pass++) {
    const step = installation.next();
    steps.push(told(step));
    if (step.do === 'finish') return steps;
    installation.take(step);
    between(installation);
  }
  throw new Error(`the sync never ends: ${steps.slice(0, 10).join('; ')}`);
}

/** A cluster in which everything works out. */
export function done({ live }: Installation): void {
  for (const [key, object] of live) {
    const status = statusWhenDone[object.kind];
    if (status) live.set(key, { ...object, status });
  }
}

const statusWhenDone: Readonly<Record<string, Record<string, unknown>>> = {
  Job: { conditions: [{ type: 'Complete', status: 'True' }] },
  Deployment: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 },
};
