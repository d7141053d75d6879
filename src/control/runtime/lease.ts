import type { KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import { hasReason, type KubeClient } from '#kubernetes/client';

export type LeaseOptions = {
  readonly kube: Pick<KubeClient, 'find' | 'create' | 'update'>;
  readonly namespace: string;
  /** Of the Lease: of the processes that compete for one name at most one leads. */
  readonly name: string;
  /** Our identity. No other process may use it while we run; a process that restarts with it resumes at once. */
  readonly identity: string;
  readonly leaseMs: number;
};

type LeaseSpec = {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
};
type Lease = KubeObject & { spec?: LeaseSpec };

/** The holder, and a version that changes with every write. */
export type LeaseState = { readonly holder: string; readonly version: string; readonly leaseMs: number };

/**
 * The Lease object (coordination.k8s.io/v1) that names the leader, as every Kubernetes controller writes it. Its times are
 * informative: no clock is compared with that of another machine.
 */
export class LeaderLease {
  readonly #options: LeaseOptions;
  #lease: Lease | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** The current holder; undefined: the Lease was never held. */
  async read(ctx: Ctx): Promise<LeaseState | undefined> {
    const { namespace, name, leaseMs } = this.#options;
    const ref = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name };
    this.#lease = (await this.#options.kube.find(ctx, ref)) as Lease | undefined;
    if (!this.#lease) return undefined;
    const { spec, metadata } = this.#lease;
    return {
      holder: spec?.holderIdentity ?? '',
      version: `${metadata.uid} ${metadata.resourceVersion}`,
      leaseMs: (spec?.leaseDurationSeconds ?? leaseMs / 1000) * 1000,
    };
  }

  /** Writes our identity over the version read or written last. False when another process wrote since then. */
  async claim(ctx: Ctx): Promise<boolean> {
    const { identity, leaseMs } = this.#options;
    const before = this.#lease?.spec ?? {};
    const isOurs = before.holderIdentity === identity;
    const now = microTime(ctx);
    const transitions = before.leaseTransitions ?? 0;
    return this.#write(ctx, {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseMs / 1000),
      acquireTime: (isOurs && before.acquireTime) || now,
      renewTime: now,
      leaseTransitions: isOurs || !this.#lease ? transitions : transitions + 1,
    });
  }

  /** Releases the Lease, so that the next leader need not wait for its end. */
  async release(ctx: Ctx): Promise<void> {
    const { identity } = this.#options;
    const { holderIdentity, leaseTransitions = 0 } = this.#lease?.spec ?? {};
    if (holderIdentity !== identity) return;
    const now = microTime(ctx);
    await this.#write(ctx, {
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTime: now,
      renewTime: now,
      leaseTransitions,
    });
  }

  async #write(ctx: Ctx, spec: LeaseSpec): Promise<boolean> {
    const { kube, namespace, name } = this.#options;
    const metadata = this.#lease?.metadata ?? { name, namespace };
    const lease: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
    try {
      this.#lease = (await (this.#lease ? kube.update(ctx, lease) : kube.create(ctx, lease))) as Lease;
      return true;
    } catch (error) {
      if (hasReason(error, 'Conflict', 'AlreadyExists', 'NotFound')) return false;
      throw error;
    }
  }
}

/** As Kubernetes writes the times of a Lease: to the microsecond. */
const microTime = ({ clock }: Ctx): string => clock.now().toISOString().replace('Z', '000Z');
