import type { KubeClient } from '#kube';
import { type Destination, inClusterName, inClusterServer } from '#model';
import { FairleadError } from '#std';
import type { ClusterCache } from './cluster-cache.ts';

/** A cluster we can read from memory and write to. */
export type LiveCluster = {
  readonly server: string;
  readonly name: string;
  readonly kube: KubeClient;
  readonly cache: ClusterCache;
};

/** The clusters applications may name as their destination. */
export class Clusters {
  readonly #home: LiveCluster;

  constructor(options: { readonly home: LiveCluster }) {
    this.#home = options.home;
  }

  all(): readonly LiveCluster[] {
    return [this.#home];
  }

  /** compat A-13: throws InvalidSpec unless exactly one cluster is meant. */
  resolve({ server, name }: Destination): LiveCluster {
    if (server && name) {
      throw new FairleadError('InvalidSpec', 'spec.destination has both server and name: remove one of them');
    }
    if (!server && !name) {
      throw new FairleadError(
        'InvalidSpec',
        `spec.destination names no cluster: set server, for example ${inClusterServer}, or name`,
      );
    }
    const home = server ? server.replace(/\/+$/, '') === this.#home.server : name === this.#home.name;
    if (home) return this.#home;
    throw new FairleadError(
      'InvalidSpec',
      `not supported yet: destination cluster ${server ?? name}; use ${inClusterServer} or the name ${inClusterName}`,
    );
  }
}
