import { equal } from '#std';
import { definitionErrors, definitionUpdateErrors } from '../crd/definition.ts';
import { customErrors } from '../crd/validate.ts';
import { type Item, nameOf } from '../item.ts';
import type { Resource } from '../kinds.ts';
import { type FieldError, invalid } from '../status.ts';
import { Check } from '../validate/check.ts';
import { metaErrors, metaUpdateErrors } from '../validate/meta.ts';
import {
  checkAutoscaler,
  checkBinding,
  checkConfigData,
  checkDisruptionBudget,
  checkIngress,
  checkService,
  keepClaim,
  keepImmutableData,
  keepPriorityClass,
  keepRoleRef,
  keepSecret,
  keepService,
  keepStorageClass,
} from '../validate/others.ts';
import {
  checkController,
  checkCronJob,
  checkDeployment,
  checkJob,
  checkPod,
  keepJob,
  keepPod,
  keepSelector,
  keepStatefulSet,
} from '../validate/workloads.ts';
import type { Writing } from './writing.ts';

type Rule = { readonly always?: (next: Check) => void; readonly kept?: (next: Check, live: Check) => void };

/** What each built-in kind demands of itself, and of what replaces it. A kind that is missing demands nothing. */
const rules: Readonly<Record<string, Rule>> = {
  '/pods': { always: checkPod, kept: keepPod },
  'apps/deployments': { always: checkDeployment, kept: keepSelector },
  'apps/replicasets': { always: checkController, kept: keepSelector },
  'apps/daemonsets': { always: checkController, kept: keepSelector },
  'apps/statefulsets': { always: checkController, kept: keepStatefulSet },
  'batch/jobs': { always: checkJob, kept: keepJob },
  'batch/cronjobs': { always: checkCronJob },
  '/services': { always: checkService, kept: keepService },
  '/configmaps': { always: checkConfigData, kept: keepImmutableData },
  '/secrets': { always: checkConfigData, kept: keepSecret },
  'networking.k8s.io/ingresses': { always: checkIngress },
  'rbac.authorization.k8s.io/rolebindings': { always: checkBinding, kept: keepRoleRef },
  'rbac.authorization.k8s.io/clusterrolebindings': { always: checkBinding, kept: keepRoleRef },
  'autoscaling/horizontalpodautoscalers': { always: checkAutoscaler },
  'policy/poddisruptionbudgets': { always: checkDisruptionBudget },
  '/persistentvolumeclaims': { kept: keepClaim },
  'storage.k8s.io/storageclasses': { kept: keepStorageClass },
  'scheduling.k8s.io/priorityclasses': { kept: keepPriorityClass },
};

const definitions = 'apiextensions.k8s.io/customresourcedefinitions';

/** The item itself, or Invalid with everything that is wrong. */
export function validateNew({ resource }: Writing, item: Item): Item {
  return orThrow(resource, item, [...metaErrors(resource, item), ...contentErrors(resource, item)]);
}

/** As validateNew, and nothing that must not change may have changed. */
export function validateChanged({ resource, subresource }: Writing, live: Item, next: Item): Item {
  const errors = [...metaErrors(resource, next), ...metaUpdateErrors(live, next)];
  // an object on its way out must be able to lose its finalizers, whatever became of the rules since
  if (next.metadata.deletionTimestamp !== undefined && subresource === '' && equal(next.spec, live.spec)) {
    return orThrow(resource, next, errors);
  }
  if (resource.custom || subresource === '') errors.push(...contentErrors(resource, next, live));
  return orThrow(resource, next, errors);
}

function orThrow(resource: Resource, item: Item, errors: readonly FieldError[]): Item {
  if (errors.length === 0) return item;
  throw invalid(resource, nameOf(item), errors);
}

function contentErrors(resource: Resource, next: Item, live?: Item): readonly FieldError[] {
  if (resource.custom) return customErrors(resource.custom, next, live);
  if (resource.shelf === definitions) {
    return live ? definitionUpdateErrors(live, next) : definitionErrors(next);
  }
  const rule = rules[resource.shelf];
  if (!rule) return [];
  const check = new Check('', next);
  rule.always?.(check);
  if (live) rule.kept?.(check, new Check('', live));
  return check.errors;
}
