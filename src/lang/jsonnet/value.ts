import { JsonnetError } from './fault.ts';
import type { JsonnetMeter } from './meter.ts';

/** The value of an expression. Lists and objects contain values that are not evaluated yet. */
export type JsonnetValue = null | boolean | number | string | List | Obj | Fn;
export type List = readonly Lazy[];
export type Lazy = JsonnetValue | Thunk;

/** The evaluation context of a compiled expression. */
export type Vm = {
  readonly meter: JsonnetMeter;
  /** A file beside `from`, as value, text or bytes. Throws a Fault when there is none. */
  load(from: string, path: string, how: 'import' | 'importstr' | 'importbin'): JsonnetValue;
  /** An external variable; undefined when there is none of that name. */
  extVar(name: string): JsonnetValue | undefined;
  /** Reads one YAML document as plain data. */
  readonly yaml: ((text: string) => unknown) | undefined;
};

export type Code = (frame: JsonnetFrame) => JsonnetValue;
export type TailCode = (frame: JsonnetFrame) => JsonnetValue | TailCall;
/** An expression that compiles itself when it is first run. */
export type Expression = { code: Code };

/** The variables of one scope, and the object the code stands in. */
export class JsonnetFrame {
  readonly vm: Vm;
  readonly up: JsonnetFrame | undefined;
  readonly vars: (Lazy | undefined)[];
  readonly self: Obj | undefined;
  /** The layer of `self` that the code belongs to; `super` is what lies below it. */
  readonly layer: number;

  constructor(
    up: JsonnetFrame | undefined,
    vars: (Lazy | undefined)[],
    vm: Vm,
    within?: { self: Obj; layer: number },
  ) {
    this.vm = vm;
    this.up = up;
    this.vars = vars;
    this.self = within ? within.self : up?.self;
    this.layer = within ? within.layer : (up?.layer ?? 0);
  }
}

/** A value that is evaluated on first use, once. */
export class Thunk {
  #expression: Expression | undefined;
  #frame: JsonnetFrame | undefined;
  #value: JsonnetValue | undefined;

  constructor(expression: Expression, frame: JsonnetFrame) {
    this.#expression = expression;
    this.#frame = frame;
  }

  get(): JsonnetValue {
    if (this.#value !== undefined) return this.#value;
    const expression = this.#expression;
    const frame = this.#frame;
    if (!expression || !frame) throw new JsonnetError('a value depends on itself');
    this.#expression = undefined;
    frame.vm.meter.enter();
    this.#value = expression.code(frame);
    frame.vm.meter.leave();
    this.#frame = undefined;
    return this.#value;
  }
}

export const force = (lazy: Lazy): JsonnetValue => (lazy instanceof Thunk ? lazy.get() : lazy);

/** A value that a native function works out later. */
export function later(vm: Vm, compute: () => JsonnetValue): Thunk {
  return new Thunk({ code: compute }, new JsonnetFrame(undefined, [], vm));
}

export type FnParam = { readonly name: string; readonly optional: boolean };
/** One entry for each parameter; undefined stands for the default. The callee may keep the list. */
export type Args = (Lazy | undefined)[];

/** The body of a function. `strict` evaluates its defaults at once, as its arguments were. */
export type Invoke = (vm: Vm, args: Args, strict: boolean) => JsonnetValue | TailCall;

export class Fn {
  readonly params: readonly FnParam[];
  readonly invoke: Invoke;
  /** A function of the library; compat sources JSN-4: it does not count as a call within calls. */
  readonly native: boolean;

  constructor(params: readonly FnParam[], invoke: Invoke, native = false) {
    this.params = params;
    this.native = native;
    this.invoke = invoke;
  }
}

/** A strict call in tail position, which the caller of the replaced call makes. */
export class TailCall {
  readonly fn: Fn;
  readonly args: Args;

