import type { KubeObject } from '#base/model';
import { lintRollout, lintTemplate } from '#engine/rollouts';
import type { Check, FieldPath } from '../../check.ts';
import { listAt, rollout, textAt } from '../../kinds.ts';

export const rolloutRefused: Check = {
  id: 'rollout-refused',
  title: 'a Rollout or an AnalysisTemplate is invalid',
  severity: 'error',
  why: 'the controller of Rollouts refuses it and does nothing, Argo Rollouts would, or an analysis ends otherwise than it was meant.',
  fix: 'mend the field that the finding names',
  reads: [rollout, 'argoproj.io/AnalysisTemplate', 'argoproj.io/ClusterAnalysisTemplate'],
  *find(object) {
    const lint = object.kind === 'Rollout' ? lintRollout : lintTemplate;
    const findings = guarded(() => (lint as (one: unknown) => ReturnType<typeof lintRollout>)(object));
    for (const { severity, message } of findings) yield { at: pathIn(object, message), message, severity };
  },
};

/** A shape that no linter expects is reported by the API server, which has the schema. */
function guarded<T>(run: () => readonly T[]): readonly T[] {
  try {
    return run();
  } catch {
    return [];
  }
}

/** The field at the beginning of a sentence; a metric is named. */
function pathIn(object: KubeObject, message: string): FieldPath {
  const metric = /^spec\.metrics (\S+):/.exec(message)?.[1];
  const at = listAt(object, ['spec', 'metrics']).findIndex((one) => textAt(one, ['name']) === metric);
  if (metric !== undefined && at >= 0) return ['spec', 'metrics', at, 'name'];
  return /^[\w.]+/.exec(message)?.[0].split('.') ?? ['spec'];
}
