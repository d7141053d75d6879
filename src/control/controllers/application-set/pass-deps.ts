import type { Application, ApplicationSet } from '#base/model';
import type { FailureNews } from '#base/std';
import type { GeneratorDeps, SetEvaluator } from '#control/generators';
import type { Informer } from '#control/live';
import type { KubeClient } from '#kubernetes/client';
import type { EventRecorder } from '../application/status/event-recorder.ts';
import type { WriteLimit } from './write-limit.ts';

/** Everything that a pass over a set needs besides the set. */
export type PassDeps = {
  readonly kube: Pick<KubeClient, 'create' | 'patch' | 'delete' | 'find' | 'resource' | 'invalidate'>;
  readonly sets: Informer<ApplicationSet>;
  readonly apps: Informer<Application>;
  readonly evaluator: Pick<SetEvaluator, 'evaluate' | 'forget'>;
  readonly generators: Pick<GeneratorDeps, 'settings' | 'projects' | 'clusters' | 'namespace'>;
  readonly events?: EventRecorder;
  readonly writes: WriteLimit;
  /** Of sets, by their key. */
  readonly failures: FailureNews<string>;
  /** The applications that a set owns now, from an index (sources ASA-9). */
  ownedBy(key: string): readonly Application[];
};
