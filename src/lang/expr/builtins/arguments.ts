import { ExprError } from '../errors.ts';
import type { ExprRun } from '../evaluation.ts';
import { type ExprValue, entriesOf, isList, isMap, itemsOf, typeOf } from '../value.ts';

const wrong = (name: string, wanted: string, value: ExprValue | undefined): ExprError =>
  new ExprError(`${name} takes ${wanted}, not ${typeOf(value ?? null)}`);

export function textArg(name: string, value: ExprValue | undefined): string {
  if (typeof value === 'string') return value;
  throw wrong(name, 'a string', value);
}

export function listArg(run: ExprRun, name: string, value: ExprValue | undefined): readonly ExprValue[] {
  if (value !== undefined && isList(value)) return itemsOf(value, run.numbers);
  throw wrong(name, 'a list', value);
}

export function pairsArg(run: ExprRun, name: string, value: ExprValue | undefined): [ExprValue, ExprValue][] {
  if (value !== undefined && isMap(value)) return entriesOf(value, run.numbers);
  throw wrong(name, 'a map', value);
}

export function intArg(name: string, value: ExprValue | undefined): bigint {
  if (typeof value === 'bigint') return value;
  throw wrong(name, 'an int', value);
}
