import {
  type CelType,
  isDyn,
  isOptional,
  listOf,
  mapOf,
  optionalOf,
  printType,
  sameType,
  simpleTypes,
} from './cel-type.ts';
import type { FunctionEntry, FunctionTable, Overload } from './function-table.ts';
import { opaqueFields } from './library/authorizer.ts';
import type { Issue } from './source.ts';
import { type CelCall, type Expr, type Fold, operators, type Select } from './syntax.ts';
import { areAssignable, type Bindings, isAssignable, mostGeneral, substitute } from './unify.ts';
import { Duration, Timestamp, Uint } from './value.ts';

/** The result of checking a tree; evaluation and cost estimates use it. */
export type Checked = {
  readonly type: CelType;
  readonly issues: readonly Issue[];
  readonly types: ReadonlyMap<Expr, CelType>;
  readonly calls: ReadonlyMap<CelCall, ResolvedCall>;
  /** Names of declared variables that the expression uses. */
  readonly variables: ReadonlySet<string>;
  readonly typeNames: ReadonlyMap<Expr, string>;
};

/** The possible overloads of a call; for `ns.fn(x)` the namespace is no argument. */
export type ResolvedCall = {
  readonly entry: FunctionEntry;
  readonly overloads: readonly Overload[];
  readonly args: readonly Expr[];
};

type Declarations = {
  readonly variables: ReadonlyMap<string, CelType>;
  readonly functions: FunctionTable;
  /** Types that may be used by name, as `int` or `google.protobuf.Timestamp`. */
  readonly typeNames: ReadonlyMap<string, CelType>;
};

export function check(expr: Expr, declarations: Declarations): Checked {
  return new Checker(declarations).whole(expr);
}

type Scope = { readonly name: string; readonly type: CelType; readonly outer: Scope | undefined };

class Checker {
  readonly #declared: Declarations;
  readonly #issues: Issue[] = [];
  readonly #types = new Map<Expr, CelType>();
  readonly #calls = new Map<CelCall, ResolvedCall>();
  readonly #variables = new Set<string>();
  readonly #typeNames = new Map<Expr, string>();
  readonly #bindings: Bindings = new Map();
  #scope: Scope | undefined;
  #fresh = 0;

  constructor(declared: Declarations) {
    this.#declared = declared;
  }

  whole(expr: Expr): Checked {
    this.#check(expr);
    for (const [node, type] of this.#types) this.#types.set(node, substitute(this.#bindings, type, true));
    return {
      type: this.#types.get(expr) ?? simpleTypes.dyn,
      issues: this.#issues,
      types: this.#types,
      calls: this.#calls,
      variables: this.#variables,
      typeNames: this.#typeNames,
    };
  }

  #report(at: number, message: string): CelType {
    this.#issues.push({ at, message });
    return simpleTypes.error;
  }

