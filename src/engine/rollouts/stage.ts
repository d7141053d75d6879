import type { KubeObject } from '#base/model';
import { clone, isObject } from '#base/std';
import type { AnalysisRun, AnalysisTemplate } from './analysis/analysis.ts';
import type { Experiment } from './experiment/experiment.ts';
import { planExperiment } from './experiment/plan.ts';
import type { ExperimentPlan } from './experiment/state.ts';
import type { RolloutPlan, RolloutService } from './pass.ts';
import { planRollout } from './plan.ts';
import type { RolloutEvent, RolloutWrite, WriteRef } from './plan-draft.ts';
import { rolesOf } from './replica-sets.ts';
import type { Rollout, RolloutReplicaSet, RolloutStatus } from './rollout.ts';

/** Rollouts and Experiments with everything around them in memory, for the tests of this room: every requested pod is ready at once. */
export class Stage {
  now = new Date('2026-01-01T00:00:00Z');
  readonly objects = new Map<string, KubeObject>();
  readonly events: RolloutEvent[] = [];
  /** Hashes of templates whose pods never become ready. */
  readonly broken = new Set<string>();
  /** How many pods of an image become ready at most. */
  readonly ready = new Map<string, number>();
  wakeAt: number | undefined;
  #version = 0;

  constructor(...objects: object[]) {
    for (const object of objects) this.put(object as KubeObject);
  }

