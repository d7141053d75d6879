import { printTime } from '#base/model';
import { templateHash } from '../hash.ts';
import { actualOf, availableOf, deadlineOf, hashOf, readyOf, sizeOf, withHash } from '../replica-sets.ts';
import { type RolloutReplicaSet, rolloutKey } from '../rollout.ts';
import {
  type ExperimentTemplate,
  experimentOwner,
  isTemplateDone,
  progressSeconds,
  type TemplatePhase,
  type TemplateStatus,
  templateStatus,
} from './experiment.ts';
import { reconcileTemplateService } from './services.ts';
import { type ExperimentDraft, isOfTemplate, templateAnnotations } from './state.ts';

/** compat rollouts RX-1, RX-2: one template becomes a ReplicaSet, and a Service where it requests one. */
export function reconcileTemplate(draft: ExperimentDraft, template: ExperimentTemplate): void {
  const { experiment, state, status, nowText } = draft;
  const { name } = template;
  const before = templateStatus(experiment.status, name) ?? { name, ...noPods };
  const after: TemplateStatus = { ...before };
  const wanted = draft.isEnding || isTemplateDone(before) ? 0 : (template.replicas ?? 1);
  const set = state.replicaSets.find((one) => isOfTemplate(one, name));
  if (set) {
    reconcileTemplateService(draft, template, { set, wanted, status: after });
    if (scaleTemplate(draft, set, wanted)) after.lastTransitionTime = nowText;
  } else if (!draft.isEnding && !isTemplateDone(before)) {
    createTemplateSet(draft, template);
    after.lastTransitionTime = nowText;
  }
  countTemplatePods(after, set);
  if (!sameCounts(before, after)) after.lastTransitionTime = nowText;
  if (!isTemplateDone(before)) judgeTemplate(draft, after, wanted);
  noteTemplate(draft, before, after);
  status.templateStatuses = replaced(status.templateStatuses ?? [], after);
}

const noPods = { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0 };

function countTemplatePods(status: TemplateStatus, set: RolloutReplicaSet | undefined): void {
  status.replicas = actualOf(set);
  status.updatedReplicas = actualOf(set);
  status.readyReplicas = readyOf(set);
  status.availableReplicas = availableOf(set);
}

export const sameCounts = (a: TemplateStatus, b: TemplateStatus): boolean =>
  a.replicas === b.replicas &&
  a.readyReplicas === b.readyReplicas &&
  a.availableReplicas === b.availableReplicas;

export const replaced = <T extends { readonly name: string }>(list: readonly T[], one: T): T[] =>
  list.some(({ name }) => name === one.name)
    ? list.map((item) => (item.name === one.name ? one : item))
    : [...list, one];

/** compat rollouts RX-1: without pods; the next pass scales it. */
function createTemplateSet(draft: ExperimentDraft, template: ExperimentTemplate): void {
  const { experiment } = draft;
  const { name, namespace } = experiment.metadata;
  const { [rolloutKey.hash]: _hash, ...labels } = template.template?.metadata?.labels ?? {};
  const bare = { ...template.template, metadata: { ...template.template?.metadata, labels } };
  const hash = templateHash(bare);
  const all = { ...labels, [rolloutKey.hash]: hash };
  const object: RolloutReplicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${template.name}`,
      ...(namespace && { namespace }),
      labels: all,
      annotations: templateAnnotations(experiment, template),
      ownerReferences: [experimentOwner(experiment)],
    },
    spec: {
      replicas: 0,
      ...(template.minReadySeconds && { minReadySeconds: template.minReadySeconds }),
      selector: withHash(template.selector, hash),
      template: { ...bare, metadata: { ...bare.metadata, labels: all } },
    },
  };
  draft.write({ verb: 'create', object });
}

/** Scales one ReplicaSet; true: its size changes. */
function scaleTemplate(draft: ExperimentDraft, set: RolloutReplicaSet, wanted: number): boolean {
  const isDated = deadlineOf(set) !== undefined;
  const isResized = sizeOf(set) !== wanted;
  if (!isResized && !(isDated && wanted > 0)) return false;
  if (isResized && wanted === 0 && keepsPods(draft, set)) return false;
  draft.patch(set, {
    metadata: {
      resourceVersion: set.metadata.resourceVersion,
      ...(isDated && { annotations: { [rolloutKey.scaleDownDeadline]: null } }),
    },
    spec: { replicas: wanted },
  });
  if (!isResized) return false;
  const way = sizeOf(set) < wanted ? 'up' : 'down';
  draft.event(
    'ScalingReplicaSet',
    `Scaled ${way} ReplicaSet ${set.metadata.name} from ${sizeOf(set)} to ${wanted}`,
  );
  return true;
}

/** compat rollouts RX-2: whether pods of an Experiment that has ended stay for now; dates a ReplicaSet without a date. */
function keepsPods(draft: ExperimentDraft, set: RolloutReplicaSet): boolean {
  const delay = draft.experiment.spec?.scaleDownDelaySeconds ?? 30;
  if (delay <= 0) return false;
  const now = draft.now.getTime();
  const deadline = deadlineOf(set);
  const until = deadline ?? now + delay * 1000;
  if (until <= now) return false;
  draft.wake(until);
  if (deadline === undefined)
    draft.patch(set, {
      metadata: {
        resourceVersion: set.metadata.resourceVersion,
        annotations: { [rolloutKey.scaleDownDeadline]: printTime(new Date(until)) },
      },
    });
  return true;
}

/** compat rollouts RX-2: where a template stands that has not ended. */
function judgeTemplate(draft: ExperimentDraft, status: TemplateStatus, wanted: number): void {
  status.status = phaseOfTemplate(draft, status, wanted);
  delete status.message;
  if (status.status === 'Failed')
    status.message = `Template '${status.name}' exceeded its progressDeadlineSeconds (${progressSeconds(draft.experiment)})`;
}

function phaseOfTemplate(draft: ExperimentDraft, status: TemplateStatus, wanted: number): TemplatePhase {
  if (draft.isEnding) return 'Successful';
  if (status.availableReplicas === wanted) return draft.isOver ? 'Successful' : 'Running';
  const seconds = progressSeconds(draft.experiment);
  const due = (Date.parse(status.lastTransitionTime ?? '') || draft.now.getTime()) + seconds * 1000;
  if (due < draft.now.getTime()) return 'Failed';
  draft.wake(due + 1000);
  return 'Progressing';
}

function noteTemplate(draft: ExperimentDraft, before: TemplateStatus, after: TemplateStatus): void {
  if (before.status === after.status || !after.status) return;
  const isFailure = after.status === 'Failed' || after.status === 'Error';
  const cause = after.message ? `: ${after.message}` : '';
  const from = before.status ? ` after ${before.status}` : '';
  draft.event(
    `Template${after.status}`,
    `Template '${after.name}' is ${after.status}${from}${cause}`,
    isFailure ? 'Warning' : 'Normal',
  );
}

/** The hash of the pods of a template; undefined: they do not exist yet. */
export const hashOfTemplate = (draft: ExperimentDraft, name: string): string | undefined =>
  hashOf(draft.state.replicaSets.find((one) => isOfTemplate(one, name))) || undefined;
