import { FairleadError } from '#base/std';
import { Evaluator, holdsAny } from './evaluate.ts';
import { sortedEntries, text } from './format.ts';
import type { GoType } from './go-type.ts';
import type { BranchNode, ListNode, Node, TemplateNode, Tree } from './nodes.ts';
import { quote } from './quote.ts';
import type { Slot } from './scope.ts';
import { printable } from './text.ts';
import { GoFunction, GoList, GoMap, integer, integerOf, isTrue, typeOf, type Value } from './value.ts';

/** How a list of nodes was left. */
type Left = 'break' | 'continue' | undefined;

function* upTo(count: bigint, type: GoType): Generator<[index: Value, element: Value]> {
  for (let at = 0n; at < count; at++) yield [undefined, integer(type, at)];
}

/** Runs one template, and those that it calls, into one output. */
export class Executor extends Evaluator {
  #out: string[] = [];

  /** The whole output for the data. */
  run(tree: Tree, data: Value): string {
    this.#out = [];
    if (tree.root) this.#walk({ value: data, boxed: false }, tree.root);
    return printable(this.#out.join(''));
  }

  #write(piece: string): void {
    this.meter.alloc(piece.length);
    this.#out.push(piece);
  }

  #walk(dot: Slot, node: Node): Left {
    this.at(node);
    this.meter.step();
    switch (node.kind) {
      case 'text':
        this.#write(node.text);
        return undefined;
      case 'action': {
        const value = this.pipeline(dot, node.pipe);
        if (node.pipe.decl.length === 0) this.#print(node, value);
        return undefined;
      }
      case 'break':
      case 'continue':
        return node.kind;
      case 'list':
        return this.#list(dot, node);
      case 'if':
      case 'with':
        return this.meter.deeper(() => this.#ifOrWith(dot, node));
      case 'range':
        this.meter.deeper(() => this.#range(dot, node));
        return undefined;
      case 'template':
        this.meter.deeper(() => this.#template(dot, node));
        return undefined;
      default:
        throw new FairleadError('Internal', `a template has a ${node.kind} node among its actions`);
    }
  }

  #list(dot: Slot, list: ListNode): Left {
    for (const node of list.nodes) {
      const left = this.#walk(dot, node);
      if (left) return left;
    }
    return undefined;
  }

  #print(node: Node, value: Value): void {
    this.at(node);
    if (value instanceof GoFunction)
      this.fail(`can't print ${this.textOf(node)} of type ${typeOf(value).name}`);
    this.#write(value === undefined ? '<no value>' : text(this.meter, value));
  }

  #ifOrWith(dot: Slot, node: BranchNode): Left {
    const mark = this.variables.length;
    const value = this.pipeline(dot, node.pipe);
    let left: Left;
    if (isTrue(value)) left = this.#walk(node.kind === 'with' ? { value, boxed: false } : dot, node.list);
    else if (node.elseList) left = this.#walk(dot, node.elseList);
    this.variables.length = mark;
    return left;
  }

  #range(dot: Slot, node: BranchNode): void {
    this.at(node);
    const outer = this.variables.length;
    const value = this.pipeline(dot, node.pipe);
    const inner = this.variables.length;
    const boxed = holdsAny(value);
    let ran = false;
    for (const [index, element] of this.#elements(node, value)) {
      ran = true;
      this.meter.step();
      const slot = { value: element, boxed };
      this.#bind(node, { value: index, boxed: false }, slot);
      const left = this.#walk(slot, node.list);
      this.variables.length = inner;
      if (left === 'break') break;
    }
    if (!ran && node.elseList) this.#walk(dot, node.elseList);
    this.variables.length = outer;
  }

  /** compat sources HT-12: lists, maps in the order of their keys, integers; nothing for nil. */
  #elements(node: BranchNode, value: Value): Iterable<[index: Value, element: Value]> {
    if (value === undefined) return [];
    const count = integerOf(value);
    if (count !== undefined) {
      if (node.pipe.decl.length > 1) this.fail(`can't use ${count} to iterate over more than one variable`);
      return upTo(count, typeOf(value));
    }
    if (value instanceof GoList) return value.items.map((item, at) => [BigInt(at), item]);
    if (!(value instanceof GoMap)) return this.fail(`range can't iterate over ${text(this.meter, value)}`);
    this.meter.alloc(value.entries.size * 16);
    return sortedEntries(value);
  }

  #bind({ pipe }: BranchNode, index: Slot, element: Slot): void {
    const [first, second] = pipe.decl;
    if (!first) return;
    if (!pipe.isAssign) {
      this.setTop(1, element);
      if (second) this.setTop(2, index);
      return;
    }
    this.assign(first, second ? index : element);
    if (second) this.assign(second, element);
  }

  #template(dot: Slot, node: TemplateNode): void {
    this.at(node);
    const tree = this.lookup(node.name);
    if (!tree?.root) this.fail(`template ${quote(node.name)} not defined`);
    const data = { value: this.pipeline(dot, node.pipe), boxed: false };
    const { node: last, tree: caller, variables } = this;
    this.tree = tree;
    this.variables = [{ name: '$', slot: data }];
    this.#walk(data, tree.root);
    this.node = last;
    this.tree = caller;
    this.variables = variables;
  }
}
