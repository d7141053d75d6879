import type { FieldCheck } from '../validate/check.ts';

/** What one rule can cost, all its uses in one object together. */
export type RuleCost = { readonly check: FieldCheck; readonly cost: number };

/** Where in a schema we are: what its absence of a type is called, and whether old values can be found there. */
export type SchemaPlace = {
  readonly role: 'root' | 'object fields' | 'array items' | 'additionalProperties';
  /** The list whose items cannot be told apart, once we are inside one. */
  readonly uncorrelated: string | undefined;
  /** How many values of this schema an object can have; undefined when that is for their size to say. */
  readonly times: number | undefined;
  /** What the rules found so far can cost. */
  readonly costs: RuleCost[];
};
