import { Cursor } from './cursor.ts';
import type { JqToken } from './lex.ts';
import { parseNumeral } from './number.ts';
import {
  type Grammar,
  parseDefinition,
  parseObject,
  parsePattern,
  parsePatterns,
  parseString,
  plainName,
} from './parse-parts.ts';
import { type BinaryOp, identity, type JqNode, literal, type UpdateOp } from './syntax.ts';

/** Throws InvalidSpec that names the position. compat gojq: an empty text is no expression. */
export function parse(text: string): JqNode {
  const cursor = new Cursor(text);
  if (cursor.sees('import') || cursor.sees('include') || cursor.sees('module')) {
    throw cursor.fault('modules are not available here');
  }
  const node = query(cursor);
  if (cursor.token.kind !== 'end') throw cursor.fault('expected an operator or the end');
  return node;
}

/** How tightly operators bind; `|` and `,` are the query's own. */
const levels: Readonly<Record<string, number>> = {
  '//': 1,
  '=': 2,
  '|=': 2,
  '+=': 2,
  '-=': 2,
  '*=': 2,
  '/=': 2,
  '%=': 2,
  '//=': 2,
  or: 3,
  and: 4,
  '==': 5,
  '!=': 5,
  '<': 5,
  '<=': 5,
  '>': 5,
  '>=': 5,
  '+': 6,
  '-': 6,
  '*': 7,
  '/': 7,
  '%': 7,
};

const rightAssociative = 1;
const unchained: ReadonlySet<number> = new Set([2, 5]);

const grammar: Grammar = { query, expression: (cursor) => expression(cursor, 0) };

function query(cursor: Cursor): JqNode {
  return cursor.nest(() => {
    const left = commas(cursor);
    if (!cursor.skip('|')) return left;
    return { is: 'pipe', left, right: query(cursor) };
  });
}

function commas(cursor: Cursor): JqNode {
  let left = operand(cursor);
  for (let links = 1; cursor.skip(','); links += 1) {
    cursor.link(links);
    left = { is: 'comma', left, right: operand(cursor) };
  }
  return left;
}

/**
 * The beginnings of a query: a definition or a label extends as far as it can, and so does the body of `as`.
 */
function operand(cursor: Cursor): JqNode {
  if (cursor.skip('def')) {
    return { is: 'define', definition: parseDefinition(cursor, grammar), body: query(cursor) };
  }
  if (cursor.skip('label')) {
    const name = plainName(cursor, 'variable', 'a label');
    cursor.expect('|');
    return { is: 'label', name, body: query(cursor) };
  }
  const term = parseTerm(cursor);
  if (!cursor.skip('as')) return operators(cursor, term, 0);
  const patterns = parsePatterns(cursor, grammar);
  cursor.expect('|');
  return { is: 'bind', source: term, patterns, body: query(cursor) };
}

const expression = (cursor: Cursor, minimum: number): JqNode => operators(cursor, parseTerm(cursor), minimum);

function operators(cursor: Cursor, first: JqNode, minimum: number): JqNode {
  let left = first;
  let [last, links] = [0, 0];
  for (let level = levelOf(cursor); level > 0 && level >= minimum; level = levelOf(cursor)) {
    links += 1;
    cursor.link(links);
    if (level === last && unchained.has(level))
      throw cursor.fault('this operator does not chain, use brackets');
    const { text } = cursor.take();
    const right =
      level === rightAssociative
        ? cursor.nest(() => expression(cursor, level))
        : expression(cursor, level + 1);
    left = combine(text, left, right);
    last = level;
  }
  return left;
}

/** How tightly the operator at the cursor binds, 0 where there is none. */
function levelOf(cursor: Cursor): number {
  const { kind, text } = cursor.token;
  return kind === 'sign' || kind === 'keyword' ? (levels[text] ?? 0) : 0;
}

function combine(text: string, left: JqNode, right: JqNode): JqNode {
  if (text === 'and' || text === 'or' || text === '//') return { is: text, left, right };
  if (levels[text] === 2) return { is: 'update', op: text as UpdateOp, left, right };
  return { is: 'binary', op: text as BinaryOp, left, right };
}

function parseTerm(cursor: Cursor): JqNode {
  return cursor.nest(() => suffixes(cursor, primary(cursor)));
}

function suffixes(cursor: Cursor, first: JqNode): JqNode {
  let node = first;
  for (let links = 0; ; links += 1) {
    cursor.link(links);
    const { kind, text } = cursor.token;
    if (kind === 'field') {
      cursor.take();
      node = { is: 'index', of: node, key: literal(text.slice(1)) };
    } else if (cursor.skip('?')) {
      node = optional(node, first);
    } else if (cursor.skip('.')) {
      node = afterDot(cursor, node);
    } else if (cursor.skip('[')) {
      node = bracketed(cursor, node);
    } else {
      return node;
    }
  }
}

function afterDot(cursor: Cursor, node: JqNode): JqNode {
  if (cursor.token.kind === 'quote') return { is: 'index', of: node, key: parseString(cursor, grammar) };
  cursor.expect('[');
  return bracketed(cursor, node);
}

