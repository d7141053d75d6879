import type { FieldError } from '../status.ts';
import type { RuledSchema } from './rules.ts';

/** A structural schema, as far as values are judged by it. */
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

/** Judges one value; `live` is what stood there before, and what has not changed is not judged again. */
export type JudgedValue = { readonly path: string; readonly value: unknown; readonly live?: unknown };

/** compat 3.15: kube-openapi's way to say that a rule about a field is broken. */
export const wrong = (place: JudgedValue, rule: string, value = place.value): FieldError => ({
  type: 'Invalid value',
  field: place.path || '<nil>',
  value,
  detail: `${place.path} in body ${rule}`,
});

/** The same for a value of the wrong type, which is a reason of its own. */
export const mistyped = (place: JudgedValue, wanted: string, value: unknown = place.value): FieldError => ({
  ...wrong(place, `must be of type ${wanted}: ${JSON.stringify(value)}`, value),
  reason: 'FieldValueTypeInvalid',
});

/** What is said about no field in particular. */
export const unplaced = (detail: string, value: unknown = ''): FieldError => ({
  type: 'Invalid value',
  field: '<nil>',
  value,
  detail,
});
