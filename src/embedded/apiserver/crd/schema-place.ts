import type { FieldCheck } from '../validate/check.ts';

/** The cost of one rule, all its uses in one object together. */
export type RuleCost = { readonly check: FieldCheck; readonly cost: number };

/** A position in a schema: how a missing type is reported, and whether old values can be found there. */
export type SchemaPlace = {
  readonly role: 'root' | 'object fields' | 'array items' | 'additionalProperties';
  /** The enclosing list whose items have no identity. */
  readonly uncorrelated: string | undefined;
  /** How many values of this schema an object can have; undefined when only their size bounds that. */
  readonly times: number | undefined;
  /** The costs of the rules found so far. */
  readonly costs: RuleCost[];
};
