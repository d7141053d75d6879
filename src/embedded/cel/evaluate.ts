import { elementAt, fieldOf, hasField, optionalAt } from './access.ts';
import type { Checked, ResolvedCall } from './check.ts';
import { equals } from './compare.ts';
import { accepts, isFault, type Overload } from './function-table.ts';
import { addEntry, addItem, conversions, isConstantExpr, iterate } from './literal-nodes.ts';
import type { CelMeter } from './meter.ts';
import { type CelCall, type Expr, type Fold, operators, type Select } from './syntax.ts';
import {
  CelError,
  type CelValue,
  ListValue,
  MapValue,
  noSuchOverload,
  OptionalValue,
  TypeValue,
  typeNameOf,
} from './value.ts';

/** The state of an evaluation: its variables, and its cost so far. */
type Frame = {
  readonly variables: Readonly<Record<string, CelValue>>;
  readonly slots: CelValue[];
  readonly meter: CelMeter;
};

/** A compiled expression. */
export type CelNode = (frame: Frame) => CelValue;

/** Turns a checked tree into a function; each node charges the cost of the real server's cost model. */
export function plan(expr: Expr, checked: Checked): { readonly run: CelNode; readonly slots: number } {
  const planner = new Planner(checked);
  const run = planner.node(expr);
  return { run, slots: planner.slots };
}

type Scope = { readonly name: string; readonly slot: number; readonly outer: Scope | undefined };

class Planner {
  readonly #checked: Checked;
  #scope: Scope | undefined;
  slots = 0;

  constructor(checked: Checked) {
    this.#checked = checked;
  }

  node(expr: Expr): CelNode {
    const typeName = this.#checked.typeNames.get(expr);
    if (typeName !== undefined) {
      const type = new TypeValue(typeName);
      return () => type;
    }
    switch (expr.is) {
      case 'const':
        return () => expr.value;
      case 'ident':
        return this.#ident(expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'fold':
        return this.#fold(expr);
      default:
        return () => noSuchOverload;
    }
  }

