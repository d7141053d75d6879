import { FairleadError } from '#base/std';
import { callFunction } from './call.ts';
import { argumentOf, constant } from './constant.ts';
import type { TemplateFunctions } from './functions.ts';
import { canBeNil, type GoType, types } from './go-type.ts';
import type { Meter } from './meter.ts';
import {
  type ChainNode,
  type CommandNode,
  type FieldNode,
  type IdentifierNode,
  locationOf,
  type Node,
  nodeText,
  type PipeNode,
  type Tree,
  type VariableNode,
} from './nodes.ts';
import { quote } from './quote.ts';
import { type Call, type Final, missing, type Scope, type Slot } from './scope.ts';
import { printable } from './text.ts';
import {
  GoError,
  type GoFunction,
  GoList,
  GoMap,
  GoObject,
  isTrue,
  typeOf,
  type Value,
  zeroOf,
} from './value.ts';

/** What a field of a map is when the map has no such key: absent, the zero of its type, or an error. */
export type MissingKey = 'invalid' | 'zero' | 'error';

/** What stays the same during an execution. */
export type Program = {
  readonly trees: ReadonlyMap<string, Tree>;
  readonly functions: TemplateFunctions;
  readonly builtins: TemplateFunctions;
  readonly missingKey: MissingKey;
};

type Variable = { readonly name: string; slot: Slot };

const bare = (value: Value): Slot => ({ value, boxed: false });

/** Whether the elements of a container are of type interface {}. */
export const holdsAny = (value: Value): boolean =>
  (value instanceof GoMap || value instanceof GoList) && value.type.elem === types.any;

/** Evaluates pipelines. `node` is where execution stands, for messages; Go's order of visits is kept exactly. */
export class Evaluator implements Scope {
  readonly meter: Meter;
  readonly #program: Program;
  variables: Variable[];
  tree: Tree;
  node: Node | undefined;

  constructor(program: Program, meter: Meter, { tree, data }: { tree: Tree; data: Value }) {
    this.#program = program;
    this.meter = meter;
    this.tree = tree;
    this.variables = [{ name: '$', slot: bare(data) }];
  }

  at(node: Node): void {
    this.node = node;
  }

  /** compat sources HT-14: Go's message, with the place and the text of the node. */
  fail(message: string): never {
    const { node, tree } = this;
    const where = node
      ? `${locationOf(node)}: executing ${quote(tree.name)} at <${this.textOf(node)}>`
      : tree.name;
    throw new FairleadError('RenderFailed', printable(`template: ${where}: ${message}`));
  }

  textOf(node: Node): string {
    return nodeText(node);
  }

  lookup(name: string): Tree | undefined {
    return this.#program.trees.get(name);
  }

  setTop(fromEnd: number, slot: Slot): void {
    const variable = this.variables[this.variables.length - fromEnd];
    if (variable) variable.slot = slot;
  }

  assign(node: VariableNode, slot: Slot): void {
    this.#variable(node.ident[0] ?? '').slot = slot;
  }

