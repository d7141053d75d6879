import { groupOf, type KubeObject } from '#base/model';
import { equal } from '#base/std';
import type { AdmissionHook } from '#embedded';
import { type LintFinding, lintExperiment, lintRollout, lintTemplate } from '#engine/rollouts';

const mostWarnings = 10;
const longest = 300;

const linters: Readonly<Record<string, (object: KubeObject) => readonly LintFinding[]>> = {
  Rollout: (object) => lintRollout(object as Parameters<typeof lintRollout>[0]),
  Experiment: (object) => lintExperiment(object as Parameters<typeof lintExperiment>[0]),
  AnalysisTemplate: (object) => lintTemplate(object as Parameters<typeof lintTemplate>[0]),
  ClusterAnalysisTemplate: (object) => lintTemplate(object as Parameters<typeof lintTemplate>[0]),
};

/**
 * compat rollouts RC-4: what a linter says is a warning of the response to a write that changes the spec. Nothing is refused:
 * Argo Rollouts accepts such an object and reports later, and a sync must not fail earlier than there.
 */
export const warnOfRollouts: AdmissionHook = ({ object, live, phase, warn }) => {
  const lint = Object.hasOwn(linters, object.kind) ? linters[object.kind] : undefined;
  if (!lint || phase !== 'validate' || groupOf(object) !== 'argoproj.io') return object;
  if (live && equal(live.spec, object.spec)) return object;
  for (const { message } of findingsOf(object, lint).slice(0, mostWarnings))
    warn(message.length > longest ? `${message.slice(0, longest)}...` : message);
  return object;
};

/** A shape that no linter expects is reported by the controller. */
function findingsOf(
  object: KubeObject,
  lint: (object: KubeObject) => readonly LintFinding[],
): readonly LintFinding[] {
  try {
    return lint(object);
  } catch {
    return [];
  }
}
