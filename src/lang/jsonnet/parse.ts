import type { SourceText } from './fault.ts';
import { assertion, bind, parameters } from './parse-binding.ts';
import { parseComprehension, parseObject } from './parse-object.ts';
import { Parser } from './parser.ts';
import type {
  BinaryOperator,
  Bind,
  ImportKind,
  JsonnetArgument,
  JsonnetNode,
  UnaryOperator,
} from './syntax.ts';

/** The expression of a text. Throws a JsonnetError with its position. */
export function parse(source: SourceText): JsonnetNode {
  const parser = new Parser(source, (p) => binary(p, loosest));
  const node = parser.expression();
  if (parser.peek().kind !== 'end') throw parser.unexpected('the end of the file');
  return node;
}

/** Binary operators, tightest first. */
const levels: readonly (readonly BinaryOperator[])[] = [
  ['*', '/', '%'],
  ['+', '-'],
  ['<<', '>>'],
  ['<', '>', '<=', '>=', 'in'],
  ['==', '!='],
  ['&'],
  ['^'],
  ['|'],
  ['&&'],
  ['||'],
];
const precedence = new Map(levels.flatMap((level, i) => level.map((operator) => [operator as string, i])));
const loosest = levels.length - 1;

function binary(p: Parser, level: number): JsonnetNode {
  let left = unary(p);
  for (;;) {
    const { kind, text, at } = p.peek();
    const found = kind === 'symbol' || kind === 'keyword' ? precedence.get(text) : undefined;
    if (found === undefined || found > level) return left;
    p.take();
    if (text === 'in' && p.accept('super')) {
      left = p.node('inSuper', at, { name: left });
      continue;
    }
    const right = p.nested(() => binary(p, found - 1));
    left = p.node('binary', at, { operator: text as BinaryOperator, left, right });
  }
}

function unary(p: Parser): JsonnetNode {
  const { kind, text, at } = p.peek();
  if (kind === 'symbol' && (text === '+' || text === '-' || text === '!' || text === '~')) {
    p.take();
    return p.node('unary', at, { operator: text as UnaryOperator, operand: p.nested(() => unary(p)) });
  }
  const rule = kind === 'keyword' ? forms[text] : undefined;
  return rule ? p.nested(() => rule(p, p.take().at)) : postfix(p);
}

/** Forms that reach as far to the right as they can, wherever they stand. */
const forms: Readonly<Record<string, (p: Parser, at: number) => JsonnetNode>> = {
  assert: (p, at) => {
    const found = assertion(p, at);
    p.expect(';');
    return p.node('assert', at, { assertion: found, rest: p.expression() });
  },
  error: (p, at) => p.node('error', at, { message: p.expression() }),
  if: (p, at) => {
    const condition = p.expression();
    p.expect('then');
    const then = p.expression();
    return p.node('if', at, { condition, then, otherwise: p.accept('else') ? p.expression() : undefined });
  },
  function: (p, at) => {
    const params = parameters(p);
    return p.node('function', at, { params, body: p.expression() });
  },
  local: locals,
  import: (p, at) => importing(p, at, 'import'),
  importstr: (p, at) => importing(p, at, 'importstr'),
  importbin: (p, at) => importing(p, at, 'importbin'),
};

/** One `local` after another is read in a loop: files may have hundreds. */
function locals(p: Parser, at: number): JsonnetNode {
  const groups: { at: number; binds: Bind[] }[] = [];
  for (let start = at; ; start = p.take().at) {
    const binds: Bind[] = [];
    do binds.push(bind(p, binds));
    while (p.accept(','));
    p.expect(';');
    groups.push({ at: start, binds });
    if (!p.is('local')) break;
  }
  return groups.reduceRight(
    (body, group) => p.node('local', group.at, { binds: group.binds, body }),
    p.expression(),
  );
}

function importing(p: Parser, at: number, how: ImportKind): JsonnetNode {
  const token = p.peek();
  const path = p.expression();
  if (path.kind !== 'literal' || typeof path.value !== 'string' || token.block) {
    throw p.fault(`the path of an ${how} must be a plain string`, token.at);
  }
  return p.node('import', at, { how, path: path.value });
}

/** A primary followed by fields, indexes, calls and object bodies. */
function postfix(p: Parser): JsonnetNode {
  let node = primary(p);
  for (;;) {
    const { kind, text, at } = p.peek();
    const rule = kind === 'symbol' ? suffixes[text] : undefined;
    if (!rule) return node;
    p.take();
    node = rule(p, at, node);
  }
}

