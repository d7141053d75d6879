import type { NumberLiteral } from './literal.ts';
import { quote } from './quote.ts';
import { toBytes } from './text.ts';

/** One template: the file's, or one that the file defines. */
export type Tree = {
  name: string;
  /** The file's template, which error messages name. */
  readonly parseName: string;
  readonly text: string;
  root: ListNode | undefined;
};

type At = { readonly pos: number; readonly tree: Tree };

export type ListNode = At & { readonly kind: 'list'; readonly nodes: Node[] };
type TextNode = At & { readonly kind: 'text'; readonly text: string };
export type PipeNode = At & {
  readonly kind: 'pipe';
  isAssign: boolean;
  readonly decl: VariableNode[];
  readonly cmds: CommandNode[];
};
type ActionNode = At & { readonly kind: 'action'; readonly pipe: PipeNode };
export type CommandNode = At & { readonly kind: 'command'; readonly args: Node[] };
export type IdentifierNode = At & { readonly kind: 'identifier'; readonly name: string };
export type VariableNode = At & { readonly kind: 'variable'; readonly ident: readonly string[] };
export type FieldNode = At & { readonly kind: 'field'; readonly ident: readonly string[] };
export type ChainNode = At & { readonly kind: 'chain'; readonly node: Node; readonly field: string[] };
export type NumberNode = At & { readonly kind: 'number'; readonly number: NumberLiteral };
type StringNode = At & { readonly kind: 'string'; readonly quoted: string; readonly text: string };
export type BranchNode = At & {
  readonly kind: 'if' | 'range' | 'with';
  readonly pipe: PipeNode;
  readonly list: ListNode;
  readonly elseList: ListNode | undefined;
};
export type TemplateNode = At & {
  readonly kind: 'template';
  readonly name: string;
  readonly pipe: PipeNode | undefined;
};
type BoolNode = At & { readonly kind: 'bool'; readonly value: boolean };
type WordNode = At & { readonly kind: 'dot' | 'nil' | 'break' | 'continue' | 'end' | 'else' };

export type Node =
  | ListNode
  | TextNode
  | PipeNode
  | ActionNode
  | CommandNode
  | IdentifierNode
  | VariableNode
  | FieldNode
  | ChainNode
  | NumberNode
  | StringNode
  | BranchNode
  | TemplateNode
  | BoolNode
  | WordNode;

const words = {
  dot: '.',
  nil: 'nil',
  break: '{{break}}',
  continue: '{{continue}}',
  end: '{{end}}',
  else: '{{else}}',
} as const;

/** The node as a template spells it, in Go's own way: error messages quote it. */
export function nodeText(node: Node): string {
  switch (node.kind) {
    case 'list':
      return node.nodes.map(nodeText).join('');
    case 'text':
      return node.text;
    case 'pipe':
      return pipeText(node);
    case 'action':
      return `{{${pipeText(node.pipe)}}}`;
    case 'command':
      return node.args.map(argText).join(' ');
    case 'identifier':
      return node.name;
    case 'variable':
      return node.ident.join('.');
    case 'field':
      return node.ident.map((name) => `.${name}`).join('');
    case 'chain':
      return argText(node.node) + node.field.map((name) => `.${name}`).join('');
    case 'number':
      return node.number.text;
    case 'string':
      return node.quoted;
    case 'bool':
      return String(node.value);
    case 'template':
      return `{{template ${quote(node.name)}${node.pipe ? ` ${pipeText(node.pipe)}` : ''}}}`;
    case 'if':
    case 'range':
    case 'with':
      return branchText(node);
    default:
      return words[node.kind];
  }
}

const argText = (node: Node): string => (node.kind === 'pipe' ? `(${pipeText(node)})` : nodeText(node));

function pipeText({ decl, isAssign, cmds }: PipeNode): string {
  const names = decl.map(nodeText).join(', ');
  const sign = isAssign ? ' = ' : ' := ';
  return (decl.length > 0 ? names + sign : '') + cmds.map(nodeText).join(' | ');
}

function branchText({ kind, pipe, list, elseList }: BranchNode): string {
  const otherwise = elseList ? `{{else}}${nodeText(elseList)}` : '';
  return `{{${kind} ${pipeText(pipe)}}}${nodeText(list)}${otherwise}{{end}}`;
}

/** `name:line:column` of a node; columns count bytes, and the first line's begin at 0, as Go's do. */
export function locationOf(node: Node): string {
  const before = node.tree.text.slice(0, node.pos);
  const lineStart = before.lastIndexOf('\n') + 1;
  const line = before.split('\n').length;
  return `${node.tree.parseName}:${line}:${toBytes(before.slice(lineStart)).length}`;
}

/** Whether a node is nothing but blanks. */
export function isEmpty(node: Node | undefined): boolean {
  if (node?.kind === 'list') return node.nodes.every(isEmpty);
  return node === undefined || (node.kind === 'text' && node.text.trim() === '');
}
