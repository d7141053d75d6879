import type { FieldError } from '../status.ts';
import type { RuledSchema } from './rules.ts';

/** The parts of a structural schema that validate values. */
export type Schema = RuledSchema & {
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
};

/** A value to validate; `live` is the stored one, and an unchanged value is not validated again. */
export type JudgedValue = { readonly path: string; readonly value: unknown; readonly live?: unknown };

/** compat cluster 3.15: kube-openapi's error for a field that violates a rule. */
export const wrong = (place: JudgedValue, rule: string, value = place.value): FieldError => ({
  type: 'Invalid value',
  field: place.path || '<nil>',
  value,
  detail: `${place.path} in body ${rule}`,
});

/** The same for a value of the wrong type, which has its own reason. */
export const mistyped = (place: JudgedValue, wanted: string, value: unknown = place.value): FieldError => ({
  ...wrong(place, `must be of type ${wanted}: ${JSON.stringify(value)}`, value),
  reason: 'FieldValueTypeInvalid',
});

/** An error about no particular field. */
export const unplaced = (detail: string, value: unknown = ''): FieldError => ({
  type: 'Invalid value',
  field: '<nil>',
  value,
  detail,
});
