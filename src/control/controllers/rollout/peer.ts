import type { KubeObject } from '#base/model';
import { type Ctx, joined, type Task } from '#base/std';
import type { KubeClient } from '#kubernetes/client';
import type { EventRecorder } from '../application/status/event-recorder.ts';

export type PeerCheck = {
  readonly kube: Pick<KubeClient, 'list'>;
  /** The name by which this process holds the Lease. */
  readonly identity: string;
  readonly leaseName: string;
  /** The Rollouts that this process watches; undefined: it watches none now, and they are listed. */
  rollouts?(): readonly KubeObject[] | undefined;
  /** Writes one event about what shows the peer. */
  readonly events?: Pick<EventRecorder, 'write'>;
  /** Receives why Rollouts are left to the peer; undefined: they are not any more. */
  readonly onStandby?: (why: string | undefined) => void;
};

/** Why Rollouts are left to the peer, and the object that shows it. */
type Sighting = { readonly why: string; readonly object?: KubeObject };

const checkMs = 15_000;
const recentMs = 10 * 60_000;

type LeaseObject = KubeObject<{ holderIdentity?: string; renewTime?: string; leaseDurationSeconds?: number }>;

/** compat rollouts RP-3: what shows that the controller of Argo Rollouts is at work; undefined: nothing does. */
async function peerAtWork(ctx: Ctx, check: PeerCheck): Promise<Sighting | undefined> {
  const { kube, identity, leaseName } = check;
  const now = ctx.clock.now().getTime();
  const from = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };
  try {
    // a large cluster has a Lease for each node: only those of this name are requested
    const { items } = await kube.list(ctx, from, { fieldSelector: `metadata.name=${leaseName}` });
    const object = (items as LeaseObject[]).find((lease) => isHeld(lease, { identity, leaseName, now }));
    const { holderIdentity } = object?.spec ?? {};
    if (object)
      return { why: `${holderIdentity} holds the Lease ${object.metadata.namespace}/${leaseName}`, object };
  } catch {
    return { why: 'Leases cannot be read' };
  }
  return (await runningDeployment(ctx, kube)) ?? (await lateWrite(ctx, check, now));
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

async function runningDeployment(ctx: Ctx, kube: PeerCheck['kube']): Promise<Sighting | undefined> {
  const labelSelector = 'app.kubernetes.io/name=argo-rollouts';
  const { items } = await kube.list(ctx, { apiVersion: 'apps/v1', kind: 'Deployment' }, { labelSelector });
  const object = items.find(
    ({ status }) => ((status as { availableReplicas?: number })?.availableReplicas ?? 0) > 0,
  );
  const { namespace, name } = object?.metadata ?? {};
  return object && { why: `the Deployment ${namespace}/${name} is running`, object };
}

/** compat rollouts RP-3: whether the controller of Argo Rollouts wrote the object in the last ten minutes. */
export const isPeersLately = ({ metadata }: KubeObject, now: number): boolean =>
  metadata.managedFields?.some(
    ({ manager, time = '' }) => manager === 'rollouts-controller' && now - Date.parse(time) < recentMs,
  ) ?? false;

async function lateWrite(
  ctx: Ctx,
  { kube, rollouts }: PeerCheck,
  now: number,
): Promise<Sighting | undefined> {
  const from = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' };
  const all = rollouts?.() ?? (await kube.list(ctx, from)).items;
  const object = all.find((rollout) => isPeersLately(rollout, now));
  const { namespace, name } = object?.metadata ?? {};
  return object && { why: `it wrote the status of the Rollout ${namespace}/${name} lately`, object };
}

/** compat rollouts RP-3: runs the controller while no peer is at work, and stops it within seconds when one appears. */
export async function actWithoutPeer(ctx: Ctx, check: PeerCheck, act: Task): Promise<void> {
  let reported = '';
  while (!ctx.signal.aborted) {
    const seen = await peerAtWork(ctx, check).catch(
      (error: unknown): Sighting => ({ why: `the check failed: ${String(error)}` }),
    );
    check.onStandby?.(seen?.why);
    if (!seen) await actUntilPeer(ctx, check, act);
    else {
      if (seen.why !== reported) await report(ctx, check, seen);
      await ctx.clock.sleep(checkMs, ctx.signal).catch(() => {});
    }
    reported = seen?.why ?? '';
  }
}

async function report(ctx: Ctx, { events }: PeerCheck, { why, object }: Sighting): Promise<void> {
  ctx.log.warn('Rollouts are left to Argo Rollouts', { why });
  const message = `Rollouts are left to Argo Rollouts: ${why}`;
  if (object) await events?.write(ctx, object, { type: 'Warning', reason: 'RolloutsStandby', message });
}

async function actUntilPeer(ctx: Ctx, check: PeerCheck, act: Task): Promise<void> {
  const stop = new AbortController();
  const { signal, release } = joined(ctx.signal, stop.signal);
  const inner = { ...ctx, signal };
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await ctx.clock.sleep(checkMs, signal).catch(() => {});
      if (signal.aborted) return;
      const seen = await peerAtWork(inner, check).catch(() => undefined);
      if (seen) stop.abort();
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