  constructor(fn: Fn, args: Args) {
    this.fn = fn;
    this.args = args;
  }
}

/** Calls with arguments that are bound already. */
export function invoke(vm: Vm, fn: Fn, args: Args, strict = false): JsonnetValue {
  if (fn.native) {
    vm.meter.step();
    return fn.invoke(vm, args, strict) as JsonnetValue;
  }
  vm.meter.enter();
  let result = fn.invoke(vm, args, strict);
  while (result instanceof TailCall) {
    vm.meter.step();
    result = result.fn.invoke(vm, result.args, true);
  }
  vm.meter.leave();
  return result;
}

/** Gives each parameter its argument. Throws a Fault when they do not fit. */
export function bindArgs(fn: Fn, args: Args, named: readonly (readonly [string, Lazy])[] = []): Args {
  const { params } = fn;
  if (args.length > params.length) {
    throw new JsonnetError(`the function takes ${params.length} argument(s), but got ${args.length}`);
  }
  for (const [name, value] of named) {
    const at = params.findIndex((param) => param.name === name);
    if (at < 0) throw new JsonnetError(`the function has no parameter ${name}`);
    if (args[at] !== undefined) throw new JsonnetError(`argument ${name} is given twice`);
    args[at] = value;
  }
  for (let i = 0; i < params.length; i++) {
    if (args[i] === undefined && !params[i]?.optional)
      throw new JsonnetError(`argument ${params[i]?.name} is missing`);
  }
  return args;
}

/** Calls a function with positional arguments. */
export const call = (vm: Vm, fn: Fn, ...args: Lazy[]): JsonnetValue => invoke(vm, fn, bindArgs(fn, args));

/** The visibility that a field declares; `inherit` leaves it to the layers below. */
export type Visibility = 'inherit' | 'hidden' | 'visible';

/** A field as one layer of an object has it. */
export type FieldDef = {
  readonly visibility: Visibility;
  readonly value: Expression;
  /** The scope of this field alone, where it is not that of its layer. */
  readonly scope?: JsonnetScope;
};

/** How the frame of a layer's fields is made once the object around it is known. */
export type JsonnetScope = (self: Obj, layer: number) => JsonnetFrame;

/** The content of one pair of braces. An object is a stack of these. */
export type Layer = {
  readonly fields: ReadonlyMap<string, FieldDef>;
  readonly scope: JsonnetScope;
  readonly asserts?: readonly Code[];
};

const working = Symbol('working');

/** An object: layers, the last of which wins. Each field is worked out once per layer. */
export class Obj {
  readonly layers: readonly Layer[];
  readonly #values: (Map<string, JsonnetValue | typeof working> | undefined)[] = [];
  readonly #frames: (JsonnetFrame | undefined)[] = [];
  #asserted = false;
  #visible: ReadonlyMap<string, boolean> | undefined;

  constructor(layers: readonly Layer[]) {
    this.layers = layers;
  }

  /** A field by name; undefined when there is none. `below` is the layer to search under. */
  get(name: string, below = this.layers.length): JsonnetValue | undefined {
    for (let layer = below - 1; layer >= 0; layer--) {
      const def = this.layers[layer]?.fields.get(name);
      if (def) return this.#valueOf(name, def, layer);
    }
    return undefined;
  }

  has(name: string, below = this.layers.length): boolean {
    for (let layer = below - 1; layer >= 0; layer--) if (this.layers[layer]?.fields.has(name)) return true;
    return false;
  }

  #valueOf(name: string, def: FieldDef, layer: number): JsonnetValue {
    const values = this.#values[layer] ?? new Map<string, JsonnetValue | typeof working>();
    this.#values[layer] = values;
    const known = values.get(name);
    if (known === working) throw new JsonnetError(`field ${JSON.stringify(name)} depends on itself`);
    if (known !== undefined) return known;
    values.set(name, working);
    const frame = def.scope ? def.scope(this, layer) : this.frameOf(layer);
    frame.vm.meter.enter();
    const value = def.value.code(frame);
    frame.vm.meter.leave();
    values.set(name, value);
    return value;
  }

  frameOf(layer: number): JsonnetFrame {
    const known = this.#frames[layer];
    if (known) return known;
    const made = (this.layers[layer] as Layer).scope(this, layer);
    this.#frames[layer] = made;
    return made;
  }

  /** Runs the assertions of every layer, once, when a field is first read from outside. */
  check(): void {
    if (this.#asserted) return;
    this.#asserted = true; // assertions read fields themselves
    this.layers.forEach(({ asserts }, layer) => {
      if (asserts) for (const assert of asserts) assert(this.frameOf(layer));
    });
  }

  /** Every field and whether it is visible. */
  fields(): ReadonlyMap<string, boolean> {
    if (this.#visible) return this.#visible;
    const visible = new Map<string, boolean>();
    for (const { fields } of this.layers) {
      for (const [name, { visibility }] of fields) {
        if (visibility !== 'inherit') visible.set(name, visibility === 'visible');
        else if (!visible.has(name)) visible.set(name, true);
      }
    }
    this.#visible = visible;
    return visible;
  }
}

export const isList = (value: Lazy | undefined): value is List => Array.isArray(value);

export type JsonnetTypeName = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' | 'function';

export function typeOf(value: JsonnetValue): JsonnetTypeName {
  if (value === null) return 'null';
  if (value instanceof Obj) return 'object';
  if (value instanceof Fn) return 'function';
  if (typeof value === 'object') return 'array';
  return typeof value as JsonnetTypeName;
}
