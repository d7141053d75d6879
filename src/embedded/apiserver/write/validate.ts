import { equal } from '#base/std';
import { definitionErrors, definitionUpdateErrors } from '../crd/definition.ts';
import { customErrors } from '../crd/validate.ts';
import { type Item, nameOf } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import { type FieldError, invalid } from '../status.ts';
import { FieldCheck } from '../validate/check.ts';
import { finalizerWarnings, type MetaReport, reportMeta } from '../validate/meta.ts';
import { rules } from '../validate/rules.ts';
import { warningsOf } from '../validate/warnings.ts';
import type { Writing } from './writing.ts';

const definitions = 'apiextensions.k8s.io/customresourcedefinitions';

/** Returns the item, or throws Invalid with all errors. */
export function validateNew(writing: Writing, item: Item): Item {
  const { resource } = writing;
  for (const warning of finalizerWarnings(resource, item)) writing.options.warn(warning);
  const meta = reportMeta(resource, item);
  const own = namelessKinds.has(resource.collection) ? [] : meta.own;
  orThrow(resource, item, [...own, ...contentErrors(writing, item)]);
  orThrow(resource, item, meta.general);
  for (const warning of warningsOf(resource, item)) writing.options.warn(warning);
  return item;
}

/** As validateNew, and with the checks of immutable fields. */
export function validateChanged(writing: Writing, live: Item, next: Item): Item {
  const { resource, subresource } = writing;
  for (const warning of finalizerWarnings(resource, next, live)) writing.options.warn(warning);
  const meta = reportMeta(resource, next, live);
  const errors = [...meta.general, ...meta.kept];
  // a terminating object must be able to lose its finalizers, even if the rules have changed since
  if (next.metadata.deletionTimestamp !== undefined && subresource === '' && equal(next.spec, live.spec)) {
    return orThrow(resource, next, resource.custom ? errors : [...errors, ...meta.ownKept]);
  }
  if (resource.custom) errors.push(...contentErrors(writing, next, live));
  else if (subresource === '') errors.push(...builtinErrors(writing, { next, live, meta }));
  else errors.push(...meta.ownKept);
  errors.push(...belowErrors(writing, next, live));
  orThrow(resource, next, errors);
  if (subresource === '')
    for (const warning of warningsOf(resource, next, live)) writing.options.warn(warning);
  return next;
}

/** compat cluster 3.13: these kinds have only the general metadata checks. */
const namelessKinds = new Set(['/events', 'policy/poddisruptionbudgets']);

/**
 * compat cluster 3.13: the order and the number of the checks of an updated object, which its errors show.
 * m: metadata kept · f: metadata whole · c: content · k: content kept
 */
const orders: Readonly<Record<string, string>> = {
  '/pods': 'mfck',
  '/configmaps': 'mkfc',
  '/secrets': 'mkfc',
  '/endpoints': 'mfck',
  '/serviceaccounts': 'mfck',
  '/persistentvolumeclaims': 'mfck',
  '/persistentvolumes': 'fcfck',
  '/namespaces': 'fcmk',
  'apps/daemonsets': 'mkc',
  '/limitranges': 'fck',
  '/events': 'ck',
  'policy/poddisruptionbudgets': 'ck',
  'batch/jobs': 'fcmck',
  'discovery.k8s.io/endpointslices': 'fck',
  'flowcontrol.apiserver.k8s.io/flowschemas': 'fck',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': 'fck',
  'networking.k8s.io/ingresses': 'mfck',
  'networking.k8s.io/ingressclasses': 'mkfc',
  'rbac.authorization.k8s.io/roles': 'fcmk',
  'rbac.authorization.k8s.io/clusterroles': 'fcmk',
  'rbac.authorization.k8s.io/rolebindings': 'fcmk',
  'rbac.authorization.k8s.io/clusterrolebindings': 'fcmk',
  'scheduling.k8s.io/priorityclasses': 'mk',
  'storage.k8s.io/storageclasses': 'fcmk',
  'storage.k8s.io/volumeattributesclasses': 'mkfc',
};

type Change = { readonly next: Item; readonly live: Item; readonly meta: MetaReport };

function builtinErrors(writing: Writing, { next, live, meta }: Change): FieldError[] {
  const { collection } = writing.resource;
  if (collection === definitions) return [...definitionUpdateErrors(live, next)];
  const errors: FieldError[] = [];
  const check = () => new FieldCheck('', next, errors);
  for (const step of orders[collection] ?? 'mck') {
    if (step === 'm') errors.push(...meta.ownKept);
    else if (step === 'f') errors.push(...meta.own);
    else if (step === 'c') rules[collection]?.always?.(check());
    else rules[collection]?.kept?.(check(), new FieldCheck('', live));
  }
  return errors;
}

function orThrow(resource: ServedResource, item: Item, errors: readonly FieldError[]): Item {
  if (errors.length === 0) return item;
  throw invalid(resource, nameOf(item), errors);
}

function belowErrors({ resource, subresource }: Writing, next: Item, live: Item): readonly FieldError[] {
  const check = new FieldCheck('', next);
  const rule = rules[resource.collection];
  if (subresource === 'status') rule?.status?.(check);
  else if (subresource !== '') rule?.below?.[subresource]?.(check, new FieldCheck('', live));
  return check.errors;
}

function contentErrors({ resource, options }: Writing, next: Item, live?: Item): readonly FieldError[] {
  if (resource.custom) return customErrors(resource.custom, next, live, options.warn);
  if (resource.collection === definitions) return definitionErrors(next);
  const check = new FieldCheck('', next);
  rules[resource.collection]?.always?.(check);
  if (!live) rules[resource.collection]?.fresh?.(check);
  return check.errors;
}
