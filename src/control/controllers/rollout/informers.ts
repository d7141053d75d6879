import type { KubeObject } from '#base/model';
import { type Ctx, Tasks } from '#base/std';
import { Informer, type ObjectChange } from '#control/live';
import type {
  AnalysisRun,
  AnalysisTemplate,
  Experiment,
  Rollout,
  RolloutReplicaSet,
  RolloutService,
} from '#engine/rollouts';
import type { KubeClient } from '#kubernetes/client';

const argo = 'argoproj.io/v1alpha1';

/** Field managers are of no use here, and are the larger half of many objects. */
function lean<T extends KubeObject>(object: T): T {
  const { managedFields: _managers, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** compat rollouts RP-3: when the peer's controller last wrote the status is all that is kept of the field managers. */
function withPeer(rollout: KubeObject): KubeObject {
  const peer = (rollout.metadata.managedFields ?? [])
    .filter(({ manager }) => manager === 'rollouts-controller')
    .map(({ manager, time }) => ({ ...(manager && { manager }), ...(time && { time }) }));
  const { metadata, ...rest } = lean(rollout);
  return { ...rest, metadata: peer.length > 0 ? { ...metadata, managedFields: peer } : metadata };
}

/** Only that the object changed is of interest. */
const bare = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => {
  const { name, namespace, uid, resourceVersion, generation } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(generation !== undefined && { generation }),
    },
  };
};

/** What the controllers of progressive delivery keep of the cluster. */
export class RolloutInformers {
  readonly rollouts: Informer<Rollout>;
  readonly replicaSets: Informer<RolloutReplicaSet>;
  readonly services: Informer<RolloutService>;
  readonly runs: Informer<AnalysisRun>;
  readonly experiments: Informer<Experiment>;
  readonly templates: Informer<AnalysisTemplate>;
  readonly clusterTemplates: Informer<AnalysisTemplate>;
  readonly #kube: KubeClient;
  readonly #tasks = new Tasks();
  readonly #onChange = new Set<(object: KubeObject) => void>();

  constructor(kube: KubeClient) {
    this.#kube = kube;
    this.rollouts = new Informer(kube, { apiVersion: argo, kind: 'Rollout' }, withPeer);
    // compat rollouts §19: only ReplicaSets of Rollouts and Experiments, not those of Deployments
    const labelSelector = 'rollouts-pod-template-hash';
    this.replicaSets = new Informer(kube, { apiVersion: 'apps/v1', kind: 'ReplicaSet', labelSelector }, lean);
    this.services = new Informer(kube, { apiVersion: 'v1', kind: 'Service' }, lean);
    this.runs = new Informer(kube, { apiVersion: argo, kind: 'AnalysisRun' }, lean);
    this.experiments = new Informer(kube, { apiVersion: argo, kind: 'Experiment' }, lean);
    this.templates = new Informer(kube, { apiVersion: argo, kind: 'AnalysisTemplate' }, lean);
    this.clusterTemplates = new Informer(kube, { apiVersion: argo, kind: 'ClusterAnalysisTemplate' }, lean);
  }

  async run(ctx: Ctx): Promise<void> {
    const all = this.#all();
    await this.#tasks.run(ctx, async (inner) => {
      await Promise.all(all.map((one) => one.run(inner)));
    });
  }

  async whenSynced(ctx: Ctx): Promise<void> {
    await Promise.all(this.#all().map((one) => one.whenSynced(ctx)));
  }

  /** Reports changes of a kind from now on: routers and workloads are watched only where a Rollout refers to one. */
  watch(apiVersion: string, kind: string): void {
    const name = `${apiVersion} ${kind}`;
    if (this.#tasks.has(name)) return;
    this.#tasks.start(name, async (ctx) => {
      const informer = new Informer(this.#kube, { apiVersion, kind }, bare);
      await Promise.all([this.#follow(informer.changes(ctx)), informer.run(ctx)]);
    });
  }

  async #follow(changes: AsyncIterable<ObjectChange>): Promise<void> {
    for await (const { before, after } of changes) {
      const object = after ?? before;
      if (object) for (const hear of this.#onChange) hear(object);
    }
  }

  /** Calls back for every change of a kind that is watched on demand. */
  onReferenced(hear: (object: KubeObject) => void): void {
    this.#onChange.add(hear);
  }

  #all(): readonly Pick<Informer, 'run' | 'whenSynced'>[] {
    const { rollouts, replicaSets, services, runs, experiments, templates, clusterTemplates } = this;
    return [rollouts, replicaSets, services, runs, experiments, templates, clusterTemplates];
  }
}