  #ident(name: string, cost = 1): CelNode {
    for (let scope = this.#scope; scope; scope = scope.outer) {
      if (scope.name !== name) continue;
      const { slot } = scope;
      return ({ slots, meter }) => {
        meter.charge(cost);
        return slots[slot] as CelValue;
      };
    }
    return ({ variables, meter }) => {
      meter.charge(cost);
      const value = variables[name];
      return value === undefined ? new CelError(`no such attribute(s): ${name}`) : value;
    };
  }

  /** The extra cost of a selection: a chain that does not start at a name costs one more. */
  #base(expr: Expr): number {
    return expr.is === 'ident' || expr.is === 'select' || isIndex(expr) ? 0 : 1;
  }

  #select(expr: Select): CelNode {
    const operand = this.node(expr.operand);
    const { field, test } = expr;
    const cost = this.#base(expr.operand) + (test ? 0 : 1);
    return (frame) => {
      const value = operand(frame);
      if (isFault(value)) return value;
      frame.meter.charge(cost);
      return test ? hasField(value, field) : fieldOf(value, field);
    };
  }

  #call(expr: CelCall): CelNode {
    if (expr.target === undefined) {
      const special = this.#operator(expr);
      if (special) return special;
    }
    const resolved = this.#checked.calls.get(expr);
    if (!resolved) return () => noSuchOverload;
    const args = resolved.args.map((arg) => this.node(arg));
    return this.#special(expr, resolved, args) ?? this.#strict(resolved, expr, args);
  }

  #operator({ name, args }: CelCall): CelNode | undefined {
    switch (name) {
      case operators.and:
        return this.#logical(args, false);
      case operators.or:
        return this.#logical(args, true);
      case operators.choose:
        return this.#choose(args);
      case operators.notStrictlyFalse: {
        const inside = this.node(args[0] as Expr);
        return (frame) => {
          const value = inside(frame);
          frame.meter.charge(1);
          return value !== false;
        };
      }
      case operators.index:
        return this.#index(args, false);
      case operators.optionalIndex:
      case operators.optionalSelect:
        return this.#index(args, true);
      default:
        return undefined;
    }
  }

  /** Functions that do not evaluate all their arguments, or cost nothing. */
  #special(expr: CelCall, { entry, args }: ResolvedCall, nodes: readonly CelNode[]): CelNode | undefined {
    const [first, second] = nodes;
    if (entry.name === 'dyn' && first) return first;
    const isChoice = entry.name === 'or' || entry.name === 'orValue';
    if (isChoice && expr.target && first && second) return orElse(first, second, entry.name === 'orValue');
    if (entry.name !== operators.in || args[1]?.is !== 'list' || !first) return undefined;
    return this.#inConstants(args[1].items, first);
  }

  #inConstants(items: readonly Expr[], needle: CelNode): CelNode | undefined {
    const values: CelValue[] = [];
    for (const item of items) {
      if (item.is !== 'const') return undefined;
      values.push(item.value);
    }
    return (frame) => {
      const value = needle(frame);
      return isFault(value) ? value : values.some((one) => equals(one, value));
    };
  }

  #strict(resolved: ResolvedCall, { name }: CelCall, args: readonly CelNode[]): CelNode {
    const { entry, overloads } = resolved;
    const isFree = conversions.has(name) && resolved.args.length === 1 && resolved.args[0]?.is === 'const';
    return (frame) => {
      const values = args.map((arg) => arg(frame));
      const fault = values.find(isFault);
      if (fault) {
        frame.meter.charge(1);
        return fault;
      }
      const overload = pick(overloads, values);
      if (!overload) {
        frame.meter.charge(1);
        return noMatch(entry.name, values);
      }
      if (isFree) return overload.run(...values);
      return charged(frame.meter, overload, values);
    };
  }

  /** compat: one side may decide even when the other has failed. */
  #logical(args: readonly Expr[], decisive: boolean): CelNode {
    const [left, right] = args.map((arg) => this.node(arg)) as [CelNode, CelNode];
    return (frame) => {
      const first = left(frame);
      if (first === decisive) return decisive;
      const second = right(frame);
      if (second === decisive) return decisive;
      if (typeof first === 'boolean' && typeof second === 'boolean') return !decisive;
      if (isFault(first)) return first;
      return isFault(second) ? second : noSuchOverload;
    };
  }

  #choose(args: readonly Expr[]): CelNode {
    const [condition, yes, no] = args.map((arg, index) =>
      index > 0 && arg.is === 'ident' ? this.#ident(arg.name, 0) : this.node(arg),
    ) as [CelNode, CelNode, CelNode];
    return (frame) => {
      const value = condition(frame);
      if (value === true) return yes(frame);
      if (value === false) return no(frame);
      return isFault(value) ? value : noSuchOverload;
    };
  }

  #index(args: readonly Expr[], optional: boolean): CelNode {
    const [operandExpr, keyExpr] = args as [Expr, Expr];
    const operand = this.node(operandExpr);
    const key = this.node(keyExpr);
    const cost = 1 + this.#base(operandExpr);
    return (frame) => {
      const value = operand(frame);
      if (isFault(value)) return value;
      const at = key(frame);
      if (isFault(at)) return at;
      frame.meter.charge(cost);
      return optional ? optionalAt(value, at) : elementAt(value, at);
    };
  }

  #list({ items, optional }: Extract<Expr, { is: 'list' }>): CelNode {
    const nodes = items.map((item) => this.node(item));
    const isConstant = items.every(isConstantExpr);
    const cost = isConstant ? 0 : 10;
    return (frame) => {
      const values: CelValue[] = [];
      for (const [index, node] of nodes.entries()) {
        const wrong = addItem(values, node(frame), optional.has(index));
        if (wrong) return wrong;
      }
      frame.meter.charge(cost);
      return new ListValue(values);
    };
  }

  #map({ entries }: Extract<Expr, { is: 'map' }>): CelNode {
    const nodes = entries.map(({ key, value, optional }) => ({
      key: this.node(key),
      value: this.node(value),
      optional,
    }));
    const isConstant = entries.every(({ key, value }) => isConstantExpr(key) && isConstantExpr(value));
    const cost = isConstant ? 0 : 30;
    return (frame) => {
      const made = new Map<string, readonly [CelValue, CelValue]>();
      for (const entry of nodes) {
        const pair = { key: entry.key(frame), value: entry.value(frame), optional: entry.optional };
        const wrong = addEntry(made, pair);
        if (wrong) return wrong;
      }
      frame.meter.charge(cost);
      return new MapValue(made);
    };
  }

  #enter(name: string): number {
    const slot = this.slots;
    this.slots += 1;
    this.#scope = { name, slot, outer: this.#scope };
    return slot;
  }

  #fold(expr: Fold): CelNode {
    const range = this.node(expr.range);
    const initial = this.node(expr.initial);
    const outside = this.#scope;
    const accu = this.#enter(expr.accu);
    const withAccu = this.#scope;
    const first = this.#enter(expr.variable);
    const second = expr.second === undefined ? undefined : this.#enter(expr.second);
    const condition = this.node(expr.condition);
    const step = this.#appending(expr, accu) ?? this.node(expr.step);
    this.#scope = withAccu;
    const result = this.node(expr.result);
    this.#scope = outside;
    return (frame) => {
      const over = range(frame);
      if (isFault(over)) return over;
      const pairs = iterate(over, second !== undefined);
      if (!pairs) return noSuchOverload;
      const { slots } = frame;
      slots[accu] = initial(frame);
      for (const [one, two] of pairs) {
        slots[first] = one;
        if (second !== undefined) slots[second] = two;
        if (condition(frame) === false) break;
        slots[accu] = step(frame);
      }
      return result(frame);
    };
  }

  /** `accumulator + [item]` appends to the list instead of copying it: no other code holds it before the end. */
  #appending({ step, accu: name }: Fold, accu: number): CelNode | undefined {
    if (step.is !== 'call') return undefined;
    if (step.name === operators.choose) return this.#appendingIf(step, name, accu);
    const [left, right] = step.args;
    if (step.name !== '_+_' || left?.is !== 'ident' || left.name !== name) return undefined;
    if (right?.is !== 'list' || right.items.length !== 1 || right.optional.size > 0) return undefined;
    const item = this.node(right.items[0] as Expr);
    return (frame) => {
      const into = frame.slots[accu] as CelValue;
      frame.meter.charge(1);
      const value = item(frame);
      if (isFault(into)) return into;
      if (isFault(value)) return value;
      frame.meter.charge(11);
      if (!(into instanceof ListValue)) return noSuchOverload;
      (into.items as CelValue[]).push(value);
      return into;
    };
  }

  #appendingIf(step: CelCall, name: string, accu: number): CelNode | undefined {
    const [test, yes] = step.args as [Expr, Expr];
    if (yes.is !== 'call' || yes.name !== '_+_') return undefined;
    const append = this.#appending({ step: yes, accu: name } as Fold, accu);
    if (!append) return undefined;
    const condition = this.node(test);
    return (frame) => {
      const value = condition(frame);
      if (value === true) return append(frame);
      if (value !== false) return isFault(value) ? value : noSuchOverload;
      return frame.slots[accu] as CelValue;
    };
  }
}

