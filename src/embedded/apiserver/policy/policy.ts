import { CelProgram, type CelType, simpleTypes } from '#embedded/cel';
import { type Item, specOf } from '../item.ts';
import { compileExpression, type PolicyScope, wantsBool, wantsText } from './expressions.ts';
import type { MatchResources } from './match.ts';

/** The parts of a ValidatingAdmissionPolicy that are needed to run it; any of them may be missing. */
type PolicySpec = {
  readonly failurePolicy?: string;
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string };
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly { readonly name?: string; readonly expression?: string }[];
  readonly validations?: readonly {
    readonly expression?: string;
    readonly message?: string;
    readonly messageExpression?: string;
    readonly reason?: string;
  }[];
};

export type MatchCondition = { readonly name?: string; readonly expression?: string };

/** The parts of a binding. */
export type BindingSpec = {
  readonly policyName?: string;
  readonly validationActions?: readonly string[];
  readonly matchResources?: MatchResources;
  readonly paramRef?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly selector?: MatchResources['objectSelector'];
    readonly parameterNotFoundAction?: string;
  };
};

/** A compiled expression with its source, which errors quote. */
export type Compiled = { readonly source: string; readonly program: CelProgram | { readonly error: string } };

type Validation = Compiled & {
  readonly message: string;
  readonly messageProgram: CelProgram | undefined;
  readonly reason: string;
};

/** A compiled policy. */
export type AdmissionPolicy = {
  readonly name: string;
  readonly spec: PolicySpec;
  readonly conditions: readonly Compiled[];
  readonly variables: ReadonlyMap<string, Compiled>;
  readonly validations: readonly Validation[];
};

const policySpec = (item: Item): PolicySpec => specOf(item) as PolicySpec;
export const bindingSpec = (item: Item): BindingSpec => specOf(item) as BindingSpec;

/** Compiles all expressions; invalid ones fail when they are run. */
export function compilePolicy(item: Item): AdmissionPolicy {
  const spec = policySpec(item);
  const scope: PolicyScope = { hasParams: spec.paramKind !== undefined };
  const variables = new Map<string, Compiled>();
  const types = new Map<string, CelType>();
  for (const { name = '', expression = '' } of spec.variables ?? []) {
    const compiled = compiledOf(expression, { ...scope, variables: new Map(types) });
    variables.set(name, compiled);
    types.set(name, typeOf(compiled));
  }
  const within = { ...scope, variables: types };
  return {
    name: item.metadata.name ?? '',
    spec,
    conditions: compileConditions(spec.matchConditions, scope),
    variables,
    validations: (spec.validations ?? []).map(
      ({ expression = '', message = '', messageExpression, reason }) => ({
        ...compiledOf(expression, within, wantsBool),
        message: message.trim(),
        messageProgram: messageExpression ? messageOf(messageExpression, within) : undefined,
        reason: reason ?? 'Invalid',
      }),
    ),
  };
}

export const compileConditions = (
  conditions: readonly MatchCondition[] | undefined,
  scope: PolicyScope,
): Compiled[] => (conditions ?? []).map(({ expression = '' }) => compiledOf(expression, scope, wantsBool));

const compiledOf = (source: string, scope: PolicyScope, types?: readonly CelType[]): Compiled => ({
  source: source.trim(),
  program: compileExpression(source, scope, types),
});

/** The type of a variable for later ones; dyn when it does not compile. */
export const typeOf = ({ program }: Pick<Compiled, 'program'>): CelType =>
  program instanceof CelProgram ? program.type : simpleTypes.dyn;

function messageOf(source: string, scope: PolicyScope): CelProgram | undefined {
  const program = compileExpression(source, scope, wantsText);
  return program instanceof CelProgram ? program : undefined;
}
