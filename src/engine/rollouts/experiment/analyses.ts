import { printTime } from '#base/model';
import { equal, FairleadError } from '#base/std';
import { type AnalysisRun, type AnalysisRunSpec, isFinished } from '../analysis/analysis.ts';
import { replaceTags } from '../analysis/arguments.ts';
import { mergeAnalysis } from '../analysis/merge.ts';
import { freeName } from '../free-name.ts';
import type { RolloutEvent } from '../plan-draft.ts';
import { type AnalysisArgument, type ExperimentAnalysis, rolloutKey } from '../rollout.ts';
import {
  type ExperimentRunStatus,
  endOf,
  experimentOwner,
  isBad,
  runStatus,
  templatesOf,
} from './experiment.ts';
import type { ExperimentDraft } from './state.ts';
import { hashOfTemplate, replaced } from './templates.ts';

/** compat rollouts RX-2: starts, follows and ends the run of one analysis. */
export function reconcileAnalysis(draft: ExperimentDraft, analysis: ExperimentAnalysis): void {
  const { status, experiment } = draft;
  const { name } = analysis;
  const before = runStatus(experiment.status, name) ?? { name, analysisRun: '', phase: '' };
  const after = nextOf(draft, analysis, before);
  if (after.phase !== before.phase && after.phase !== '') noteRun(draft, before, after);
  status.analysisRuns = replaced(status.analysisRuns ?? [], after);
}

function noteRun(draft: ExperimentDraft, before: ExperimentRunStatus, after: ExperimentRunStatus): void {
  const cause = after.message ? `: ${after.message}` : '';
  const from = before.phase ? ` after ${before.phase}` : '';
  const event: RolloutEvent = {
    type: isBad(after.phase) ? 'Warning' : 'Normal',
    reason: `AnalysisRun${after.phase}`,
    message: `AnalysisRun '${after.name}' of Experiment '${draft.experiment.metadata.name}' is ${after.phase}${from}${cause}`,
  };
  draft.events.push(event);
  draft.ownerEvents.push(event);
}

function nextOf(
  draft: ExperimentDraft,
  analysis: ExperimentAnalysis,
  before: ExperimentRunStatus,
): ExperimentRunStatus {
  const { experiment, isEnding } = draft;
  if (isFinished(before.phase)) return before;
  const isBegun = before.analysisRun !== '';
  if (isEnding && !isBegun) return before;
  if (!experiment.status?.availableAt) return verified(draft, analysis, before);
  return isBegun ? followed(draft, before) : started(draft, analysis, before);
}

function followed(draft: ExperimentDraft, before: ExperimentRunStatus): ExperimentRunStatus {
  const { state, isEnding } = draft;
  const run = state.runs.find(({ metadata }) => metadata.name === before.analysisRun);
  if (!run) {
    const message = `AnalysisRun "${before.analysisRun}" not found`;
    return isEnding ? before : { ...before, phase: 'Error', message };
  }
  if (isEnding) endRun(draft, run);
  const { phase = 'Pending', message } = run.status ?? {};
  // the verdict of a run that is ended under way counts once it has one
  if (isEnding && !isFinished(phase)) return before;
  const { message: _old, ...rest } = before;
  return { ...rest, phase, ...(message && { message }) };
}

function endRun(draft: ExperimentDraft, run: AnalysisRun): void {
  if (isFinished(run.status?.phase) || run.spec?.terminate) return;
  draft.patch(run, { spec: { terminate: true } });
  draft.event('AnalysisRunTerminating', `Terminating AnalysisRun ${run.metadata.name}`);
}

/** Before the pods are available it is only checked that the template exists. */
function verified(
  { state }: ExperimentDraft,
  { name, templateName, clusterScope = false }: ExperimentAnalysis,
  before: ExperimentRunStatus,
): ExperimentRunStatus {
  if (state.template(templateName, clusterScope)) return before;
  const kind = clusterScope ? 'ClusterAnalysisTemplate' : 'AnalysisTemplate';
  const message = `${kind} '${templateName}' of analysis '${name}' not found: create it, or name another`;
  return { ...before, phase: 'Error', message };
}

