import { contains } from '../../conformance/compare.ts';
import { type Environment, refOf, typePlugin } from './environment.ts';
import type { Scenario, Step, Wanted } from './scenario.ts';
import { eventsIn, type Snapshot, takeSnapshot } from './snapshot.ts';

/** How a namespace looked at each `until` of a scenario, and which events it had in the end. */
export type Played = { readonly checkpoints: readonly Snapshot[]; readonly events: Snapshot };

type Playing = {
  readonly env: Environment;
  readonly scenario: Scenario;
  readonly namespace: string;
  /** Whether the state is the one to compare, or, after a while, any that lasts. */
  isFinal(checkpoint: number, snapshot: Snapshot): boolean;
};

const pollMs = 500;
/** A state that lasts for so many polls is what the controller brings about. */
const steadyPolls = 6;
const patienceMs = 90_000;
/** So long events may take: ours are at most ten a minute about one object (compat rollouts RE-1). */
const eventsMs = 60_000;
/** So long ours may take to look like Argo Rollouts once the wanted state is there. */
const lagMs = 20_000;

/** Plays a scenario in a namespace of its own. Throws when a wanted state does not come, with the last one. */
export async function play(playing: Playing): Promise<Played> {
  const { env, scenario, namespace } = playing;
  await env.kube.create(env.ctx, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const steps = scenario.steps({ NS: namespace, WEB: `${env.web.url}/${namespace}` });
  const checkpoints: Snapshot[] = [];
  for (const [at, step] of steps.entries()) {
    try {
      if (step.until) checkpoints.push(await settled(playing, step.until, checkpoints.length));
      else await act(playing, step);
    } catch (error) {
      throw new Error(`${scenario.name}, step ${at + 1}: ${(error as Error).message}`, { cause: error });
    }
  }
  return { checkpoints, events: await settledEvents(playing, checkpoints.length) };
}

async function act(playing: Playing, step: Step): Promise<void> {
  const { env, namespace } = playing;
  const { ctx, kube, web } = env;
  for (const object of step.apply ?? []) {
    const placed = { ...object, metadata: { namespace, ...object.metadata } };
    await kube.apply(ctx, placed, { fieldManager: 'scenario', force: true });
  }
  if (step.patch) {
    const { kind, name, subresource, body } = step.patch;
    await kube.patch(ctx, { ...refOf(kind), namespace, name, subresource }, { type: 'merge', body });
  }
  if (step.plugin) await typePlugin(env, namespace, step.plugin);
  if (step.delete) await remove(playing, step.delete);
  for (const [name, body] of Object.entries(step.answer ?? {})) web.answer(`/${namespace}/${name}`, body);
}

async function remove(
  { env, namespace }: Playing,
  { kind, name, selector }: Step['delete'] & object,
): Promise<void> {
  const from = { ...refOf(kind), namespace };
  if (name) await env.kube.delete(env.ctx, { ...from, name });
  else await env.kube.deleteCollection(env.ctx, from, { ...(selector && { labelSelector: selector }) });
}

/** The state once it is as wanted and lasts. */
async function settled(playing: Playing, wanted: Wanted, checkpoint: number): Promise<Snapshot> {
  const { env, namespace, isFinal } = playing;
  const { clock, signal } = env.ctx;
  const began = clock.now().getTime();
  const seen = { text: '', polls: 0, wantedAt: Number.POSITIVE_INFINITY };
  for (;;) {
    const snapshot = await takeSnapshot(env, namespace);
    const text = JSON.stringify(snapshot);
    const now = clock.now().getTime();
    seen.polls = text === seen.text ? seen.polls + 1 : 1;
    seen.text = text;
    seen.wantedAt = holds(snapshot, wanted) ? Math.min(seen.wantedAt, now) : Number.POSITIVE_INFINITY;
    const isSteady = seen.wantedAt <= now && seen.polls >= steadyPolls;
    if (isSteady && (now - seen.wantedAt > lagMs || isFinal(checkpoint, snapshot))) return snapshot;
    if (now - began > patienceMs)
      throw new Error(`never became ${JSON.stringify(wanted)}; the last state: ${text}`);
    await clock.sleep(pollMs, signal);
  }
}

/** The events, which both controllers write later than the objects; they are the last checkpoint. */
async function settledEvents({ env, namespace, isFinal }: Playing, checkpoint: number): Promise<Snapshot> {
  const { clock, signal } = env.ctx;
  const end = clock.now().getTime() + eventsMs;
  for (;;) {
    const events = await eventsIn(env, namespace);
    if (clock.now().getTime() > end || isFinal(checkpoint, events)) return events;
    await clock.sleep(pollMs, signal);
  }
}

/** Each named object contains the part, and no Rollout has a version that its controller has not seen. */
function holds(snapshot: Snapshot, wanted: Wanted): boolean {
  const objects = Object.entries(snapshot) as [string, { status?: { isCurrent?: boolean } }][];
  return (
    objects.every(([name, { status }]) => !name.startsWith('Rollout/') || status?.isCurrent) &&
    Object.entries(wanted).every(([name, part]) => contains(snapshot[name], part))
  );
}
