import type { KubeObject } from '#base/model';
import { type Ctx, joined, type Task } from '#base/std';
import type { KubeClient } from '#kubernetes/client';

export type PeerCheck = {
  readonly kube: Pick<KubeClient, 'list'>;
  /** The name by which this process holds the Lease. */
  readonly identity: string;
  readonly leaseName: string;
  /** Receives why Rollouts are left to the peer; undefined: they are not any more. */
  readonly onStandby?: (why: string | undefined) => void;
};

const checkMs = 15_000;
const recentMs = 10 * 60_000;

type LeaseObject = KubeObject<{ holderIdentity?: string; renewTime?: string; leaseDurationSeconds?: number }>;

/** compat rollouts RP-3: why the controller of Argo Rollouts counts as being at work; undefined: it is not. */
async function peerAtWork(ctx: Ctx, { kube, identity, leaseName }: PeerCheck): Promise<string | undefined> {
  const now = ctx.clock.now().getTime();
  try {
    const leases = await kube.list(ctx, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' });
    const held = (leases.items as LeaseObject[]).find((lease) => isHeld(lease, { identity, leaseName, now }));
    if (held) return `${held.spec?.holderIdentity} holds the Lease ${held.metadata.namespace}/${leaseName}`;
  } catch {
    return 'Leases cannot be read';
  }
  return (await runningDeployment(ctx, kube)) ?? (await lateWrite(ctx, kube, now));
}

function isHeld(
  { metadata, spec }: LeaseObject,
  {
    identity,
    leaseName,
    now,
  }: { readonly identity: string; readonly leaseName: string; readonly now: number },
): boolean {
  const { holderIdentity = '', renewTime = '', leaseDurationSeconds = 15 } = spec ?? {};
  if (metadata.name !== leaseName || holderIdentity === '' || holderIdentity === identity) return false;
  // another replica of ours holds it too: that is no peer, and the Lease itself decides between us
  if (holderIdentity.startsWith('fairlead')) return false;
  return now - Date.parse(renewTime) < 3 * leaseDurationSeconds * 1000;
}

async function runningDeployment(ctx: Ctx, kube: PeerCheck['kube']): Promise<string | undefined> {
  const labelSelector = 'app.kubernetes.io/name=argo-rollouts';
  const { items } = await kube.list(ctx, { apiVersion: 'apps/v1', kind: 'Deployment' }, { labelSelector });
  const running = items.find(
    ({ status }) => ((status as { availableReplicas?: number })?.availableReplicas ?? 0) > 0,
  );
  return running && `the Deployment ${running.metadata.namespace}/${running.metadata.name} is running`;
}

async function lateWrite(ctx: Ctx, kube: PeerCheck['kube'], now: number): Promise<string | undefined> {
  const { items } = await kube.list(ctx, { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' });
  const written = items.find(({ metadata }) =>
    metadata.managedFields?.some(
      ({ manager, time = '' }) => manager === 'rollouts-controller' && now - Date.parse(time) < recentMs,
    ),
  );
  return (
    written &&
    `it wrote the status of the Rollout ${written.metadata.namespace}/${written.metadata.name} lately`
  );
}

/** compat rollouts RP-3: runs the controller while no peer is at work, and stops it within seconds when one appears. */
export async function actWithoutPeer(ctx: Ctx, check: PeerCheck, act: Task): Promise<void> {
  let reported = '';
  while (!ctx.signal.aborted) {
    const why = await peerAtWork(ctx, check).catch((error: unknown) => `the check failed: ${String(error)}`);
    if (why === undefined) {
      reported = '';
      check.onStandby?.(undefined);
      await actUntilPeer(ctx, check, act);
    } else {
      if (why !== reported) ctx.log.warn('Rollouts are left to Argo Rollouts', { why });
      check.onStandby?.(why);
      reported = why;
      await ctx.clock.sleep(checkMs, ctx.signal).catch(() => {});
    }
  }
}

async function actUntilPeer(ctx: Ctx, check: PeerCheck, act: Task): Promise<void> {
  const stop = new AbortController();
  const { signal, release } = joined(ctx.signal, stop.signal);
  const inner = { ...ctx, signal };
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await ctx.clock.sleep(checkMs, signal).catch(() => {});
      if (signal.aborted) return;
      const why = await peerAtWork(inner, check).catch(() => undefined);
      if (why !== undefined) stop.abort();
    }
  };
  try {
    await Promise.all([act(inner), watch()]);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stop.abort();
    release();
  }
}
