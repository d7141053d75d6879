import { FairleadError } from '#base/std';
import { describe, type Token, type TokenType } from './lex.ts';
import { LiteralError, numberLiteral, unquote } from './literal.ts';
import {
  type BranchNode,
  type CommandNode,
  isEmpty,
  type ListNode,
  type Node,
  nodeText,
  type PipeNode,
  type TemplateNode,
  type Tree,
} from './nodes.ts';
import { quote } from './quote.ts';
import { TokenReader } from './tokens.ts';

/** Templates by name. */
export type TemplateTrees = Map<string, Tree>;

const deepest = 200; // parentheses and blocks inside each other; each costs the interpreter stack

/** What is shared by a file and the templates defined in it. */
type Shared = {
  readonly tokens: TokenReader;
  readonly trees: TemplateTrees;
  readonly isFunction: (name: string) => boolean;
};

/**
 * Parses a text and adds it, and what it defines, to `trees`. Throws InvalidSpec with Go's message; a template defined
 * twice in one text is such an error, one that `trees` had before is replaced unless the new one is empty.
 */
export function parse(
  name: string,
  text: string,
  trees: TemplateTrees,
  isFunction: Shared['isFunction'],
): void {
  const found: TemplateTrees = new Map();
  const tree: Tree = { name, parseName: name, text, root: undefined };
  new Parser(tree, { tokens: new TokenReader(text), trees: found, isFunction }).file();
  for (const [key, value] of found) if (!trees.has(key) || !isEmpty(value.root)) trees.set(key, value);
}

type Context = 'if' | 'range' | 'with';

class Parser {
  readonly #tree: Tree;
  readonly #shared: Shared;
  readonly #tokens: TokenReader;
  #vars: string[] = ['$'];
  #actionLine = 0;
  #rangeDepth = 0;
  #depth: number;

  constructor(tree: Tree, shared: Shared, depth = 0) {
    this.#tree = tree;
    this.#shared = shared;
    this.#tokens = shared.tokens;
    this.#depth = depth;
  }

  file(): void {
    const root: ListNode = { kind: 'list', pos: this.#tokens.peek().pos, tree: this.#tree, nodes: [] };
    this.#tree.root = root;
    while (this.#tokens.peek().type !== 'eof') {
      if (this.#definition()) continue;
      const node = this.#textOrAction();
      if (node.kind === 'end' || node.kind === 'else') this.#fail(`unexpected ${nodeText(node)}`);
      root.nodes.push(node);
    }
    this.#add(this.#tree);
  }

  #fail(message: string): never {
    const place = `${this.#tree.parseName}:${this.#tokens.line}`;
    throw new FairleadError('InvalidSpec', `template: ${place}: ${message}`);
  }

  #unexpected(token: Token, context: string): never {
    if (token.type !== 'error') this.#fail(`unexpected ${describe(token)} in ${context}`);
    const elsewhere = this.#actionLine !== 0 && this.#actionLine !== token.line;
    const action = token.text.endsWith(' action') ? '' : ' in action';
    const extra = elsewhere ? `${action} started at ${this.#tree.parseName}:${this.#actionLine}` : '';
    this.#fail(token.text + extra);
  }

