import { gvkOf, matches, selectorOf } from '#base/model';
import { type Item, itemKey, namespaceOf } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import type { State } from '../state.ts';
import { policyDenied } from '../status.ts';
import { type AdmissionContext, namespaceNamed } from './admission-context.ts';
import type { Attributes } from './attributes.ts';
import { judge, RequestView, type Violation } from './judge.ts';
import { type MatchContext, wanted } from './match.ts';
import { type AdmissionPolicy, type BindingSpec, bindingSpec, compilePolicy } from './policy.ts';

const group = 'admissionregistration.k8s.io';
const policyCollection = `${group}/validatingadmissionpolicies`;
const bindingCollection = `${group}/validatingadmissionpolicybindings`;

/** compat cluster 3.15: admission configuration is exempt from admission, or a broken one could never be repaired. */
const exempt = new Set(
  [
    'validatingadmissionpolicies',
    'validatingadmissionpolicybindings',
    'mutatingadmissionpolicies',
    'mutatingadmissionpolicybindings',
    'validatingwebhookconfigurations',
    'mutatingwebhookconfigurations',
  ].map((plural) => `${group}/${plural}`),
);

export const isExempt = ({ collection }: ServedResource): boolean => exempt.has(collection);

type Binding = { readonly name: string; readonly spec: BindingSpec };

/** The validating admission policies of a cluster, compiled when first needed and again when they change. */
export class Policies {
  readonly #state: State;
  readonly #compiled = new Map<string, { readonly item: Item; readonly policy: AdmissionPolicy }>();
  #bindings: readonly Binding[] | undefined;

  constructor(state: State) {
    this.#state = state;
    state.onCommit(({ collection }) => {
      if (collection.id === bindingCollection) this.#bindings = undefined;
    });
  }

  /** Whether any policy is bound. */
  get isActive(): boolean {
    this.#bindings ??= this.#bound();
    return this.#bindings.length > 0;
  }

  /** Throws StatusError when a bound policy denies the request. */
  review(context: AdmissionContext, attributes: Attributes, warn: (message: string) => void): void {
    if (isExempt(attributes.resource)) return;
    const denied = (this.#bindings ?? []).flatMap((binding) => {
      const policy = this.#policy(binding.spec.policyName ?? '');
      return policy ? denials(violations(context, attributes, policy, binding), policy, binding, warn) : [];
    });
    const [first] = denied;
    if (!first) return;
    const { resource, name, shownName = name } = attributes;
    throw policyDenied(resource, shownName, first.message, first.reason);
  }

  #bound(): readonly Binding[] {
    return this.#state
      .collection(bindingCollection)
      .list()
      .map(({ item }) => ({ name: item.metadata.name ?? '', spec: bindingSpec(item) }));
  }

  #policy(name: string): AdmissionPolicy | undefined {
    const item = this.#state.collection(policyCollection).get(`/${name}`)?.item;
    if (!item) return undefined;
    const known = this.#compiled.get(name);
    if (known && known.item.spec === item.spec) return known.policy;
    const policy = compilePolicy(item);
    this.#compiled.set(name, { item, policy });
    return policy;
  }
}

/** The lookups that matching a request needs in this cluster. */
export const environment = (context: AdmissionContext): MatchContext => ({
  namespace: (name) => namespaceNamed(context, name),
  versionsOf: (resource) => context.kinds.versionsOf(resource.collection),
});

/** The variables of a request for expressions. */
export function viewOf(context: AdmissionContext, attributes: Attributes, as: ServedResource): RequestView {
  const { namespace, resource } = attributes;
  return new RequestView(
    context,
    attributes,
    as,
    resource.namespaced ? namespaceNamed(context, namespace) : undefined,
  );
}

/** A violation; `isAlways`: it denies whatever the binding's actions, because the policy could not be evaluated. */
type Found = Violation & { readonly isAlways?: boolean };

/** Sorts violations: those that deny are returned, others become warnings. */
function denials(
  found: readonly Found[],
  policy: AdmissionPolicy,
  { name, spec: { validationActions = [] } }: Binding,
  warn: (message: string) => void,
): Violation[] {
  const who = `ValidatingAdmissionPolicy '${policy.name}' with binding '${name}'`;
  return found.flatMap(({ message, reason, isAlways = false }) => {
    if (!isAlways && validationActions.includes('Warn')) warn(`Validation failed for ${who}: ${message}`);
    const isDenied = isAlways || validationActions.includes('Deny');
    return isDenied ? [{ message: `${who} denied request: ${message}`, reason }] : [];
  });
}

function violations(
  context: AdmissionContext,
  attributes: Attributes,
  policy: AdmissionPolicy,
  { spec }: Binding,
): Found[] {
  const around = environment(context);
  const as = wanted(policy.spec.matchConstraints ?? {}, attributes, around);
  if (!as || (spec.matchResources && !wanted(spec.matchResources, attributes, around))) return [];
  const params = paramsOf(context, attributes, policy, spec);
  if (typeof params === 'string') {
    const isFatal = policy.spec.failurePolicy !== 'Ignore';
    return isFatal ? [{ message: params, reason: 'Invalid', isAlways: true }] : [];
  }
  const view = viewOf(context, attributes, as);
  return params.flatMap((one) => judge(policy, view, one));
}

/** The parameter objects, one evaluation each; a text is the error. */
function paramsOf(
  context: AdmissionContext,
  attributes: Attributes,
  { spec: { paramKind } }: AdmissionPolicy,
  { paramRef }: BindingSpec,
): (Item | undefined)[] | string {
  if (!paramKind || !paramRef) return [undefined];
  const { apiVersion = '', kind = '' } = paramKind;
  const resource = context.kinds.findKind(apiVersion, kind);
  if (!resource) {
    const { group: g, version } = gvkOf({ apiVersion, kind });
    return `failed to configure policy: failed to find resource referenced by paramKind: '${g === '' ? '' : `${g}/`}${version}, Kind=${kind}'`;
  }
  const where = paramNamespace(resource, attributes, paramRef.namespace ?? '');
  if ('error' in where) return `failed to configure binding: ${where.error}`;
  const found = chosen(context, resource, where.namespace, paramRef);
  if (found.length > 0) return found;
  if (paramRef.parameterNotFoundAction !== 'Deny') return [];
  return 'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction';
}

function paramNamespace(
  resource: ServedResource,
  { namespace }: Attributes,
  requested: string,
): { readonly namespace: string } | { readonly error: string } {
  if (!resource.namespaced) {
    if (requested === '') return { namespace: '' };
    return { error: 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`' };
  }
  if (requested !== '' || namespace !== '') return { namespace: requested || namespace };
  return { error: 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources' };
}

function chosen(
  context: AdmissionContext,
  resource: ServedResource,
  namespace: string,
  { name, selector }: NonNullable<BindingSpec['paramRef']>,
): Item[] {
  if (name !== undefined && name !== '') {
    const found = context.state.collection(resource.collection).get(itemKey(namespace, name));
    return found ? [found.item] : [];
  }
  const wantedLabels = selectorOf(selector ?? {});
  return context.state
    .collection(resource.collection)
    .list(namespace)
    .map(({ item }) => item)
    .filter((item) => namespaceOf(item) === namespace && matches(wantedLabels, item.metadata.labels ?? {}));
}