  #variable(name: string): Variable {
    for (let at = this.variables.length - 1; at >= 0; at--) {
      const variable = this.variables[at];
      if (variable?.name === name) return variable;
    }
    return this.fail(`undefined variable: ${name}`);
  }

  /** The value of a pipeline; its variables stay declared. */
  pipeline(dot: Slot, pipe: PipeNode | undefined): Value {
    if (!pipe) return undefined;
    this.at(pipe);
    let value: Final = missing;
    for (const command of pipe.cmds) value = this.#command(dot, command, value) ?? undefined;
    const result = value === missing ? undefined : value;
    for (const variable of pipe.decl) {
      if (pipe.isAssign) this.assign(variable, bare(result));
      else this.variables.push({ name: variable.ident[0] ?? '', slot: bare(result) });
    }
    return result;
  }

  #command(dot: Slot, command: CommandNode, final: Final): Value {
    this.meter.step();
    const { args } = command;
    const [first] = args;
    switch (first?.kind) {
      case 'field':
        return this.#field(dot, first, args, final);
      case 'chain':
        return this.#chain(dot, first, args, final);
      case 'identifier':
        return this.#function(dot, first, { node: command, name: first.name, args, final });
      case 'pipe':
        this.#notAFunction(args, final);
        return this.meter.deeper(() => this.pipeline(dot, first));
      case 'variable':
        return this.#variableField(dot, first, args, final);
      default:
        return this.#literal(dot, args, final);
    }
  }

  #literal(dot: Slot, args: readonly Node[], final: Final): Value {
    const [first] = args;
    if (!first) return undefined;
    this.at(first);
    this.#notAFunction(args, final);
    if (first.kind === 'bool') return first.value;
    if (first.kind === 'dot') return dot.value;
    if (first.kind === 'string') return first.text;
    if (first.kind === 'number') return constant(this, first);
    return this.fail('nil is not a command');
  }

  #notAFunction(args: readonly Node[], final: Final): void {
    if ((args.length > 1 || final !== missing) && args[0])
      this.fail(`can't give argument to non-function ${nodeText(args[0])}`);
  }

  #field(dot: Slot, node: FieldNode, args: readonly Node[], final: Final): Value {
    this.at(node);
    return this.#fields(dot, dot, { node, names: node.ident, args, final });
  }

  #chain(dot: Slot, node: ChainNode, args: readonly Node[], final: Final): Value {
    this.at(node);
    if (node.node.kind === 'nil') this.fail(`indirection through explicit nil in ${nodeText(node)}`);
    const receiver = bare(this.argument(dot, undefined, node.node));
    return this.#fields(dot, receiver, { node, names: node.field, args, final });
  }

  #variableField(dot: Slot, node: VariableNode, args: readonly Node[], final: Final): Value {
    this.at(node);
    const { slot } = this.#variable(node.ident[0] ?? '');
    if (node.ident.length === 1) {
      this.#notAFunction(args, final);
      return slot.value;
    }
    return this.#fields(dot, slot, { node, names: node.ident.slice(1), args, final });
  }

  #fields(
    dot: Slot,
    receiver: Slot,
    path: { node: Node; names: readonly string[]; args: readonly Node[]; final: Final },
  ): Value {
    const { node, names, args, final } = path;
    let slot = receiver;
    names.forEach((name, at) => {
      const isLast = at === names.length - 1;
      const call: Call = { node, name, args: isLast ? args : [], final: isLast ? final : missing };
      slot = { value: this.#member(dot, slot, call), boxed: holdsAny(slot.value) };
    });
    return slot.value;
  }

  /** One `.name`: a method, a field of a struct or a key of a map. */
  #member(dot: Slot, { value: receiver, boxed }: Slot, call: Call): Value {
    const { name } = call;
    if (receiver === undefined) {
      if (this.#program.missingKey === 'error') this.fail(`nil data; no entry for key ${quote(name)}`);
      return undefined;
    }
    if (receiver === null) this.fail(`nil pointer evaluating interface {}.${name}`);
    const method = receiver instanceof GoObject ? receiver.methods.get(name) : undefined;
    if (method) return callFunction(this, dot, method, call);
    const found = this.#data(receiver, name, call.args.length > 1 || call.final !== missing);
    if (found !== missing) return found;
    return this.fail(
      `can't evaluate field ${name} in type ${boxed ? types.any.name : typeOf(receiver).name}`,
    );
  }

  /** A member that is no method takes no arguments. */
  #data(receiver: Exclude<Value, undefined>, name: string, hasArguments: boolean): Final {
    if (receiver instanceof GoObject && receiver.fields.has(name)) {
      if (hasArguments) this.fail(`${name} has arguments but cannot be invoked as function`);
      return receiver.fields.get(name);
    }
    if (!(receiver instanceof GoMap)) return missing;
    if (hasArguments) this.fail(`${name} is not a method but has arguments`);
    return this.#key(receiver, name);
  }

  #key(receiver: GoMap, name: string): Value {
    if (receiver.entries.has(name)) return receiver.entries.get(name);
    if (this.#program.missingKey === 'error') this.fail(`map has no entry for key ${quote(name)}`);
    return this.#program.missingKey === 'zero' ? zeroOf(receiver.type.elem ?? types.any) : undefined;
  }

  #function(dot: Slot, node: IdentifierNode, call: Call): Value {
    this.at(node);
    const own = this.#program.functions.get(node.name);
    if (own) return callFunction(this, dot, own, call);
    const builtin = this.#program.builtins.get(node.name);
    if (!builtin) return this.fail(`${quote(node.name)} is not a defined function`);
    if (node.name === 'and' || node.name === 'or') return this.#shortCircuit(dot, call);
    return callFunction(this, dot, builtin, call);
  }

  #shortCircuit(dot: Slot, { name, args, final }: Call): Value {
    const rest = args.slice(1);
    if (rest.length === 0 && final === missing)
      this.fail(`wrong number of args for ${name}: want at least 1 got 0`);
    let value: Value;
    for (const arg of rest) {
      value = this.argument(dot, types.raw, arg);
      if (isTrue(value ?? undefined) === (name === 'or')) return value;
    }
    return final === missing ? value : final;
  }

  /** An argument for a parameter of this type; undefined is a term that may be anything. */
  argument(dot: Slot, type: GoType | undefined, node: Node): Value {
    this.at(node);
    this.meter.step();
    switch (node.kind) {
      case 'dot':
        return this.validate(dot.value, type);
      case 'nil':
        if (type && canBeNil(type)) return type === types.raw ? undefined : zeroOf(type);
        return this.fail(`cannot assign nil to ${type?.name ?? 'nil'}`);
      case 'field':
        return this.validate(this.#field(dot, node, [node], missing), type);
      case 'variable':
        return this.validate(this.#variableField(dot, node, [], missing), type);
      case 'pipe':
        return this.validate(
          this.meter.deeper(() => this.pipeline(dot, node)),
          type,
        );
      case 'identifier':
        return this.validate(
          this.#function(dot, node, { node, name: node.name, args: [], final: missing }),
          type,
        );
      case 'chain':
        return this.validate(this.#chain(dot, node, [], missing), type);
      default:
        return argumentOf(this, type ?? types.any, node);
    }
  }

  /** compat sources HT-6: a value must have the type of its parameter; nothing is converted. */
  validate(value: Value, type: GoType | undefined): Value {
    if (type === undefined || type === types.raw) return value;
    if (value === undefined) {
      if (canBeNil(type)) return zeroOf(type);
      return this.fail(`invalid value; expected ${type.name}`);
    }
    if (type === types.any || typeOf(value).name === type.name) return value;
    return this.fail(`wrong type for value; expected ${type.name}; got ${typeOf(value).name}`);
  }

  /** Runs a function; what it throws as a GoError is reported at the call. */
  invoke(fn: GoFunction, args: readonly Value[], { node, name }: Call): Value {
    try {
      const result = fn.call(this.meter, args);
      if (typeof result === 'string') this.meter.alloc(result.length);
      return result;
    } catch (error) {
      if (!(error instanceof GoError)) throw error;
      this.at(node);
      return this.fail(`error calling ${name}: ${error.message}`);
    }
  }
}
