import { conditionOf } from '#base/model';
import { equal } from '#base/std';
import { dropCondition, progressing, setRolloutCondition } from '../conditions.ts';
import { reconcileAnalysis } from './analyses.ts';
import { assessExperiment } from './assess.ts';
import {
  analysesOf,
  type ExperimentStatus,
  type TemplateStatus,
  templateStatus,
  templatesOf,
} from './experiment.ts';
import { experimentProblem } from './problem.ts';
import { ExperimentDraft, type ExperimentPlan, type ExperimentState } from './state.ts';
import { reconcileTemplate, replaced, sameCounts } from './templates.ts';

/** compat rollouts §11: what is to be done about an Experiment now. Pure: the same state gives the same plan. */
export function planExperiment(state: ExperimentState): ExperimentPlan {
  const draft = new ExperimentDraft(state);
  const problem = experimentProblem(state.experiment);
  if (problem !== undefined) {
    noteProblem(draft, problem);
    return planOf(draft);
  }
  dropCondition(draft, 'InvalidSpec');
  for (const template of templatesOf(state.experiment)) reconcileTemplate(draft, template);
  for (const analysis of analysesOf(state.experiment)) reconcileAnalysis(draft, analysis);
  assessExperiment(draft);
  noteProgress(draft);
  return planOf(draft);
}

function planOf(draft: ExperimentDraft): ExperimentPlan {
  const { writes, events, ownerEvents, wakeAt, status, experiment } = draft;
  if (status.conditions?.length === 0) delete status.conditions;
  const isSame = equal(status, experiment.status ?? {});
  return { writes, events, ownerEvents, wakeAt, status: isSame ? undefined : status };
}

function noteProblem(draft: ExperimentDraft, problem: string): void {
  const message = `The Experiment "${draft.experiment.metadata.name}" is invalid: ${problem}`;
  const isNew = conditionOf(draft.status.conditions ?? [], 'InvalidSpec')?.message !== message;
  if (isNew) draft.event('InvalidSpec', message, 'Warning');
  setRolloutCondition(draft, { type: 'InvalidSpec', status: 'True', reason: 'InvalidSpec', message }, isNew);
}

/** The condition Progressing: its time of update moves whenever pods come or go. */
function noteProgress(draft: ExperimentDraft): void {
  const { experiment, status, isOver } = draft;
  const subject = `Experiment "${experiment.metadata.name}"`;
  if (status.phase === 'Successful') {
    const message = `${subject} has completed.`;
    setRolloutCondition(draft, progressing('False', 'ExperimentCompleted', message));
  } else if (hasProgressed(draft))
    setRolloutCondition(draft, progressing('True', 'ReplicaSetUpdated', `${subject} is progressing.`), true);
  else if (experiment.status?.availableAt && !isOver)
    setRolloutCondition(draft, progressing('True', 'NewReplicaSetAvailable', `${subject} is running.`));
}

function hasProgressed({ experiment, status }: ExperimentDraft): boolean {
  return (status.templateStatuses ?? []).some((after) => {
    const before = templateStatus(experiment.status, after.name);
    return before === undefined || !sameCounts(before, after);
  });
}

/** The status of an Experiment one of whose objects could not be created: its template, or its analysis, is in error. */
export function withFailure(
  status: ExperimentStatus,
  { template, analysisRun }: { readonly template?: string | undefined; readonly analysisRun?: string },
  message: string,
): ExperimentStatus {
  const { templateStatuses = [], analysisRuns = [] } = status;
  if (template !== undefined) {
    const known = templateStatus(status, template);
    const failed = { ...known, name: template, status: 'Error', message } as TemplateStatus;
    return { ...status, templateStatuses: replaced(templateStatuses, failed) };
  }
  return {
    ...status,
    analysisRuns: analysisRuns.map((run) =>
      run.analysisRun === analysisRun ? { ...run, phase: 'Error' as const, message } : run,
    ),
  };
}