function started(
  draft: ExperimentDraft,
  analysis: ExperimentAnalysis,
  before: ExperimentRunStatus,
): ExperimentRunStatus {
  try {
    return { ...before, analysisRun: startRun(draft, analysis), phase: 'Pending' };
  } catch (error) {
    const { code, message } = FairleadError.from(error);
    if (code !== 'InvalidSpec') throw error;
    return {
      ...before,
      phase: 'Error',
      message: `the AnalysisRun of analysis '${analysis.name}' was not created: ${message}`,
    };
  }
}

/** Creates the run, unless a pass before this one did. The result is its name. */
function startRun(draft: ExperimentDraft, analysis: ExperimentAnalysis): string {
  const { experiment, state } = draft;
  const { name, namespace, labels } = experiment.metadata;
  const spec = specOf(draft, analysis);
  const base = `${name}-${analysis.name}`;
  const begun = state.runs.find((run) => isSameRun(run, base, spec));
  if (begun) return begun.metadata.name;
  const free = freeName(base, '.', (taken) => state.hasRun(taken));
  const { analysisRunMetadata } = experiment.spec ?? {};
  const instanceId = labels?.[rolloutKey.instanceId];
  const runLabels = {
    ...analysisRunMetadata?.labels,
    ...(instanceId !== undefined && { [rolloutKey.instanceId]: instanceId }),
  };
  draft.write({
    verb: 'create',
    object: {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AnalysisRun',
      metadata: {
        name: free,
        ...(namespace && { namespace }),
        labels: runLabels,
        annotations: { ...analysisRunMetadata?.annotations },
        ownerReferences: [experimentOwner(experiment)],
      },
      spec,
    },
  });
  return free;
}

/** A run that was created before a restart, and is not recorded yet. */
const isSameRun = ({ metadata, spec, status }: AnalysisRun, base: string, wanted: AnalysisRunSpec): boolean =>
  (metadata.name === base || metadata.name.startsWith(`${base}.`)) &&
  !isFinished(status?.phase) &&
  !spec?.terminate &&
  equal(spec, wanted);

function specOf(draft: ExperimentDraft, analysis: ExperimentAnalysis): AnalysisRunSpec {
  const { experiment, state } = draft;
  const { dryRun, measurementRetention } = experiment.spec ?? {};
  const { templateName, clusterScope = false, args = [] } = analysis;
  const merged = mergeAnalysis(
    {
      templates: [{ templateName, clusterScope }],
      ...(dryRun && { dryRun }),
      ...(measurementRetention && { measurementRetention }),
    },
    { find: state.template, args: args.map((arg) => resolved(draft, arg)) },
  );
  return merged.spec;
}

/** compat rollouts RX-1: what an argument may say about the Experiment. Throws InvalidSpec for a tag that names nothing. */
function resolved(draft: ExperimentDraft, arg: AnalysisArgument): AnalysisArgument {
  return arg.value === undefined
    ? arg
    : { ...arg, value: replaceTags(arg.value, (tag) => tagsOf(draft).get(tag)) };
}

function tagsOf(draft: ExperimentDraft): ReadonlyMap<string, string> {
  const { experiment } = draft;
  const { availableAt } = experiment.status ?? {};
  const end = endOf(experiment);
  const tags = new Map<string, string>();
  if (availableAt) tags.set('experiment.availableAt', availableAt);
  if (end !== undefined) tags.set('experiment.finishedAt', printTime(new Date(end)));
  for (const { name } of templatesOf(experiment)) {
    const hash = hashOfTemplate(draft, name);
    if (hash === undefined) continue;
    tags.set(`templates.${name}.podTemplateHash`, hash);
    tags.set(`templates.${name}.replicaset.name`, `${experiment.metadata.name}-${name}`);
  }
  return tags;
}
