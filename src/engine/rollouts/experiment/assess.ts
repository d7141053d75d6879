import { isFinished } from '../analysis/analysis.ts';
import type { AnalysisPhase } from '../rollout.ts';
import {
  analysesOf,
  areRequiredSuccessful,
  isBad,
  runStatus,
  type TemplatePhase,
  templateStatus,
  templatesOf,
} from './experiment.ts';
import type { ExperimentDraft } from './state.ts';

type Verdict = { readonly phase: AnalysisPhase; readonly message: string };

/** compat rollouts RX-2: the phase that the templates and the analyses amount to. A finished Experiment keeps its phase. */
export function assessExperiment(draft: ExperimentDraft): void {
  const { status, experiment } = draft;
  const before = status.phase;
  if (!before) status.phase = 'Pending';
  else if (!isFinished(before)) {
    const templates = templatesVerdict(draft);
    if (templates.phase === 'Running' && !status.availableAt) status.availableAt = draft.nowText;
    const { phase, message } = verdictOf(draft, templates, runsVerdict(draft));
    status.phase = phase;
    if (message) status.message = message;
    else delete status.message;
  }
  if (status.phase === before) return;
  const from = before ? ` after ${before}` : '';
  const cause = status.message ? `: ${status.message}` : '';
  draft.event(
    `Experiment${status.phase}`,
    `Experiment '${experiment.metadata.name}' is ${status.phase}${from}${cause}`,
    isBad(status.phase) ? 'Warning' : 'Normal',
  );
}

function verdictOf(draft: ExperimentDraft, templates: Verdict, runs: Verdict): Verdict {
  const { experiment, status } = draft;
  const hasRequired = analysesOf(experiment).some(({ requiredForCompletion }) => requiredForCompletion);
  if (templates.phase === 'Successful') return isFinished(runs.phase) || hasRequired ? runs : templates;
  if (isFinished(templates.phase)) return templates;
  return isBad(runs.phase) || areRequiredSuccessful(experiment, status) ? runs : templates;
}

/** From the best to the worst. */
const templateOrder: readonly TemplatePhase[] = ['Successful', 'Running', 'Progressing', 'Error', 'Failed'];
const runOrder: readonly AnalysisPhase[] = [
  'Successful',
  'Running',
  'Pending',
  'Inconclusive',
  'Error',
  'Failed',
];

function worst<P extends string>(order: readonly P[], all: readonly { phase: P; message: string }[]) {
  const found = all.toSorted((a, b) => order.indexOf(b.phase) - order.indexOf(a.phase))[0];
  return found ?? { phase: order[0] as P, message: '' };
}

function templatesVerdict({ experiment, status }: ExperimentDraft): Verdict {
  const all = templatesOf(experiment).map(({ name }) => {
    const { status: phase = 'Progressing', message = '' } = templateStatus(status, name) ?? {};
    return { phase, message };
  });
  const { phase, message } = worst<TemplatePhase>(templateOrder, all);
  return { phase: phase === 'Progressing' ? 'Pending' : phase, message };
}

function runsVerdict({ experiment, status, isEnding }: ExperimentDraft): Verdict {
  const all = analysesOf(experiment).map(({ name }) => {
    const { phase, message = '' } = runStatus(status, name) ?? { phase: '' as const };
    // an analysis that has not begun will begin, unless the Experiment ends before
    return { phase: phase === '' ? (isEnding ? 'Successful' : 'Pending') : phase, message };
  });
  const { phase, message } = worst<AnalysisPhase>(runOrder, all);
  if (!isBad(phase) && areRequiredSuccessful(experiment, status))
    return { phase: 'Successful', message: 'Required AnalysisRuns completed' };
  return { phase: phase === 'Pending' ? 'Running' : phase, message };
}
