import { canBeNil, type GoType, isInteger, types } from './go-type.ts';
import { nodeText } from './nodes.ts';
import { type Call, missing, type Scope, type Slot } from './scope.ts';
import { GoError, GoFunction, integer, integerOf, kindOf, typeOf, type Value, zeroOf } from './value.ts';

/** Calls a function or method with the arguments of a command, and with what came through the pipeline as the last. */
export function callFunction(self: Scope, dot: Slot, fn: GoFunction, call: Call): Value {
  const { name, final } = call;
  const args = call.args.slice(1);
  const count = args.length + (final === missing ? 0 : 1);
  const fixed = fn.variadic ? fn.params.length - 1 : fn.params.length;
  if (fn.variadic && count < fixed)
    self.fail(`wrong number of args for ${name}: want at least ${fixed} got ${args.length}`);
  if (!fn.variadic && count !== fixed)
    self.fail(`wrong number of args for ${name}: want ${fixed} got ${count}`);
  const values = args.map((arg, at) => self.argument(dot, paramAt(fn, at), arg));
  if (final !== missing) values.push(self.validate(final, paramAt(fn, count - 1)));
  if (name !== 'call' || fn.params[0] !== types.raw) return self.invoke(fn, values, call);
  const callee = args[0] ? nodeText(args[0]) : 'value';
  return self.invoke(new GoFunction([], true, (run) => callValue(run, callee, values)), [], call);
}

const paramAt = (fn: GoFunction, at: number): GoType =>
  fn.params[Math.min(at, fn.params.length - 1)] ?? types.any;

/** The builtin `call`: its first value is a function. */
function callValue(run: Parameters<GoFunction['call']>[0], name: string, values: readonly Value[]): Value {
  const [fn, ...args] = values;
  if (fn === undefined || fn === null) throw new GoError('call of nil');
  if (!(fn instanceof GoFunction)) throw new GoError(`non-function ${name} of type ${typeOf(fn).name}`);
  const fixed = fn.variadic ? fn.params.length - 1 : fn.params.length;
  if (fn.variadic && args.length < fixed)
    throw new GoError(`wrong number of args for ${name}: got ${args.length} want at least ${fixed}`);
  if (!fn.variadic && args.length !== fixed)
    throw new GoError(`wrong number of args for ${name}: got ${args.length} want ${fixed}`);
  return fn.call(
    run,
    args.map((arg, at) => preparedFor(arg ?? undefined, paramAt(fn, at), `arg ${at}: `)),
  );
}

/** A value as an argument or key of that type: integers are converted, nothing else. Throws GoError. */
export function preparedFor(value: Value, type: GoType, prefix = ''): Value {
  if (value === undefined) {
    if (!canBeNil(type)) throw new GoError(`${prefix}value is nil; should be of type ${type.name}`);
    return zeroOf(type);
  }
  if (type.kind === 'interface' || type === types.raw || typeOf(value) === type) return value;
  const whole = integerOf(value);
  if (whole !== undefined && isInteger(kindOf(value)) && isInteger(type.kind)) return integer(type, whole);
  throw new GoError(`${prefix}value has type ${typeOf(value).name}; should be ${type.name}`);
}
