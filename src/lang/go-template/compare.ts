import { noFlags, type PrintMeter } from './flags.ts';
import { formatArg, text } from './format.ts';
import { isSigned, isUnsigned } from './go-type.ts';
import { compareText } from './text.ts';
import {
  type GoComplex,
  GoError,
  GoFunction,
  GoList,
  GoMap,
  integerOf,
  kindOf,
  typeOf,
  type Value,
} from './value.ts';

type Basic = 'bool' | 'complex' | 'int' | 'float' | 'string' | 'uint';

/** compat sources HT-9: only values of one basic kind compare; undefined for all others. */
function basicOf(value: Value): Basic | undefined {
  if (value === undefined || value === null) return undefined;
  const kind = kindOf(value);
  if (isSigned(kind)) return 'int';
  if (isUnsigned(kind)) return 'uint';
  if (kind === 'bool' || kind === 'string') return kind;
  if (kind === 'float64') return 'float';
  return kind === 'complex128' ? 'complex' : undefined;
}

const areIntegers = (left: Basic | undefined, right: Basic | undefined): boolean =>
  (left === 'int' || left === 'uint') && (right === 'int' || right === 'uint');

const incompatible = (left: Value, right: Value): GoError =>
  new GoError(`incompatible types for comparison: ${nameOf(left)} and ${nameOf(right)}`);

const nameOf = (value: Value): string => (value === undefined ? '<nil>' : typeOf(value).name);

/** `eq` of two values; undefined is nil. Throws GoError where Go refuses to compare. */
export function equalBasic(run: PrintMeter, left: Value, right: Value): boolean {
  const [first, second] = [basicOf(left), basicOf(right)];
  if (areIntegers(first, second)) return integerOf(left) === integerOf(right);
  if (first !== second) {
    if (left !== undefined && right !== undefined) throw incompatible(left, right);
    return false;
  }
  if (first === 'complex') {
    const [a, b] = [left as GoComplex, right as GoComplex];
    return a.real === b.real && a.imaginary === b.imaginary;
  }
  return first === undefined ? equalOthers(run, left, right) : left === right;
}

function equalOthers(run: PrintMeter, left: Value, right: Value): boolean {
  if (isNil(left) || isNil(right)) {
    if (left !== undefined && right !== undefined && kindOf(left) !== kindOf(right))
      throw differentKinds(run, left, right);
    return isNil(left) === isNil(right);
  }
  if (left === undefined || right === undefined) return false;
  if (kindOf(left) !== kindOf(right)) throw differentKinds(run, left, right);
  if (right instanceof GoList || right instanceof GoMap || right instanceof GoFunction)
    throw new GoError(`non-comparable type ${asString(run, right)}: ${nameOf(right)}`);
  return left === right;
}

const differentKinds = (run: PrintMeter, left: Value, right: Value): GoError =>
  new GoError(
    `non-comparable types ${asString(run, left)}: ${nameOf(left)}, ${nameOf(right)}: ${text(run, right)}`,
  );

/** compat: Go prints the operands of this message with %s. */
const asString = (run: PrintMeter, value: Value): string => formatArg(noFlags(run), value, 's');

const isNil = (value: Value): boolean =>
  value === undefined ||
  value === null ||
  ((value instanceof GoList || value instanceof GoMap) && value.isNil);

/** `lt` of two values. Throws GoError where Go refuses to compare. */
export function lessThan(left: Value, right: Value): boolean {
  const [first, second] = [basicOf(left), basicOf(right)];
  if (first === undefined || second === undefined) throw new GoError('invalid type for comparison');
  if (areIntegers(first, second)) return (integerOf(left) ?? 0n) < (integerOf(right) ?? 0n);
  if (first !== second) throw incompatible(left, right);
  if (typeof left === 'number' && typeof right === 'number') return left < right;
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right) < 0;
  throw new GoError('invalid type for comparison');
}