  #expect(context: string, ...types: TokenType[]): Token {
    const token = this.#tokens.nextNonSpace();
    if (!types.includes(token.type)) this.#unexpected(token, context);
    return token;
  }

  #unquote(token: Token): string {
    return this.#literal(() => unquote(token.text));
  }

  #literal<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (error instanceof LiteralError) this.#fail(error.message);
      throw error;
    }
  }

  #add(tree: Tree): void {
    const known = this.#shared.trees.get(tree.name);
    if (!known || isEmpty(known.root)) this.#shared.trees.set(tree.name, tree);
    else if (!isEmpty(tree.root)) this.#fail(`template: multiple definition of template ${quote(tree.name)}`);
  }

  /** `{{define "name"}} … {{end}}`, when it stands here. */
  #definition(): boolean {
    if (this.#tokens.peek().type !== 'left') return false;
    const delimiter = this.#tokens.next();
    if (this.#tokens.nextNonSpace().type !== 'define') {
      this.#tokens.backupWith(delimiter);
      return false;
    }
    const context = 'define clause';
    const tree = this.#newTree('definition');
    const inner = new Parser(tree, this.#shared);
    tree.name = inner.#unquote(inner.#expect(context, 'string', 'rawString'));
    inner.#expect(context, 'right');
    inner.#body(context, inner);
    return true;
  }

  #newTree(name: string): Tree {
    return { name, parseName: this.#tree.parseName, text: this.#tree.text, root: undefined };
  }

  /** The rest of a definition or block; `outer` reports a wrong end. */
  #body(context: string, outer: Parser): void {
    const { list, end } = this.#itemList();
    this.#tree.root = list;
    if (end.kind !== 'end') outer.#fail(`unexpected ${nodeText(end)} in ${context}`);
    this.#add(this.#tree);
  }

  #itemList(): { list: ListNode; end: Node } {
    const list: ListNode = {
      kind: 'list',
      pos: this.#tokens.peekNonSpace().pos,
      tree: this.#tree,
      nodes: [],
    };
    while (this.#tokens.peekNonSpace().type !== 'eof') {
      const node = this.#textOrAction();
      if (node.kind === 'end' || node.kind === 'else') return { list, end: node };
      list.nodes.push(node);
    }
    return this.#fail('unexpected EOF');
  }

  #textOrAction(): Node {
    const token = this.#tokens.nextNonSpace();
    if (token.type === 'text') return { kind: 'text', pos: token.pos, tree: this.#tree, text: token.text };
    if (token.type !== 'left') return this.#unexpected(token, 'input');
    this.#actionLine = token.line;
    const node = this.#action();
    this.#actionLine = 0;
    return node;
  }

  #action(): Node {
    const token = this.#tokens.nextNonSpace();
    switch (token.type) {
      case 'block':
        return this.#block();
      case 'break':
      case 'continue':
        return this.#leave(token.type, token.pos);
      case 'else':
        return this.#else();
      case 'end':
        return { kind: 'end', pos: this.#expect('end', 'right').pos, tree: this.#tree };
      case 'if':
      case 'range':
      case 'with':
        return this.#control(token.type);
      case 'template':
        return this.#template();
      default: {
        this.#tokens.backup();
        const { pos } = this.#tokens.peek();
        return { kind: 'action', pos, tree: this.#tree, pipe: this.#pipeline('command', 'right') };
      }
    }
  }

  #leave(kind: 'break' | 'continue', pos: number): Node {
    const token = this.#tokens.nextNonSpace();
    if (token.type !== 'right') this.#unexpected(token, `{{${kind}}}`);
    if (this.#rangeDepth === 0) this.#fail(`{{${kind}}} outside {{range}}`);
    return { kind, pos, tree: this.#tree };
  }

  #else(): Node {
    const peek = this.#tokens.peekNonSpace();
    if (peek.type === 'if' || peek.type === 'with') return { kind: 'else', pos: peek.pos, tree: this.#tree };
    return { kind: 'else', pos: this.#expect('else', 'right').pos, tree: this.#tree };
  }

  #control(kind: Context): BranchNode {
    const scope = this.#vars.length;
    this.#deeper();
    const pipe = this.#pipeline(kind, 'right');
    if (kind === 'range') this.#rangeDepth += 1;
    const { list, end } = this.#itemList();
    if (kind === 'range') this.#rangeDepth -= 1;
    const elseList = end.kind === 'else' ? this.#elseList(kind, end.pos) : undefined;
    this.#depth -= 1;
    this.#vars.length = scope;
    return { kind, pos: pipe.pos, tree: this.#tree, pipe, list, elseList };
  }

  /** What follows an else; `else if` and `else with` are a branch inside it, which takes the one end. */
  #elseList(kind: Context, pos: number): ListNode {
    if (kind !== 'range' && this.#tokens.peek().type === kind) {
      this.#tokens.next();
      return { kind: 'list', pos, tree: this.#tree, nodes: [this.#control(kind)] };
    }
    const { list, end } = this.#itemList();
    if (end.kind !== 'end') this.#fail(`expected end; found ${nodeText(end)}`);
    return list;
  }

  #deeper(): void {
    this.#depth += 1;
    if (this.#depth > deepest) this.#fail('max expression depth exceeded');
  }

  #block(): TemplateNode {
    const context = 'block clause';
    const token = this.#tokens.nextNonSpace();
    const name = this.#templateName(token, context);
    const pipe = this.#pipeline(context, 'right');
    this.#deeper();
    new Parser(this.#newTree(name), this.#shared, this.#depth).#body(context, this);
    this.#depth -= 1;
    return { kind: 'template', pos: token.pos, tree: this.#tree, name, pipe };
  }

  #template(): TemplateNode {
    const context = 'template clause';
    const token = this.#tokens.nextNonSpace();
    const name = this.#templateName(token, context);
    if (this.#tokens.nextNonSpace().type === 'right')
      return { kind: 'template', pos: token.pos, tree: this.#tree, name, pipe: undefined };
    this.#tokens.backup();
    return {
      kind: 'template',
      pos: token.pos,
      tree: this.#tree,
      name,
      pipe: this.#pipeline(context, 'right'),
    };
  }

  #templateName(token: Token, context: string): string {
    if (token.type !== 'string' && token.type !== 'rawString') this.#unexpected(token, context);
    return this.#unquote(token);
  }

  #pipeline(context: string, end: 'right' | ')'): PipeNode {
    const { pos } = this.#tokens.peekNonSpace();
    const pipe: PipeNode = { kind: 'pipe', pos, tree: this.#tree, isAssign: false, decl: [], cmds: [] };
    while (this.#declaration(pipe, context));
    for (;;) {
      const token = this.#tokens.nextNonSpace();
      if (token.type === end) {
        this.#checkPipeline(pipe, context);
        return pipe;
      }
      if (!operands.has(token.type)) this.#unexpected(token, context);
      this.#tokens.backup();
      pipe.cmds.push(this.#command());
    }
  }

  /** `$x :=`, `$x =` or, in a range, `$x,`; true when one more may follow. */
  #declaration(pipe: PipeNode, context: string): boolean {
    const name = this.#tokens.peekNonSpace();
    if (name.type !== 'variable') return false;
    this.#tokens.next();
    const after = this.#tokens.peek();
    const next = this.#tokens.peekNonSpace();
    const comma = next.type === 'char' && next.text === ',';
    if (next.type !== 'assign' && next.type !== 'declare' && !comma) {
      if (after.type === 'space') this.#tokens.backupWith(name, after);
      else this.#tokens.backupWith(name);
      return false;
    }
    if (!comma) pipe.isAssign = next.type === 'assign';
    this.#tokens.nextNonSpace();
    pipe.decl.push({ kind: 'variable', pos: name.pos, tree: this.#tree, ident: name.text.split('.') });
    this.#vars.push(name.text);
    if (!comma) return false;
    if (context !== 'range' || pipe.decl.length >= 2) this.#fail(`too many declarations in ${context}`);
    if (!afterComma.has(this.#tokens.peekNonSpace().type)) this.#fail('range can only initialize variables');
    return true;
  }

  #checkPipeline(pipe: PipeNode, context: string): void {
    if (pipe.cmds.length === 0) this.#fail(`missing value for ${context}`);
    const wrong = pipe.cmds.findIndex((cmd, at) => at > 0 && literals.has(cmd.args[0]?.kind ?? 'nil'));
    if (wrong > 0) this.#fail(`non executable command in pipeline stage ${wrong + 1}`);
  }

  #command(): CommandNode {
    const command: CommandNode = {
      kind: 'command',
      pos: this.#tokens.peekNonSpace().pos,
      tree: this.#tree,
      args: [],
    };
    for (;;) {
      this.#tokens.peekNonSpace();
      const operand = this.#operand();
      if (operand) command.args.push(operand);
      const token = this.#tokens.next();
      if (token.type === 'space') continue;
      if (token.type === 'right' || token.type === ')') this.#tokens.backup();
      else if (token.type !== 'pipe') this.#unexpected(token, 'operand');
      break;
    }
    if (command.args.length === 0) this.#fail('empty command');
    return command;
  }

  /** A term and the fields behind it. */
  #operand(): Node | undefined {
    const node = this.#term();
    const first = this.#tokens.peek();
    if (!node || first.type !== 'field') return node;
    const fields: string[] = [];
    while (this.#tokens.peek().type === 'field') fields.push(this.#tokens.next().text.slice(1));
    if (node.kind === 'field' || node.kind === 'variable')
      return { kind: node.kind, pos: first.pos, tree: this.#tree, ident: [...node.ident, ...fields] };
    if (literals.has(node.kind)) this.#fail(`unexpected . after term ${quote(nodeText(node))}`);
    return { kind: 'chain', pos: first.pos, tree: this.#tree, node, field: fields };
  }

  #term(): Node | undefined {
    const token = this.#tokens.nextNonSpace();
    const at = { pos: token.pos, tree: this.#tree };
    switch (token.type) {
      case 'identifier':
        if (!this.#shared.isFunction(token.text)) this.#fail(`function ${quote(token.text)} not defined`);
        return { kind: 'identifier', ...at, name: token.text };
      case '.':
        return { kind: 'dot', ...at };
      case 'nil':
        return { kind: 'nil', ...at };
      case 'variable':
        if (!this.#vars.includes(token.text)) this.#fail(`undefined variable ${quote(token.text)}`);
        return { kind: 'variable', ...at, ident: [token.text] };
      case 'field':
        return { kind: 'field', ...at, ident: [token.text.slice(1)] };
      case 'bool':
        return { kind: 'bool', ...at, value: token.text === 'true' };
      case 'charConstant':
      case 'complex':
      case 'number':
        return { kind: 'number', ...at, number: this.#literal(() => numberLiteral(token.text)) };
      case 'string':
      case 'rawString':
        return { kind: 'string', ...at, quoted: token.text, text: this.#unquote(token) };
      case '(':
        return this.#parenthesized();
      default:
        this.#tokens.backup();
        return undefined;
    }
  }

  #parenthesized(): PipeNode {
    this.#deeper();
    const pipe = this.#pipeline('parenthesized pipeline', ')');
    this.#depth -= 1;
    return pipe;
  }
}

const operands: ReadonlySet<TokenType> = new Set<TokenType>([
  'bool',
  'charConstant',
  'complex',
  '.',
  'field',
  'identifier',
  'number',
  'nil',
  'rawString',
  'string',
  'variable',
  '(',
]);
const afterComma: ReadonlySet<TokenType> = new Set<TokenType>(['variable', 'right', ')']);
const literals: ReadonlySet<Node['kind']> = new Set<Node['kind']>(['bool', 'dot', 'nil', 'number', 'string']);
