import type { Item } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import type { AdmissionContext } from '../policy/admission-context.ts';
import type { Attributes } from '../policy/attributes.ts';
import { conditionsHold } from '../policy/judge.ts';
import { type AdmissionRule, type MatchResources, wanted } from '../policy/match.ts';
import { environment, isExempt, viewOf } from '../policy/policies.ts';
import { type Compiled, compileConditions, type MatchCondition } from '../policy/policy.ts';
import type { State } from '../state.ts';
import type { ClientConfig } from './call.ts';

type Spec = MatchResources & {
  readonly name?: string;
  readonly clientConfig?: ClientConfig;
  readonly rules?: readonly AdmissionRule[];
  readonly failurePolicy?: string;
  readonly timeoutSeconds?: number;
  readonly reinvocationPolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
};

/** One webhook, ready to be called. */
export type Hook = {
  /** Identifies it among all webhooks. */
  readonly id: string;
  readonly name: string;
  readonly spec: Spec;
  readonly conditions: readonly Compiled[];
};

export type Phase = 'mutate' | 'validate';

const collections: Readonly<Record<Phase, string>> = {
  mutate: 'admissionregistration.k8s.io/mutatingwebhookconfigurations',
  validate: 'admissionregistration.k8s.io/validatingwebhookconfigurations',
};

/** The admission webhooks of the stored configurations. */
export class Hooks {
  readonly #state: State;
  #known: Readonly<Record<Phase, readonly Hook[]>> | undefined;

  constructor(state: State) {
    this.#state = state;
    state.onCommit(({ collection }) => {
      if (collection.id === collections.mutate || collection.id === collections.validate)
        this.#known = undefined;
    });
  }

  /** Whether there are any. */
  get isActive(): boolean {
    const { mutate, validate } = this.#all();
    return mutate.length > 0 || validate.length > 0;
  }

  /** The webhooks that match a request, in the order of their calls, each with the version it matches. */
  wanting(
    context: AdmissionContext,
    phase: Phase,
    attributes: Attributes,
  ): { hook: Hook; as: ServedResource }[] {
    if (isExempt(attributes.resource)) return [];
    const around = environment(context);
    return this.#all()[phase].flatMap((hook) => {
      const { rules = [], ...match } = hook.spec;
      const as = rules.length > 0 && wanted({ ...match, resourceRules: rules }, attributes, around);
      return as && meets(context, hook, attributes, as) ? [{ hook, as }] : [];
    });
  }

  #all(): Readonly<Record<Phase, readonly Hook[]>> {
    this.#known ??= { mutate: this.#read('mutate'), validate: this.#read('validate') };
    return this.#known;
  }

  #read(phase: Phase): Hook[] {
    return this.#state
      .collection(collections[phase])
      .list()
      .flatMap(({ item }) => hooksOf(item, phase));
  }
}

const hooksOf = (item: Item, phase: Phase): Hook[] =>
  ((item.webhooks ?? []) as readonly Spec[]).map((spec, index) => ({
    id: `${phase} ${item.metadata.name} ${index}`,
    name: spec.name ?? '',
    spec,
    conditions: compileConditions(spec.matchConditions, { hasParams: false }),
  }));

/** compat cluster 3.15: a condition that cannot be evaluated counts as the failure policy demands. */
function meets(
  context: AdmissionContext,
  { conditions, spec }: Hook,
  attributes: Attributes,
  as: ServedResource,
): boolean {
  if (conditions.length === 0) return true;
  const held = conditionsHold(conditions, viewOf(context, attributes, as).values);
  return typeof held === 'string' ? spec.failurePolicy !== 'Ignore' : held;
}
