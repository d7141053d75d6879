import type { KubeObject } from '#base/model';
import { FairleadError } from '#base/std';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient } from '#kubernetes/client';
import { memoryStore } from '#platform/store';
import { cacheOf, type LifeOptions } from './control-plane.ts';
import { home, type Stage } from './stage.ts';

type Body = Awaited<ReturnType<EmbeddedCluster['handle']>>['body'];

/** Clients wait for an answer so long, in the time of the world; here it is the stage's. */
const patienceMs = 60_000;

/** How a server that is there stops answering: everything, or in the middle of every answer. */
export type Hang = 'never answers' | 'stops half way';

/** Another cluster than the control plane's, registered by a Secret, to which the way can be cut. */
export class SecondCluster {
  static readonly server = 'https://second.example';
  readonly cluster: EmbeddedCluster;
  readonly #stage: Stage;
  #cut: AbortController | undefined;
  #hang: Hang | undefined;
  #ways = new AbortController();

  private constructor(stage: Stage, cluster: EmbeddedCluster) {
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

  /** From now on connections stand, and nothing comes through them any more. */
  hang(how: Hang): void {
    this.#hang = how;
  }

  mend(): void {
    this.#cut = undefined;
    this.#hang = undefined;
  }

  readonly open: NonNullable<LifeOptions['open']> = () => {
    const kube = createKubeClient({
      transport: async (request) => {
        if (this.#cut) throw new FairleadError('Unavailable', 'connection refused');
        if (this.#hang === 'never answers') return this.#silence(request.signal);
        const signal = AbortSignal.any([request.signal, this.#ways.signal]);
        const answer = await this.#stage.during(this.cluster.handle({ ...request, signal }));
        return { ...answer, body: this.#through(answer.body, request.signal) };
      },
    });
    return { kube, cache: cacheOf(kube), close: () => {} };
  };

  /** What comes through of an answer, for as long as anything does. */
  #through(body: Body, signal: AbortSignal): Body {
    if (typeof body === 'string' && this.#hang) return this.#half(body, signal);
    return typeof body === 'string' || body instanceof Uint8Array ? body : this.#flowing(body, signal);
  }

  async *#flowing(body: AsyncIterable<string | Uint8Array>, signal: AbortSignal) {
    for await (const chunk of body) {
      if (this.#hang) await this.#silence(signal);
      yield chunk;
    }
  }

  async *#half(text: string, signal: AbortSignal): AsyncGenerator<string> {
    yield text.slice(0, text.length / 2);
    await this.#silence(signal);
  }

  async #silence(signal: AbortSignal): Promise<never> {
    await this.#stage.clock.sleep(patienceMs, signal);
    throw new FairleadError('Unavailable', `it took longer than ${patienceMs / 1000} s`);
  }

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
