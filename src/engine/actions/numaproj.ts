import type { KubeObject } from '#base/model';
import { isObject } from '#base/std';
import type { BuiltIn, BuiltIns } from './action.ts';
import { at, edits, type ObjectEdit, read, set, unless } from './edit.ts';

const icons = {
  pause: 'fa-solid fa-fw fa-pause',
  play: 'fa-solid fa-fw fa-play',
  forward: 'fa-solid fa-fw fa-forward',
  trash: 'fa-solid fa-fw fa-trash',
  unlock: 'fa-solid fa-fw fa-unlock',
  lock: 'fa-solid fa-fw fa-lock',
};
const strategies = 'numaflow.numaproj.io/allowed-resume-strategies';
const upgradeState = 'numaplane.numaproj.io/upgrade-state';
const promoteKey = 'numaplane.numaproj.io/force-promote';
const dataLossKey = 'numaplane.numaproj.io/allow-data-loss';

type Pausable = {
  /** Where the pipeline's own spec is. */
  readonly spec: string;
  /** Where the annotations are in which its owner names the strategies that are allowed. */
  readonly annotations: string;
  /** False for an object that numaplane made: that one is paused through its rollout. */
  readonly isOurs: (object: KubeObject) => boolean;
  readonly gradually: ObjectEdit;
  readonly fast: ObjectEdit;
};

/** Pausing and the two ways back, of which the owner may allow one or both. */
function pausable({ spec, annotations, isOurs, gradually, fast }: Pausable): BuiltIns {
  const isPaused = (object: KubeObject) => read(object, `${spec}.lifecycle.desiredPhase`) === 'Paused';
  const phase = (word: string) => set(`${spec}.lifecycle`, 'desiredPhase', word);
  const back = (strategy: Strategy, displayName: string, more: ObjectEdit): BuiltIn =>
    edits(
      unless(
        (object) => !isOurs(object) || !isPaused(object) || !allows(read(object, annotations), strategy),
        {
          displayName,
          iconClass: icons.play,
        },
      ),
      (object, input) => {
        phase('Running')(object, input);
        more(object, input);
      },
    );
  return {
    pause: edits(
      unless((object) => !isOurs(object) || isPaused(object), { iconClass: icons.pause }),
      phase('Paused'),
    ),
    'unpause-gradual': back('slow', 'Unpause gradually', gradually),
    'unpause-fast': back('fast', 'Unpause fast', fast),
  };
}

type Strategy = 'slow' | 'fast';

/** Without a word from the owner it is done slowly. */
function allows(annotations: unknown, strategy: Strategy): boolean {
  const word = isObject(annotations) ? annotations[strategies] : undefined;
  if (word === 'slow, fast') return true;
  return strategy === (word === 'fast' ? 'fast' : 'slow');
}

const labelOf = (object: KubeObject, name: string): string | undefined => object.metadata.labels?.[name];

const forcePromote: BuiltIn = edits(
  unless(
    (object) =>
      !['in-progress', 'trial'].includes(labelOf(object, upgradeState) ?? '') ||
      labelOf(object, promoteKey) === 'true',
    { displayName: 'Force promotion', iconClass: icons.forward },
  ),
  set('metadata.labels', promoteKey, 'true'),
);

const isMadeBy = (object: KubeObject, kind: string): boolean =>
  (object.metadata.ownerReferences ?? []).some((owner) => owner.kind === kind);

const resumeStrategy = (word: string) =>
  set('metadata.annotations', 'numaflow.numaproj.io/resume-strategy', word);
const fastResume = (value: boolean) => set('spec.strategy.pauseResume', 'fastResume', value);

/** A slow resume removes spec.replicas, so that Numaflow scales the MonoVertex up from zero. */
const rescaled: ObjectEdit = (object) => {
  delete at(object, 'spec').replicas;
};
const asIs: ObjectEdit = () => undefined;

const isRecyclable = (object: KubeObject): boolean =>
  ['recyclable', 'recyclable-expired'].includes(labelOf(object, upgradeState) ?? '');

const always = () => true;

/** Numaflow and numaplane. */
export const numaprojActions: Readonly<Record<string, BuiltIns>> = {
  'numaflow.numaproj.io/InterStepBufferService': { 'force-promote': forcePromote },
  'numaflow.numaproj.io/MonoVertex': {
    ...pausable({
      spec: 'spec',
      annotations: 'spec.metadata.annotations',
      isOurs: (object) => !isMadeBy(object, 'MonoVertexRollout'),
      gradually: rescaled,
      fast: asIs,
    }),
    'force-promote': forcePromote,
  },
  'numaflow.numaproj.io/Pipeline': {
    ...pausable({
      spec: 'spec',
      annotations: 'spec.metadata.annotations',
      isOurs: (object) =>
        !isMadeBy(object, 'PipelineRollout') || labelOf(object, upgradeState) === 'recyclable-expired',
      gradually: resumeStrategy('slow'),
      fast: resumeStrategy('fast'),
    }),
    'force-promote': forcePromote,
    delete: edits(
      unless((object) => !isRecyclable(object), { displayName: 'Delete', iconClass: icons.trash }),
      set('metadata.annotations', 'numaplane.numaproj.io/marked-for-deletion', 'true'),
    ),
  },
  'numaplane.numaproj.io/MonoVertexRollout': pausable({
    spec: 'spec.monoVertex.spec',
    annotations: 'spec.monoVertex.metadata.annotations',
    isOurs: always,
    gradually: fastResume(false),
    fast: fastResume(true),
  }),
  'numaplane.numaproj.io/PipelineRollout': {
    ...pausable({
      spec: 'spec.pipeline.spec',
      annotations: 'spec.pipeline.metadata.annotations',
      isOurs: always,
      gradually: fastResume(false),
      fast: fastResume(true),
    }),
    'allow-data-loss': edits(
      unless((object) => read(object, 'status.upgradeInProgress') !== 'PipelinePauseAndDrain', {
        displayName: 'Allow data loss',
        iconClass: icons.unlock,
      }),
      set('metadata.annotations', dataLossKey, 'true'),
    ),
    'disallow-data-loss': edits(
      unless((object) => object.metadata.annotations?.[dataLossKey] !== 'true', {
        displayName: 'Disallow data loss',
        iconClass: icons.lock,
      }),
      set('metadata.annotations', dataLossKey, 'false'),
    ),
  },
};
