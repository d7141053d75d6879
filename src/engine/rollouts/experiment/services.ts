import { isObject } from '#base/std';
import { availableOf, hashOf } from '../replica-sets.ts';
import type { RolloutReplicaSet } from '../rollout.ts';
import {
  type ExperimentTemplate,
  experimentOwner,
  serviceNameOf,
  type TemplateStatus,
} from './experiment.ts';
import { type ExperimentDraft, isOfTemplate, templateAnnotations } from './state.ts';

type About = {
  readonly set: RolloutReplicaSet;
  /** How many pods the template is to have. */
  readonly wanted: number;
  readonly status: TemplateStatus;
};

/**
 * compat rollouts RX-1: the Service of a template exists from before its pods until none of them is available. The status
 * names it, because the Rollout sends traffic there.
 */
export function reconcileTemplateService(
  draft: ExperimentDraft,
  template: ExperimentTemplate,
  { set, wanted, status }: About,
): void {
  const { experiment, state } = draft;
  const all = state.services.filter((one) => isOfTemplate(one, template.name));
  const name = serviceNameOf(experiment, template);
  const isRequested = template.service !== undefined && (wanted > 0 || availableOf(set) > 0);
  for (const service of all) if (!isRequested || service.metadata.name !== name) draft.remove(service);
  const found = all.find(({ metadata }) => metadata.name === name);
  const ports = isRequested ? portsOf(set) : [];
  if (!isRequested || (!found && (ports.length === 0 || wanted === 0))) {
    delete status.serviceName;
    delete status.podTemplateHash;
    return;
  }
  if (!found) createService(draft, template, { set, name, ports });
  status.serviceName = name;
  status.podTemplateHash = hashOf(set);
}

type ServicePort = { name?: string; protocol?: string; port: number; targetPort: number };

/** The ports of the containers. */
function portsOf({ spec }: RolloutReplicaSet): ServicePort[] {
  const containers: unknown = spec?.template?.spec?.containers;
  const list = Array.isArray(containers) ? (containers as unknown[]) : [];
  return list.flatMap((container) => {
    const ports = isObject(container) && Array.isArray(container.ports) ? container.ports : [];
    return (ports as { name?: string; protocol?: string; containerPort: number }[]).map(
      ({ name, protocol, containerPort }) => ({
        ...(name && { name }),
        ...(protocol && { protocol }),
        port: containerPort,
        targetPort: containerPort,
      }),
    );
  });
}

function createService(
  draft: ExperimentDraft,
  template: ExperimentTemplate,
  {
    set,
    name,
    ports,
  }: { readonly set: RolloutReplicaSet; readonly name: string; readonly ports: ServicePort[] },
): void {
  const { experiment } = draft;
  const { namespace } = experiment.metadata;
  draft.write({
    verb: 'create',
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name,
        ...(namespace && { namespace }),
        annotations: templateAnnotations(experiment, template),
        ownerReferences: [experimentOwner(experiment)],
      },
      spec: { selector: { ...set.metadata.labels }, ports },
    },
  });
}
