import { matches, parseDuration, selectorOf } from '#base/model';
import { FairleadError } from '#base/std';
import {
  analysesOf,
  type Experiment,
  type ExperimentTemplate,
  progressSeconds,
  templatesOf,
} from './experiment.ts';

/** compat rollouts RX-1: the first thing that is wrong in an Experiment itself, as `path: what`; undefined: nothing is. */
export function experimentProblem(experiment: Experiment): string | undefined {
  const names = new Set<string>();
  for (const [index, template] of templatesOf(experiment).entries()) {
    const problem = templateProblem(template, progressSeconds(experiment));
    if (problem !== undefined) return `spec.templates[${index}].${problem}`;
    if (names.has(template.name))
      return `spec.templates[${index}].name: another template has the name '${template.name}': rename one`;
    names.add(template.name);
  }
  if (names.size === 0) return 'spec.templates: Required value: an Experiment runs at least one template';
  return analysesProblem(experiment) ?? durationProblem(experiment.spec?.duration);
}

function templateProblem(
  { name, selector, template, minReadySeconds = 0 }: ExperimentTemplate,
  deadline: number,
): string | undefined {
  if (!name) return 'name: Required value: name the template';
  if (!selector) return "selector: Experiment has missing field '.selector'";
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (Object.keys(matchLabels).length + matchExpressions.length === 0)
    return 'selector: This experiment is selecting all pods. A non-empty selector is required.';
  if (!matches(selectorOf(selector), template?.metadata?.labels ?? {}))
    return 'template.metadata.labels: `selector` does not match template `labels`';
  return minReadySeconds > deadline
    ? `minReadySeconds: ${minReadySeconds} must not be greater than progressDeadlineSeconds (${deadline})`
    : undefined;
}

function analysesProblem(experiment: Experiment): string | undefined {
  const names = analysesOf(experiment).map(({ name }) => name);
  const index = names.findIndex((name, at) => names.indexOf(name) !== at);
  return index < 0
    ? undefined
    : `spec.analyses[${index}].name: another analysis has the name '${names[index]}'`;
}

/** dev compat rollouts RX-2: the peer runs an Experiment with such a duration for ever. */
export function durationProblem(duration: string | undefined): string | undefined {
  try {
    if (!duration || parseDuration(duration) >= 0) return undefined;
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
  }
  return `spec.duration: ${JSON.stringify(duration)} is no duration: use a text such as 5m`;
}
