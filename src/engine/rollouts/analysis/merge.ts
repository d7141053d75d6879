import { FairleadError } from '#base/std';
import type { AnalysisArgument, RolloutAnalysis, TemplateRef } from '../rollout.ts';
import type { AnalysisMetric, AnalysisRunSpec, AnalysisTemplate } from './analysis.ts';

type FindTemplate = (name: string, isClusterWide: boolean) => AnalysisTemplate | undefined;

const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

/** compat rollouts RA-1: the named templates and those that they name, each once. */
function collectTemplates(refs: readonly TemplateRef[], find: FindTemplate): AnalysisTemplate[] {
  const found = new Map<string, AnalysisTemplate>();
  const visit = ({ templateName = '', clusterScope = false }: TemplateRef): void => {
    const key = `${clusterScope} ${templateName}`;
    if (found.has(key)) return;
    const template = find(templateName, clusterScope);
    const kind = clusterScope ? 'ClusterAnalysisTemplate' : 'AnalysisTemplate';
    if (!template) throw invalid(`${kind} '${templateName}' not found: create it, or name another`);
    found.set(key, template);
    template.spec?.templates?.forEach(visit);
  };
  refs.forEach(visit);
  return [...found.values()];
}

/** What a run measures, and what is worth a warning. */
export type MergedAnalysis = { readonly spec: AnalysisRunSpec; readonly remarks: readonly string[] };

type Merging = {
  readonly find: FindTemplate;
  /** The arguments as the caller's references resolve. */
  readonly args: readonly AnalysisArgument[];
  /** Resolves a reference to the object under test that a template declares; without it there is no such object. */
  resolve?(arg: AnalysisArgument): AnalysisArgument;
  /** compat rollouts RM-2: the Service that an unresolved argument `service-name` stands for. */
  readonly service?: string | undefined;
  /** compat rollouts RM-3: whether a metric that would never end is measured once. */
  readonly endsAtOnce?: boolean;
};

/** compat rollouts RA-1: the spec of a run. Throws InvalidSpec with what does not fit together. */
export function mergeAnalysis(analysis: RolloutAnalysis, merging: Merging): MergedAnalysis {
  const templates = collectTemplates(analysis.templates ?? [], merging.find);
  const remarks: string[] = [];
  const metrics = mergedMetrics(templates);
  const args = mergedArgs(templates, merging, remarks);
  const dryRun = [...(analysis.dryRun ?? []), ...templates.flatMap(({ spec }) => spec?.dryRun ?? [])];
  const retention = [
    ...(analysis.measurementRetention ?? []),
    ...templates.flatMap(({ spec }) => spec?.measurementRetention ?? []),
  ];
  const spec: AnalysisRunSpec = {
    metrics: merging.endsAtOnce ? metrics.map((metric) => ended(metric, remarks)) : metrics,
    ...(args.length > 0 && { args }),
    ...(dryRun.length > 0 && { dryRun }),
    ...(retention.length > 0 && { measurementRetention: retention }),
  };
  return { spec, remarks };
}

function mergedMetrics(templates: readonly AnalysisTemplate[]): AnalysisMetric[] {
  const names = new Set<string>();
  return templates.flatMap(({ spec }) =>
    (spec?.metrics ?? []).map((metric) => {
      if (names.has(metric.name)) throw invalid(`two metrics have the name '${metric.name}': rename one`);
      names.add(metric.name);
      return metric;
    }),
  );
}

function mergedArgs(
  templates: readonly AnalysisTemplate[],
  { args: given, service, resolve }: Merging,
  remarks: string[],
): AnalysisArgument[] {
  const declared = new Map<string, AnalysisArgument>();
  for (const arg of templates.flatMap(({ spec }) => spec?.args ?? [])) {
    const known = declared.get(arg.name);
    if (known?.value !== undefined && arg.value !== undefined && known.value !== arg.value)
      throw invalid(`two templates declare the argument '${arg.name}' with different values`);
    declared.set(arg.name, known && !isSet(arg) ? known : arg);
  }
  return [...declared.values()].map((arg) => {
    const override = given.find(({ name }) => name === arg.name);
    const chosen = override && isSet(override) ? { ...override, name: arg.name } : arg;
    // a Secret is read at each measurement
    const resolved = chosen.valueFrom && !chosen.valueFrom.secretKeyRef ? resolve?.(chosen) : chosen;
    if (resolved && isSet(resolved)) return resolved;
    if (arg.name === 'service-name' && service) {
      remarks.push(
        `the argument service-name has no value: ${service} is used; Argo Rollouts would refuse this`,
      );
      return { name: arg.name, value: service };
    }
    throw invalid(`args.${arg.name} was not resolved`);
  });
}

const isSet = ({ value, valueFrom }: AnalysisArgument): boolean =>
  value !== undefined || valueFrom !== undefined;

/** Whether a metric has no end: an interval and no count. */
export const isEndless = ({ interval, count }: AnalysisMetric): boolean =>
  Boolean(interval) && (count === undefined || count === 0 || count === '' || count === '0');

/** dev compat rollouts RM-3: such a metric in a step would hold the Rollout for ever. */
function ended(metric: AnalysisMetric, remarks: string[]): AnalysisMetric {
  if (!isEndless(metric)) return metric;
  remarks.push(
    `the metric ${metric.name} has an interval and no count: it is measured once; Argo Rollouts would refuse this`,
  );
  return { ...metric, count: 1 };
}