const isIndex = (expr: Expr): boolean =>
  expr.is === 'call' &&
  (expr.name === operators.index ||
    expr.name === operators.optionalIndex ||
    expr.name === operators.optionalSelect);

function pick(overloads: readonly Overload[], values: readonly CelValue[]): Overload | undefined {
  return overloads.find(({ args }) => args.every((type, index) => accepts(type, values[index] as CelValue)));
}

function charged(meter: CelMeter, overload: Overload, values: CelValue[]): CelValue {
  const { charge } = overload;
  // costs that are known in advance are charged before the work is done
  if (charge === undefined || charge.length < 2) {
    meter.charge(charge?.(values, null) ?? 1);
    return overload.run(...values);
  }
  const result = overload.run(...values);
  meter.charge(charge(values, result));
  return result;
}

/** Operators have this message only; the message of functions lists the argument types. */
function noMatch(name: string, values: readonly CelValue[]): CelError {
  if (/^[_!@-]/.test(name)) return noSuchOverload;
  return new CelError(`no such overload: ${name}(${values.map(typeNameOf).join(', ')})`);
}

/** The first one's value if it has any, otherwise the second; `unwrap` returns it without the optional. */
function orElse(first: CelNode, second: CelNode, unwrap: boolean): CelNode {
  return (frame) => {
    const value = first(frame);
    if (!(value instanceof OptionalValue)) return isFault(value) ? value : noSuchOverload;
    if (value.value === undefined) return second(frame);
    return unwrap ? value.value : value;
  };
}
