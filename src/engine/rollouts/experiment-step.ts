import { conditionOf } from '#base/model';
import { isFinished } from './analysis/analysis.ts';
import { resolveArgument } from './analysis/arguments.ts';
import { stepIndexOf } from './canary-replicas.ts';
import type { Experiment, ExperimentSpec, ExperimentTemplate } from './experiment/experiment.ts';
import { collectFinished } from './finished-runs.ts';
import { freeName } from './free-name.ts';
import { stepHash } from './hash.ts';
import { type Draft, isResumed, pauseOf } from './pass.ts';
import { hashOf, isRollbackInWindow, ownerOf, revisionOf } from './replica-sets.ts';
import {
  canaryOf,
  type ExperimentStep,
  type ExperimentStepTemplate,
  type RolloutReplicaSet,
  rolloutKey,
} from './rollout.ts';
import { currentStep } from './steps.ts';

/** compat rollouts RX-3: starts, follows and ends the Experiments of the steps of a canary. */
export function reconcileExperiments(draft: Draft): void {
  const { rollout, pass, status } = draft;
  // compat rollouts RW-12: nothing moves until a person decides
  if (pauseOf(rollout, 'InconclusiveAnalysisRun') && !draft.isAborted) return;
  const step = isSkipped(draft) ? undefined : currentStep(rollout)?.experiment;
  const current = step && (recorded(draft) ?? start(draft, step));
  if (current) {
    status.canary = { ...status.canary, currentExperiment: current.metadata.name };
    judge(draft, current);
  }
  if (!current || draft.isAborted) delete status.canary?.currentExperiment;
  const others = pass.experiments.filter(({ metadata }) => metadata.name !== current?.metadata.name);
  for (const experiment of draft.isAborted ? pass.experiments : others) terminate(draft, experiment);
  collectFinished(draft, others);
}

function isSkipped({ rollout, pass, isAborted }: Draft): boolean {
  const { promoteFull, stableRS } = rollout.status ?? {};
  return isAborted || promoteFull === true || !stableRS || isRollbackInWindow(rollout, pass.roles);
}

/** `<rollout>-<hash>-<revision>-<step>`; a further attempt has a number after it. */
function baseName({ rollout, pass }: Draft): string {
  const hash = hashOf(pass.roles.fresh);
  return `${rollout.metadata.name}-${hash}-${revisionOf(rollout)}-${stepIndexOf(rollout) ?? 0}`;
}

const isOfStep = ({ metadata }: Experiment, base: string): boolean =>
  metadata.name === base || metadata.name.startsWith(`${base}-`);

/** The Experiment that the status names; one of an earlier step counts no more (dev compat rollouts RQ-19). */
function recorded(draft: Draft): Experiment | undefined {
  const name = draft.status.canary?.currentExperiment;
  const found = draft.pass.experiments.find(({ metadata }) => metadata.name === name);
  return found && isOfStep(found, baseName(draft)) ? found : undefined;
}

function terminate(draft: Draft, experiment: Experiment): void {
  if (isFinished(experiment.status?.phase) || experiment.spec?.terminate) return;
  draft.patch(experiment, { spec: { terminate: true } });
}

/** compat rollouts RW-10, RW-12. */
function judge(draft: Draft, { metadata, status }: Experiment): void {
  const { phase, message, conditions = [] } = status ?? {};
  if (phase === 'Inconclusive' && !isResumed(draft.rollout)) draft.added.add('InconclusiveExperiment');
  const invalid = conditionOf(conditions, 'InvalidSpec');
  if (invalid?.status === 'True') draft.abort(`Experiment ${metadata.name}: ${invalid.message ?? ''}`);
  if (phase !== 'Failed' && phase !== 'Error') return;
  const cause = message ? `: ${message}` : '';
  draft.abort(`Experiment phase error/failed (${metadata.name})${cause}`);
}

/** An Experiment for the current step; the one that a pass before this one created, if it did. */
function start(draft: Draft, step: ExperimentStep): Experiment | undefined {
  const { rollout, pass } = draft;
  const { fresh, stable } = pass.roles;
  if (!fresh || !stable || rollout.spec?.paused) return undefined;
  const base = baseName(draft);
  const hash = stepHash(canaryOf(rollout)?.steps);
  const begun = pass.experiments.find(
    (one) =>
      isOfStep(one, base) &&
      !isFinished(one.status?.phase) &&
      !one.spec?.terminate &&
      one.metadata.annotations?.[rolloutKey.stepHash] === hash,
  );
  if (begun) return begun;
  const taken = new Set(pass.experiments.map(({ metadata }) => metadata.name));
  const { namespace, labels } = rollout.metadata;
  const experiment: Experiment = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Experiment',
    metadata: {
      name: freeName(
        base,
        '-',
        (name) => taken.has(name) || pass.find('argoproj.io/v1alpha1', 'Experiment', name) !== undefined,
      ),
      ...(namespace && { namespace }),
      labels: { ...labels, [rolloutKey.hash]: hashOf(fresh) },
      annotations: {
        [rolloutKey.revision]: String(revisionOf(rollout)),
        [rolloutKey.stepHash]: hash,
      },
      ownerReferences: [ownerOf(rollout)],
    },
    spec: specOf(draft, step, { fresh, stable }),
  };
  draft.write({ verb: 'create', object: experiment });
  draft.event('ExperimentCreated', `Created Experiment '${experiment.metadata.name}'`);
  return experiment;
}

type Sides = { readonly fresh: RolloutReplicaSet; readonly stable: RolloutReplicaSet };

function specOf({ rollout }: Draft, step: ExperimentStep, { fresh, stable }: Sides): ExperimentSpec {
  const { duration, dryRun, analysisRunMetadata, scaleDownDelaySeconds, analyses } = step;
  const { progressDeadlineSeconds } = rollout.spec ?? {};
  const hashes = { latest: hashOf(fresh), stable: hashOf(stable) };
  return {
    templates: (step.templates ?? []).map((template) =>
      templateOf(template, template.specRef === 'stable' ? stable : fresh),
    ),
    ...(analyses && {
      analyses: analyses.map((analysis) => ({
        ...analysis,
        args: (analysis.args ?? []).map((arg) => resolveArgument(arg, rollout, hashes)),
      })),
    }),
    ...(duration && { duration }),
    ...(progressDeadlineSeconds !== undefined && { progressDeadlineSeconds }),
    ...(dryRun && { dryRun }),
    ...(analysisRunMetadata && { analysisRunMetadata }),
    ...(scaleDownDelaySeconds !== undefined && { scaleDownDelaySeconds }),
  };
}

/** compat rollouts RX-3: the pods of one side, with labels and annotations of the step; a weight needs a Service. */
function templateOf(step: ExperimentStepTemplate, { spec = {} }: RolloutReplicaSet): ExperimentTemplate {
  const { name, replicas, metadata: more = {}, weight, service } = step;
  const { template = {}, minReadySeconds } = spec;
  const selector = step.selector ?? spec.selector ?? {};
  const hasService = (weight !== undefined && weight !== null) || service !== undefined;
  return {
    name,
    ...(replicas !== undefined && { replicas }),
    ...(minReadySeconds && { minReadySeconds }),
    selector: { ...selector, matchLabels: { ...selector.matchLabels, ...more.labels } },
    template: {
      ...template,
      metadata: {
        ...template.metadata,
        labels: { ...template.metadata?.labels, ...more.labels },
        ...(more.annotations && {
          annotations: { ...template.metadata?.annotations, ...more.annotations },
        }),
      },
    },
    ...(hasService && { service: service?.name ? { name: service.name } : {} }),
  };
}