  #param(): CelType {
    this.#fresh += 1;
    return { is: 'param', name: `_var${this.#fresh}` };
  }

  #print(type: CelType): string {
    return printType(substitute(this.#bindings, type, true));
  }

  #check(expr: Expr): CelType {
    const type = this.#typeOf(expr);
    this.#types.set(expr, type);
    return type;
  }

  #typeOf(expr: Expr): CelType {
    switch (expr.is) {
      case 'const':
        return constantType(expr.value);
      case 'ident':
        return this.#ident(expr.name, expr) ?? this.#undeclared(expr.at, expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return listOf(
          this.#joined(expr.items.map((item, index) => [item, expr.optional.has(index)] as const)),
        );
      case 'map':
        return mapOf(
          this.#joined(expr.entries.map(({ key }) => [key, false] as const)),
          this.#joined(expr.entries.map(({ value, optional }) => [value, optional] as const)),
        );
      case 'struct':
        return this.#undeclared(expr.at, expr.name);
      default:
        return this.#fold(expr);
    }
  }

  #undeclared(at: number, name: string): CelType {
    return this.#report(at, `undeclared reference to '${name}' (in container '')`);
  }

  #ident(name: string, expr: Expr): CelType | undefined {
    for (let scope = this.#scope; scope; scope = scope.outer) if (scope.name === name) return scope.type;
    const variable = this.#declared.variables.get(name);
    if (variable) {
      this.#variables.add(name);
      return variable;
    }
    const type = this.#declared.typeNames.get(name);
    if (!type) return undefined;
    this.#typeNames.set(expr, typeValueName(type));
    return { is: 'type', of: type };
  }

  #select(expr: Select): CelType {
    const qualified = expr.test ? undefined : qualifiedName(expr);
    const named = qualified === undefined ? undefined : this.#declared.typeNames.get(qualified);
    if (named && this.#scopeLacks(qualified ?? '')) {
      this.#typeNames.set(expr, typeValueName(named));
      return { is: 'type', of: named };
    }
    const operand = substitute(this.#bindings, this.#check(expr.operand));
    const type = this.#selected(operand, expr, false);
    return expr.test ? simpleTypes.bool : type;
  }

  #scopeLacks(qualified: string): boolean {
    const root = qualified.split('.', 1)[0] ?? '';
    for (let scope = this.#scope; scope; scope = scope.outer) if (scope.name === root) return false;
    return !this.#declared.variables.has(root);
  }

  #selected(
    operand: CelType,
    { at, field }: { at: number; field: string },
    isOptionalSelect: boolean,
  ): CelType {
    const own = operand.is === 'opaque' && opaqueFields.get(operand.name)?.get(field);
    if (own) return own;
    if (isOptional(operand)) {
      const inner = this.#selected(operand.of[0] ?? simpleTypes.dyn, { at, field }, isOptionalSelect);
      return isOptional(inner) ? inner : optionalOf(inner);
    }
    if (operand.is === 'map') return operand.values;
    if (operand.is === 'object') {
      const type = operand.fields.get(field);
      if (type) return type;
      return this.#report(at, `undefined field '${field}'`);
    }
    if (operand.is === 'param') {
      isAssignable(this.#bindings, operand, simpleTypes.dyn);
      return simpleTypes.dyn;
    }
    if (isDyn(operand)) return simpleTypes.dyn;
    return this.#report(at, `type '${this.#print(operand)}' does not support field selection`);
  }

  #call(expr: CelCall): CelType {
    if (expr.name === operators.optionalSelect && expr.target === undefined)
      return this.#optionalSelect(expr);
    if (expr.name === operators.and || expr.name === operators.or) {
      for (const arg of expr.args) this.#expected(arg, simpleTypes.bool);
      return simpleTypes.bool;
    }
    if (expr.target === undefined) return this.#globalCall(expr, expr.name, expr.args);
    const qualifier = qualifiedName(expr.target);
    const namespaced = qualifier === undefined ? undefined : `${qualifier}.${expr.name}`;
    if (namespaced !== undefined && this.#declared.functions.get(namespaced)) {
      return this.#globalCall(expr, namespaced, expr.args);
    }
    const target = this.#check(expr.target);
    const entry = this.#declared.functions.get(expr.name);
    const args = [target, ...expr.args.map((arg) => this.#check(arg))];
    if (!entry) return this.#undeclared(expr.at, expr.name);
    return this.#resolve(expr, entry, [expr.target, ...expr.args], { isMember: true, args });
  }

  #globalCall(expr: CelCall, name: string, exprs: readonly Expr[]): CelType {
    const args = exprs.map((arg) => this.#check(arg));
    const entry = this.#declared.functions.get(name);
    if (!entry) return this.#undeclared(expr.at, name);
    return this.#resolve(expr, entry, exprs, { isMember: false, args });
  }

  #optionalSelect(expr: CelCall): CelType {
    const [operand, field] = expr.args as [Expr, Expr];
    const name = field.is === 'const' ? String(field.value) : '';
    this.#check(field);
    const type = substitute(this.#bindings, this.#check(operand));
    const selected = this.#selected(type, { at: expr.at, field: name }, true);
    return isOptional(selected) ? selected : optionalOf(selected);
  }

  #resolve(
    expr: CelCall,
    entry: FunctionEntry,
    exprs: readonly Expr[],
    given: { readonly isMember: boolean; readonly args: readonly CelType[] },
  ): CelType {
    const found: Overload[] = [];
    let result: CelType | undefined;
    for (const overload of entry.overloads) {
      if (overload.isMember !== given.isMember || overload.args.length !== given.args.length) continue;
      const own = this.#instantiated(overload);
      if (!areAssignable(this.#bindings, given.args, own.args)) continue;
      found.push(overload);
      const type = substitute(this.#bindings, own.result);
      if (result === undefined) result = type;
      else if (!isDyn(result) && !sameType(result, type)) result = simpleTypes.dyn;
    }
    this.#calls.set(expr, { entry, overloads: found, args: exprs });
    return result ?? this.#noOverload(expr.at, entry.name, given);
  }

  #noOverload(
    at: number,
    name: string,
    { isMember, args }: { readonly isMember: boolean; readonly args: readonly CelType[] },
  ): CelType {
    const shown = args.map((type) => this.#print(type));
    const signature = isMember ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
    return this.#report(at, `found no matching overload for '${name}' applied to '${signature}'`);
  }

  #instantiated({ args, result }: Overload): { args: readonly CelType[]; result: CelType } {
    const fresh: Bindings = new Map();
    for (const name of 'ABCTKV') {
      if (args.some((type) => hasParam(type, name)) || hasParam(result, name)) fresh.set(name, this.#param());
    }
    if (fresh.size === 0) return { args, result };
    return { args: args.map((type) => substitute(fresh, type)), result: substitute(fresh, result) };
  }

  /** The common type of a literal's items; that they agree is checked later, when all types are known. */
  #joined(items: readonly (readonly [Expr, boolean])[]): CelType {
    let joined: CelType | undefined;
    for (const [item, optional] of items) {
      const checked = this.#check(item);
      const type = optional ? this.#unwrapped(checked, item) : checked;
      if (joined === undefined) joined = type;
      else if (isAssignable(this.#bindings, joined, type)) joined = mostGeneral(joined, type);
      else joined = simpleTypes.dyn;
    }
    return joined ?? this.#param();
  }

  #unwrapped(type: CelType, { at }: Expr): CelType {
    if (isOptional(type)) return type.of[0] ?? simpleTypes.dyn;
    if (isDyn(type)) return type;
    return this.#report(
      at,
      `expected type 'optional_type(${this.#print(type)})' but found '${this.#print(type)}'`,
    );
  }

  #fold(expr: Fold): CelType {
    const range = substitute(this.#bindings, this.#check(expr.range));
    const initial = this.#check(expr.initial);
    const outside = this.#scope;
    this.#enter(expr.accu, initial);
    const withAccu = this.#scope;
    const [first, second] = this.#iterated(expr, range);
    this.#enter(expr.variable, first);
    if (expr.second !== undefined) this.#enter(expr.second, second);
    this.#expected(expr.condition, simpleTypes.bool);
    const step = this.#check(expr.step);
    if (!isAssignable(this.#bindings, initial, step)) {
      this.#report(expr.step.at, `expected type '${this.#print(initial)}' but found '${this.#print(step)}'`);
    }
    this.#scope = withAccu;
    const result = this.#check(expr.result);
    this.#scope = outside;
    return substitute(this.#bindings, result);
  }

  #expected(expr: Expr, wanted: CelType): void {
    const type = this.#check(expr);
    if (isAssignable(this.#bindings, wanted, type)) return;
    this.#report(expr.at, `expected type '${this.#print(wanted)}' but found '${this.#print(type)}'`);
  }

  #enter(name: string, type: CelType): void {
    this.#scope = { name, type, outer: this.#scope };
  }

  #iterated({ range: { at }, second }: Fold, range: CelType): [CelType, CelType] {
    if (range.is === 'list')
      return second === undefined ? [range.items, range.items] : [simpleTypes.int, range.items];
    if (range.is === 'map') return [range.keys, range.values];
    if (isDyn(range)) return [simpleTypes.dyn, simpleTypes.dyn];
    if (range.is === 'param') {
      isAssignable(this.#bindings, range, simpleTypes.dyn);
      return [simpleTypes.dyn, simpleTypes.dyn];
    }
    const message = `expression of type '${this.#print(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
    this.#report(at, message);
    return [simpleTypes.error, simpleTypes.error];
  }
}

function hasParam(type: CelType, name: string): boolean {
  switch (type.is) {
    case 'param':
      return type.name === name;
    case 'list':
      return hasParam(type.items, name);
    case 'map':
      return hasParam(type.keys, name) || hasParam(type.values, name);
    case 'opaque':
      return type.of.some((part) => hasParam(part, name));
    case 'type':
      return type.of !== undefined && hasParam(type.of, name);
    default:
      return false;
  }
}

function constantType(value: unknown): CelType {
  switch (typeof value) {
    case 'bigint':
      return simpleTypes.int;
    case 'number':
      return simpleTypes.double;
    case 'string':
      return simpleTypes.string;
    case 'boolean':
      return simpleTypes.bool;
    default:
      break;
  }
  if (value instanceof Uint) return simpleTypes.uint;
  if (value instanceof Uint8Array) return simpleTypes.bytes;
  if (value instanceof Timestamp) return simpleTypes.timestamp;
  return value instanceof Duration ? simpleTypes.duration : simpleTypes.null;
}

/** The name of a type as a value: type(x) returns the same. */
export function typeValueName(type: CelType): string {
  if (type.is === 'list' || type.is === 'map' || type.is === 'type') return type.is;
  if (type.is === 'simple') {
    if (type.name === 'timestamp') return 'google.protobuf.Timestamp';
    return type.name === 'duration' ? 'google.protobuf.Duration' : type.name;
  }
  return type.name;
}

/** `a.b.c` as written, when it consists of names only. */
function qualifiedName(expr: Expr): string | undefined {
  if (expr.is === 'ident') return expr.name;
  if (expr.is !== 'select' || expr.test) return undefined;
  const operand = qualifiedName(expr.operand);
  return operand === undefined ? undefined : `${operand}.${expr.field}`;
}
