import { type Cluster, createCluster } from '#devcluster';
import { createKubeClient } from '#kube';
import type { KubeObject } from '#model';
import { FairleadError } from '#std';
import { memoryStore } from '#store';
import { cacheOf, type LifeOptions } from './control-plane.ts';
import { home, type Stage } from './stage.ts';

/** Another cluster than the control plane's, registered by a Secret, to which the way can be cut. */
export class SecondCluster {
  static readonly server = 'https://second.example';
  readonly cluster: Cluster;
  readonly #stage: Stage;
  #cut: AbortController | undefined;
  #ways = new AbortController();

  private constructor(stage: Stage, cluster: Cluster) {
    this.#stage = stage;
    this.cluster = cluster;
  }

  static async open(stage: Stage): Promise<SecondCluster> {
    const cluster = await createCluster({ store: memoryStore(), clock: stage.clock, seed: 2 });
    const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
    await cluster.objects.create(shop, { manager: 'test' });
    return new SecondCluster(stage, cluster);
  }

  /** From now on nobody gets through, and whoever was through is cut off. */
  cut(): void {
    this.#cut = new AbortController();
    this.#ways.abort(new Error('connection reset'));
    this.#ways = new AbortController();
  }

  mend(): void {
    this.#cut = undefined;
  }

  readonly open: NonNullable<LifeOptions['open']> = () => {
    const kube = createKubeClient({
      transport: (request) => {
        if (this.#cut) return Promise.reject(new FairleadError('Unavailable', 'connection refused'));
        const signal = AbortSignal.any([request.signal, this.#ways.signal]);
        return this.#stage.during(this.cluster.handle({ ...request, signal }));
      },
    });
    return { kube, cache: cacheOf(kube), close: () => {} };
  };

  /** The Secret that registers it; `config` is how it is reached. */
  secret(config = '{}'): KubeObject {
    return {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'second', namespace: home, labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
      stringData: { name: 'second', server: SecondCluster.server, config },
    } as KubeObject;
  }

  names(): string[] {
    return this.cluster.objects
      .list({ apiVersion: 'v1', kind: 'ConfigMap' }, { namespace: 'shop' })
      .map(({ metadata }) => metadata.name)
      .filter((name) => name !== 'kube-root-ca.crt');
  }
}