/** compat gojq: `?` guards only the last step, so `.a.b?` fails where `.a` does. */
function optional(node: JqNode, first: JqNode): JqNode {
  const guard = (body: JqNode): JqNode => ({ is: 'try', body, handler: undefined });
  if (node === first || !('of' in node) || node.of === undefined) return guard(node);
  if (node.is !== 'index' && node.is !== 'slice' && node.is !== 'iterate') return guard(node);
  return { is: 'pipe', left: node.of, right: guard({ ...node, of: identity }) };
}

/** An index, a slice or `[]`, behind its opening bracket. */
function bracketed(cursor: Cursor, of: JqNode): JqNode {
  if (cursor.skip(']')) return { is: 'iterate', of };
  if (cursor.skip(':')) {
    const to = query(cursor);
    cursor.expect(']');
    return { is: 'slice', of, from: undefined, to };
  }
  const key = query(cursor);
  if (cursor.skip(']')) return { is: 'index', of, key };
  cursor.expect(':');
  const to = cursor.sees(']') ? undefined : query(cursor);
  cursor.expect(']');
  return { is: 'slice', of, from: key, to };
}

function primary(cursor: Cursor): JqNode {
  const { token } = cursor;
  if (token.kind === 'quote') return parseString(cursor, grammar);
  if (token.kind === 'sign') return signed(cursor);
  if (token.kind === 'keyword') return worded(cursor);
  if (token.kind === 'end') throw cursor.fault('expected a term');
  cursor.take();
  switch (token.kind) {
    case 'number':
      return literal(parseNumeral(token.text) ?? 0);
    case 'field':
      return { is: 'index', of: identity, key: literal(token.text.slice(1)) };
    case 'variable':
      return { is: 'variable', name: token.text, at: token.at };
    case 'format':
      return formatted(cursor, token.text);
    default:
      return call(cursor, token);
  }
}

const formatted = (cursor: Cursor, name: string): JqNode =>
  cursor.token.kind === 'quote' ? parseString(cursor, grammar, name) : { is: 'format', name };

function call(cursor: Cursor, { text, at }: JqToken): JqNode {
  const args: JqNode[] = [];
  if (cursor.skip('(')) {
    do args.push(query(cursor));
    while (cursor.skip(';'));
    cursor.expect(')');
  }
  return { is: 'call', name: text, args, at };
}

function signed(cursor: Cursor): JqNode {
  if (cursor.skip('..')) return { is: 'recurse' };
  if (cursor.skip('.')) return dotted(cursor);
  if (cursor.skip('{')) return parseObject(cursor, grammar);
  if (cursor.skip('[')) {
    if (cursor.skip(']')) return { is: 'array', of: undefined };
    const of = query(cursor);
    cursor.expect(']');
    return { is: 'array', of };
  }
  if (cursor.skip('(')) {
    const node = query(cursor);
    cursor.expect(')');
    return node;
  }
  if (cursor.skip('-')) return { is: 'sign', negative: true, of: parseTerm(cursor) };
  if (cursor.skip('+')) return { is: 'sign', negative: false, of: parseTerm(cursor) };
  throw cursor.fault('expected a term');
}

/** The rest of a term after `.`: a field in quotes or brackets, or `.` alone. */
function dotted(cursor: Cursor): JqNode {
  if (cursor.token.kind === 'quote') return { is: 'index', of: identity, key: parseString(cursor, grammar) };
  return cursor.skip('[') ? bracketed(cursor, identity) : identity;
}

const words: Readonly<Record<string, (cursor: Cursor, token: JqToken) => JqNode>> = {
  null: () => literal(null),
  true: () => literal(true),
  false: () => literal(false),
  if: conditional,
  try: (cursor) => ({
    is: 'try',
    body: parseTerm(cursor),
    handler: cursor.skip('catch') ? parseTerm(cursor) : undefined,
  }),
  reduce: (cursor) => {
    const loop = loopHead(cursor);
    cursor.expect(')');
    return { is: 'reduce', ...loop };
  },
  foreach: (cursor) => {
    const loop = loopHead(cursor);
    const extract = cursor.skip(';') ? query(cursor) : undefined;
    cursor.expect(')');
    return { is: 'foreach', ...loop, extract };
  },
  break: (cursor, { at }) => ({ is: 'break', name: plainName(cursor, 'variable', 'a label'), at }),
};

function worded(cursor: Cursor): JqNode {
  const { token } = cursor;
  const word = words[token.text];
  if (!word) throw cursor.fault('expected a term');
  cursor.take();
  return word(cursor, token);
}

function loopHead(cursor: Cursor) {
  const source = expression(cursor, 0);
  cursor.expect('as');
  const pattern = parsePattern(cursor, grammar);
  cursor.expect('(');
  const start = query(cursor);
  cursor.expect(';');
  return { source, pattern, start, update: query(cursor) };
}

function conditional(cursor: Cursor): JqNode {
  const test = query(cursor);
  cursor.expect('then');
  const then = query(cursor);
  if (cursor.skip('elif')) return { is: 'if', test, then, otherwise: cursor.nest(() => conditional(cursor)) };
  const otherwise = cursor.skip('else') ? query(cursor) : undefined;
  cursor.expect('end');
  return { is: 'if', test, then, otherwise };
}
