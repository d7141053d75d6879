import { stepIndexOf } from './canary-replicas.ts';
import { serviceNameOf, templatesOf } from './experiment/experiment.ts';
import type { Draft } from './pass.ts';
import { stepsOf, type WeightDestination } from './rollout.ts';

/** compat rollouts RX-3: what the templates of the running Experiment of this step get of the traffic. */
export function experimentWeights({ rollout, pass }: Draft): readonly WeightDestination[] {
  const templates = stepsOf(rollout)[stepIndexOf(rollout) ?? 0]?.experiment?.templates ?? [];
  const name = rollout.status?.canary?.currentExperiment;
  const { status } = pass.experiments.find(({ metadata }) => metadata.name === name) ?? {};
  if (status?.phase !== 'Running') return [];
  return (status.templateStatuses ?? []).flatMap(({ name: of, serviceName, podTemplateHash }) => {
    const weight = templates.find((one) => one.name === of)?.weight ?? undefined;
    if (weight === undefined || !serviceName) return [];
    return [{ weight, serviceName, ...(podTemplateHash && { podTemplateHash }) }];
  });
}

/** The Services of the Experiments of a Rollout: what a router has of these and should not, is removed from it. */
export function experimentServices({ rollout, pass }: Draft): ReadonlySet<string> {
  const recorded = rollout.status?.canary?.weights?.additional ?? [];
  return new Set([
    ...recorded.flatMap(({ serviceName }) => (serviceName ? [serviceName] : [])),
    ...pass.experiments.flatMap((experiment) =>
      templatesOf(experiment)
        .filter(({ service }) => service)
        .map((template) => serviceNameOf(experiment, template)),
    ),
  ]);
}
