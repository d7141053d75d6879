import { type LabelSelector, matches, selectorOf } from '#base/model';
import { isObject, type JsonObject } from '#kubernetes/schema';
import { timestamp } from '../core.ts';
import { type Item, itemKey, nameOf, specOf, withField } from '../item.ts';
import {
  badRequest,
  conflict,
  invalid,
  notFound,
  plainFailure,
  type StatusBody,
  tooManyDisruptions,
} from '../status.ts';
import { internalWrite, resourceFor } from './internal-write.ts';
import { parseDeleteRequest } from './options.ts';
import { patch } from './patch.ts';
import { remove } from './remove.ts';
import { settle, tableFor, type Writing } from './writing.ts';

const done: StatusBody = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

/**
 * compat cluster 3.7: a delete that checks the disruption budgets first; finished and pending pods are always
 * evicted.
 */
export function evict(writing: Writing, name: string, eviction: JsonObject): StatusBody {
  const { metadata, deleteOptions } = eviction as {
    metadata?: { name?: string };
    deleteOptions?: JsonObject;
  };
  if (metadata?.name !== undefined && metadata.name !== name) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  const pod = tableFor(writing).get(itemKey(writing.namespace, name));
  if (!pod) throw notFound(writing.resource, name);
  const request = parseDeleteRequest(new URLSearchParams(), deleteOptions ?? {});
  const requested = {
    ...writing,
    subresource: '',
    isReviewed: true,
    options: withDryRun(writing, request.dryRun),
  };
  if (isDisruptive(pod.item)) checkBudgets(requested, pod.item);
  remove(requested, name, request);
  return done;
}

const withDryRun = ({ options }: Writing, dryRun: boolean): Writing['options'] =>
  dryRun ? { ...options, dryRun } : options;

function isDisruptive({ metadata, status }: Item): boolean {
  const { phase } = (isObject(status) ? status : {}) as { phase?: string };
  return metadata.deletionTimestamp === undefined && phase === 'Running';
}

function checkBudgets(writing: Writing, pod: Item): void {
  const budgets = writing.core.state
    .collection('policy/poddisruptionbudgets')
    .list(writing.namespace)
    .filter(({ item }) =>
      matches(selectorOf(specOf(item).selector as LabelSelector), pod.metadata.labels ?? {}),
    );
  if (budgets.length > 1) {
    const why =
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw plainFailure(why);
  }
  const [budget] = budgets;
  if (budget) spend(writing, budget.item, nameOf(pod));
}

type Allowance = { disruptionsAllowed?: number; desiredHealthy?: number; currentHealthy?: number };

/** Decrements the allowed disruptions, until the controller recounts the budget. */
function spend(writing: Writing, budget: Item, pod: string): void {
  const status = (isObject(budget.status) ? budget.status : {}) as Allowance & { disruptedPods?: JsonObject };
  const { disruptionsAllowed = 0, desiredHealthy = 0, currentHealthy = 0 } = status;
  if (disruptionsAllowed <= 0) {
    const why = `The disruption budget ${nameOf(budget)} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
    throw tooManyDisruptions(why);
  }
  const resource = resourceFor(writing.core, budget);
  const { namespace } = writing;
  const disruptedPods = { ...status.disruptedPods, [pod]: timestamp(writing.core) };
  const body = { status: { disruptionsAllowed: disruptionsAllowed - 1, disruptedPods } };
  const inside = internalWrite(writing.core, resource, writing.options.manager, {
    namespace,
    subresource: 'status',
  });
  if (!writing.options.dryRun) patch(inside, nameOf(budget), { type: 'merge', body });
}

/**
 * Binds a pod to a node, as a scheduler does. compat cluster 3.8: that is no change of the pod's desired state, so
 * its generation stays, and no manager owns the node name.
 */
export function bind(writing: Writing, name: string, binding: JsonObject): StatusBody {
  const { metadata, target } = binding as { metadata?: { name?: string }; target?: { name?: unknown } };
  if (metadata?.name !== name) throw badRequest('name in URL does not match name in Binding object');
  const node = target?.name;
  if (typeof node !== 'string' || node === '') throw nodeRequired(name);
  const pod = tableFor(writing).get(itemKey(writing.namespace, name));
  if (!pod) throw notFound(writing.resource, name);
  const spec = specOf(pod.item);
  if (spec.nodeName) {
    const why = `pod ${name} is already assigned to node "${String(spec.nodeName)}"`;
    throw conflict({ ...writing.resource, plural: 'pods/binding' }, name, why);
  }
  const bound = withField(pod.item, 'spec', { ...spec, nodeName: node });
  settle(writing, withField(bound, 'status', scheduled(writing, pod.item.status)));
  return done;
}

const nodeRequired = (name: string): Error =>
  invalid({ group: '', kind: 'Binding' }, name, [
    { type: 'Required value', field: 'target.name', detail: '' },
  ]);

function scheduled({ core }: Writing, status: unknown): JsonObject {
  const before = isObject(status) ? status : {};
  const conditions = (Array.isArray(before.conditions) ? before.conditions : []) as { type?: string }[];
  const others = conditions.filter(({ type }) => type !== 'PodScheduled');
  const condition = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(core),
  };
  return { ...before, conditions: [...others, condition] };
}