  put(object: KubeObject): void {
    const { metadata } = object;
    this.#version += 1;
    this.objects.set(keyOf(object.kind, metadata.name), {
      ...object,
      metadata: {
        uid: `uid-${this.#version}`,
        generation: 1,
        creationTimestamp: this.now.toISOString().replace('.000', ''),
        ...metadata,
        resourceVersion: String(this.#version),
      },
    });
  }

  get<T extends KubeObject = KubeObject>(kind: string, name: string): T | undefined {
    return this.objects.get(keyOf(kind, name)) as T | undefined;
  }

  all<T extends KubeObject>(kind: string): T[] {
    return [...this.objects.values()].filter((object) => object.kind === kind) as T[];
  }

  /** The objects of a kind that an Experiment owns; without a name those that the Rollout owns. */
  ownedBy<T extends KubeObject>(kind: string, experiment?: string): T[] {
    return this.all<T>(kind).filter(
      ({ metadata }) =>
        metadata.ownerReferences?.find((one) => one.kind === 'Experiment')?.name === experiment,
    );
  }

  get rollout(): Rollout {
    return this.all<Rollout>('Rollout')[0] as Rollout;
  }

  get status(): RolloutStatus {
    return this.rollout.status ?? {};
  }

  /** The sizes of the ReplicaSets with pods, by image. */
  get pods(): Record<string, number> {
    const sets = this.ownedBy<RolloutReplicaSet>('ReplicaSet').filter(
      ({ spec }) => (spec?.replicas ?? 0) > 0,
    );
    return Object.fromEntries(sets.map((set) => [imageOf(set.spec?.template), set.spec?.replicas ?? 0]));
  }

  selected(service: string): string {
    const { selector } = this.get<RolloutService>('Service', service)?.spec ?? {};
    return this.imageOfHash(selector?.['rollouts-pod-template-hash']);
  }

  imageOfHash(hash: string | undefined): string {
    const sets = this.all<RolloutReplicaSet>('ReplicaSet');
    const set = sets.find(({ metadata }) => metadata.labels?.['rollouts-pod-template-hash'] === hash);
    return imageOf(set?.spec?.template);
  }

  /** Changes the spec, as a user does. */
  edit(change: (spec: NonNullable<Rollout['spec']>) => void): void {
    const { rollout } = this;
    const spec = clone(rollout.spec ?? {});
    change(spec);
    const metadata = { ...rollout.metadata, generation: (rollout.metadata.generation ?? 0) + 1 };
    this.put({ ...rollout, spec, metadata });
  }

  setImage(image: string): void {
    this.edit((spec) => {
      const containers = (spec.template?.spec?.containers ?? []) as { image: string }[];
      for (const container of containers) container.image = image;
    });
  }

  /** Merges into the status, as the verbs do. */
  patchStatus(status: object): void {
    this.put(merge(this.rollout, { status }) as KubeObject);
  }

  setRun(phase: string, message?: string): void {
    const run = this.all<AnalysisRun>('AnalysisRun').find(
      ({ status }) => !status?.phase || status.phase === 'Running',
    );
    if (run) this.put({ ...run, status: { phase, ...(message && { message }) } });
  }

  plan(): RolloutPlan {
    const { rollout } = this;
    return planRollout({
      rollout,
      roles: rolesOf(rollout, this.ownedBy<RolloutReplicaSet>('ReplicaSet')),
      now: this.now,
      service: (name) => this.get<RolloutService>('Service', name),
      find: (_apiVersion, kind, name) => this.get(kind, name),
      template: (name, isClusterWide) =>
        this.get<AnalysisTemplate>(isClusterWide ? 'ClusterAnalysisTemplate' : 'AnalysisTemplate', name),
      runs: this.ownedBy<AnalysisRun>('AnalysisRun'),
      experiments: this.ownedBy<Experiment>('Experiment'),
      pods: [],
    });
  }

  planExperiment(experiment: Experiment): ExperimentPlan {
    const { name } = experiment.metadata;
    return planExperiment({
      experiment,
      now: this.now,
      replicaSets: this.ownedBy<RolloutReplicaSet>('ReplicaSet', name),
      services: this.ownedBy<RolloutService>('Service', name),
      runs: this.ownedBy<AnalysisRun>('AnalysisRun', name),
      hasRun: (run) => this.get('AnalysisRun', run) !== undefined,
      template: (template, isClusterWide) =>
        this.get<AnalysisTemplate>(isClusterWide ? 'ClusterAnalysisTemplate' : 'AnalysisTemplate', template),
    });
  }

  /** One pass over everything and the reaction of the cluster. With `writes` only as many are made, as if the process died. */
  pass(writes = Number.POSITIVE_INFINITY): boolean {
    this.wakeAt = undefined;
    const changes = [
      ...this.all<Rollout>('Rollout').map(() => this.#carryOut(this.rollout, this.plan(), writes)),
      ...this.all<Experiment>('Experiment').map((one) =>
        this.#carryOut(one, this.planExperiment(one), writes),
      ),
    ];
    return [this.#react(), ...changes].some((isChanged) => isChanged);
  }

  #carryOut(object: KubeObject, plan: RolloutPlan | ExperimentPlan, writes: number): boolean {
    for (const write of plan.writes.slice(0, writes)) this.#apply(write);
    const isWhole = writes > plan.writes.length;
    const current = this.get(object.kind, object.metadata.name) ?? object;
    if (plan.status && isWhole) this.put({ ...current, status: clone(plan.status) });
    if (isWhole) this.events.push(...plan.events);
    if (plan.wakeAt !== undefined) this.wakeAt = Math.min(plan.wakeAt, this.wakeAt ?? plan.wakeAt);
    return plan.writes.length > 0 || plan.status !== undefined;
  }

  /** Passes until nothing changes. */
  settle(): void {
    for (let count = 0; this.pass(); count += 1)
      if (count > 100) throw new Error('the Rollout does not come to rest');
  }

  /** Time passes, with a pass whenever one is due. */
  wait(seconds: number): void {
    const end = this.now.getTime() + seconds * 1000;
    this.settle();
    while (this.wakeAt !== undefined && this.wakeAt <= end) {
      this.now = new Date(Math.max(this.wakeAt, this.now.getTime() + 1000));
      this.settle();
    }
    this.now = new Date(end);
    this.settle();
  }

  #apply(write: RolloutWrite): void {
    if (write.verb === 'create') this.put(write.object);
    else if (write.verb === 'delete') this.objects.delete(keyOf(write.ref.kind, write.ref.name));
    else if (write.verb === 'patch') this.#patch(write.ref, write.body);
  }

  #patch({ kind, name }: WriteRef, body: object): void {
    const object = this.get(kind, name);
    if (!object) throw new Error(`no ${kind} ${name}`);
    const next = merge(object, body) as KubeObject;
    const isSpecChanged = JSON.stringify(next.spec) !== JSON.stringify(object.spec);
    const generation = (object.metadata.generation ?? 0) + (isSpecChanged ? 1 : 0);
    this.put({ ...next, metadata: { ...next.metadata, generation } });
  }

  #react(): boolean {
    let isChanged = false;
    for (const set of this.all<RolloutReplicaSet>('ReplicaSet')) {
      const replicas = set.spec?.replicas ?? 0;
      const isBroken = this.broken.has(imageOf(set.spec?.template));
      const most = this.ready.get(imageOf(set.spec?.template)) ?? replicas;
      const ready = isBroken ? 0 : Math.min(most, replicas);
      const observedGeneration = set.metadata.generation ?? 0;
      const status = { replicas, readyReplicas: ready, availableReplicas: ready, observedGeneration };
      if (JSON.stringify(status) === JSON.stringify(set.status)) continue;
      this.put({ ...set, status });
      isChanged = true;
    }
    return isChanged;
  }
}

const keyOf = (kind: string, name: string): string => `${kind}/${name}`;

const imageOf = (template: { spec?: Record<string, unknown> } | undefined): string =>
  (template?.spec?.containers as { image: string }[] | undefined)?.[0]?.image ?? '';

function merge(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(value) ? { ...value } : {};
  for (const [key, item] of Object.entries(patch)) {
    if (item === null) delete result[key];
    else result[key] = merge(result[key], item);
  }
  return result;
}
