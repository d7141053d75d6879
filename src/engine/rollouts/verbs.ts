import { FairleadError } from '#base/std';
import { stepIndexOf } from './canary-replicas.ts';
import { revisionOf } from './replica-sets.ts';
import {
  type Rollout,
  type RolloutReplicaSet,
  type RolloutTemplate,
  rolloutKey,
  stepsOf,
} from './rollout.ts';

/** One write of a verb: a merge patch of the Rollout, or of its status. */
export type VerbPatch = { readonly isStatus: boolean; readonly body: object };

const spec = (body: object): VerbPatch => ({ isStatus: false, body: { spec: body } });
const status = (body: object): VerbPatch => ({ isStatus: true, body: { status: body } });

/** compat rollouts RW-3: lifts a pause, or goes on to the next step. */
export function promotePatches(rollout: Rollout): readonly VerbPatch[] {
  const { pauseConditions = [], currentPodHash, stableRS } = rollout.status ?? {};
  const unpause = rollout.spec?.paused ? [spec({ paused: false })] : [];
  if (pauseConditions.some(({ reason }) => reason === 'InconclusiveAnalysisRun') && isAtAnalysis(rollout))
    return [
      ...unpause,
      status({ pauseConditions: null, controllerPause: false, currentStepIndex: nextIndex(rollout) }),
    ];
  if (pauseConditions.length > 0) return [...unpause, status({ pauseConditions: null })];
  const isUpdating = currentPodHash !== stableRS;
  if (!isUpdating || stepsOf(rollout).length === 0) return unpause;
  return [...unpause, status({ pauseConditions: null, currentStepIndex: nextIndex(rollout) })];
}

const isAtAnalysis = (rollout: Rollout): boolean =>
  stepsOf(rollout)[stepIndexOf(rollout) ?? 0]?.analysis !== undefined;
const nextIndex = (rollout: Rollout): number =>
  Math.min((stepIndexOf(rollout) ?? 0) + 1, stepsOf(rollout).length);

/** compat rollouts RW-4: skips everything that is left. */
export function promoteFullPatches(rollout: Rollout): readonly VerbPatch[] {
  const { currentPodHash, stableRS } = rollout.status ?? {};
  return [
    ...(rollout.spec?.paused ? [spec({ paused: false })] : []),
    ...(currentPodHash === stableRS ? [] : [status({ promoteFull: true })]),
  ];
}

/** compat rollouts RW-1, RW-2, RW-6, RW-9. */
export const verbPatches = {
  pause: (): readonly VerbPatch[] => [spec({ paused: true })],
  abort: (): readonly VerbPatch[] => [status({ abort: true })],
  retry: (): readonly VerbPatch[] => [status({ abort: false })],
  restart: (at: string): readonly VerbPatch[] => [spec({ restartAt: at })],
};

/** compat rollouts §8: the template of an earlier revision, 0 for the one before the current. Throws NotFound. */
export function templateOfRevision(
  rollout: Rollout,
  sets: readonly RolloutReplicaSet[],
  wanted: number,
): RolloutTemplate {
  const earlier = sets
    .filter((set) => revisionOf(set) !== revisionOf(rollout))
    .toSorted((a, b) => revisionOf(b) - revisionOf(a));
  const found = wanted === 0 ? earlier[0] : sets.find((set) => revisionOf(set) === wanted);
  const template = found?.spec?.template;
  if (!template)
    throw new FairleadError(
      'NotFound',
      wanted === 0 ? 'there is no earlier revision' : `unable to find revision ${wanted} of the Rollout`,
    );
  const { [rolloutKey.hash]: _hash, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}

/** The template with other images, by container; `*` means all. Throws NotFound for a container that there is not. */
export function templateWithImages(
  template: RolloutTemplate,
  images: Readonly<Record<string, string>>,
): RolloutTemplate {
  const unused = new Set(Object.keys(images).filter((name) => name !== '*'));
  const changed = (list: unknown): unknown =>
    Array.isArray(list)
      ? list.map((container: { name: string }) => {
          unused.delete(container.name);
          const image = images[container.name] ?? images['*'];
          return image === undefined ? container : { ...container, image };
        })
      : list;
  const next: Record<string, unknown> = { ...template.spec };
  for (const field of ['initContainers', 'containers', 'ephemeralContainers'])
    if (next[field] !== undefined) next[field] = changed(next[field]);
  const [missing] = unused;
  if (missing !== undefined)
    throw new FairleadError('NotFound', `unable to find container named "${missing}"`);
  return { ...template, spec: next };
}
