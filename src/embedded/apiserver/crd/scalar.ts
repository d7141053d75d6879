import { FairleadError } from '#base/std';
import { compileRegex } from '#lang/regex';
import type { FieldError } from '../status.ts';
import { matchesFormat } from './formats.ts';
import { type JudgedValue, mistyped, type Schema, unplaced, wrong } from './judged.ts';

/** The errors of a text. */
export function textErrors(schema: Schema, place: JudgedValue, text: string): FieldError[] {
  const { minLength = 0, maxLength, pattern, format } = schema;
  const errors: FieldError[] = [];
  const length = [...text].length;
  if (maxLength !== undefined && length > maxLength) {
    errors.push({ type: 'Too long', field: place.path, detail: `may not be more than ${maxLength} bytes` });
  }
  if (length < minLength) errors.push(wrong(place, `should be at least ${minLength} chars long`));
  if (pattern !== undefined && !isMatch(pattern, text))
    errors.push(wrong(place, `should match '${pattern}'`));
  if (format !== undefined && !matchesFormat(format, text)) errors.push(mistyped(place, format));
  return errors;
}

/** An invalid pattern was refused when its definition was created; an older one is not enforced. */
function isMatch(pattern: string, text: string): boolean {
  try {
    return compileRegex(pattern).test(text);
  } catch (error) {
    if (error instanceof FairleadError) return true;
    throw error;
  }
}

const ranges: Readonly<Record<string, readonly [least: number, most: number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
};

/** The errors of a number. */
export function numberErrors(schema: Schema, place: JudgedValue, value: number): FieldError[] {
  const range = schema.type === 'integer' ? ranges[schema.format ?? ''] : undefined;
  if (range && (value < range[0] || value > range[1])) {
    return [unplaced(`Checked value must be of type integer with format ${schema.format} in ${place.path}`)];
  }
  return limitErrors(schema, place, value);
}

function limitErrors(schema: Schema, place: JudgedValue, value: number): FieldError[] {
  const { maximum, minimum, multipleOf } = schema;
  const { exclusiveMinimum: above = false, exclusiveMaximum: below = false } = schema;
  const rules: [broken: boolean, rule: string][] = [
    [isOver(value, maximum, below), `should be less than ${below ? '' : 'or equal to '}${maximum}`],
    [
      isOver(-value, minimum === undefined ? undefined : -minimum, above),
      `should be greater than ${above ? '' : 'or equal to '}${minimum}`,
    ],
    [
      multipleOf !== undefined && !Number.isInteger(value / multipleOf),
      `should be a multiple of ${multipleOf}`,
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, rule]) => wrong(place, rule));
}

/** compat cluster 3.15: an integer is compared with the integer part of the limit. */
function isOver(value: number, limit: number | undefined, isExclusive: boolean): boolean {
  if (limit === undefined) return false;
  const cut = Number.isInteger(value) ? Math.trunc(limit) : limit;
  return value > cut || (isExclusive && value === cut);
}