const suffixes: Readonly<Record<string, (p: Parser, at: number, target: JsonnetNode) => JsonnetNode>> = {
  '.': (p, at, target) => p.node('index', at, { target, index: fieldName(p) }),
  '[': (p, at, target) => subscript(p, at, target),
  '(': (p, at, target) => {
    const args = callArguments(p);
    return p.node('call', at, { target, args, strict: p.accept('tailstrict') });
  },
  '{': (p, at, target) => p.node('binary', at, { operator: '+', left: target, right: parseObject(p, at) }),
};

function fieldName(p: Parser): JsonnetNode {
  const { text, at } = p.expectName('the name of a field');
  return p.node('literal', at, { value: text });
}

/** An index, or a slice: up to three parts with colons between them, any of which may be missing. */
function subscript(p: Parser, at: number, target: JsonnetNode): JsonnetNode {
  const parts: JsonnetNode[] = [];
  let colons = 0;
  while (!p.accept(']')) {
    if (p.accept('::')) colons += 2;
    else if (p.accept(':')) colons += 1;
    else if (parts[colons]) throw p.unexpected('":" or "]"');
    else parts[colons] = p.expression();
    if (colons > 2) throw p.fault('a slice has at most three parts');
  }
  const [from, to, step] = parts;
  if (colons > 0) return p.node('slice', at, { target, from, to, step });
  if (from) return p.node('index', at, { target, index: from });
  throw p.fault('expected an index between [ and ]', at);
}

function callArguments(p: Parser): JsonnetArgument[] {
  const args: JsonnetArgument[] = [];
  while (!p.accept(')')) {
    const { kind, text: name, at } = p.peek();
    if (kind === 'name' && p.peek(1).kind === 'symbol' && p.peek(1).text === '=') {
      p.take();
      p.take();
      args.push({ name, value: p.expression() });
    } else {
      if (args.at(-1)?.name !== undefined) throw p.fault('a positional argument follows a named one', at);
      args.push({ value: p.expression() });
    }
    if (!p.is(')')) p.expect(',');
  }
  return args;
}

function primary(p: Parser): JsonnetNode {
  const token = p.take();
  const { kind, text, at } = token;
  if (kind === 'string') return p.node('literal', at, { value: text });
  if (kind === 'number') return p.node('literal', at, { value: numberOf(p, text, at) });
  if (kind === 'name') return p.node('name', at, { name: text, hops: 0, slot: 0 });
  const rule = kind === 'end' ? undefined : primaries[text];
  if (rule) return rule(p, at);
  throw p.fault(
    kind === 'end' ? 'the file ends where a value is expected' : `expected a value, found "${text}"`,
    at,
  );
}

function numberOf(p: Parser, text: string, at: number): number {
  const value = Number(text);
  if (Number.isFinite(value)) return value;
  throw p.fault('this number is too large', at);
}

const primaries: Readonly<Record<string, (p: Parser, at: number) => JsonnetNode>> = {
  null: (p, at) => p.node('literal', at, { value: null }),
  true: (p, at) => p.node('literal', at, { value: true }),
  false: (p, at) => p.node('literal', at, { value: false }),
  self: (p, at) => p.node('self', at, {}),
  $: (p, at) => p.node('name', at, { name: '$', hops: 0, slot: 0 }),
  super: (p, at) => {
    if (p.accept('.')) return p.node('super', at, { index: fieldName(p) });
    if (!p.accept('[')) throw p.unexpected('. or [ after super');
    const index = p.expression();
    p.expect(']');
    return p.node('super', at, { index });
  },
  '(': (p) => {
    const node = p.expression();
    p.expect(')');
    return node;
  },
  '{': (p, at) => parseObject(p, at),
  '[': (p, at) => array(p, at),
};

function array(p: Parser, at: number): JsonnetNode {
  const items: JsonnetNode[] = [];
  while (!p.accept(']')) {
    items.push(p.expression());
    const comma = p.accept(',');
    const [item] = items;
    if (items.length === 1 && item && p.is('for')) {
      return p.node('arrayComprehension', at, { item, clauses: parseComprehension(p, ']') });
    }
    if (!comma && !p.is(']')) throw p.unexpected('"," or "]"');
  }
  return p.node('array', at, { items });
}
