import type { Cursor } from './cursor.ts';
import type { TokenKind } from './lex.ts';
import type { JqDefinition, JqNode, ObjectField, Pattern, PatternField } from './syntax.ts';
import { identity, literal } from './syntax.ts';

/** The rules that the parts of an expression lead back to. */
export type Grammar = {
  query(cursor: Cursor): JqNode;
  /** An expression without `,`, `as` and `label`, and with `|` only where the caller allows it. */
  expression(cursor: Cursor): JqNode;
};

/** A string at its opening quote. */
export function parseString(cursor: Cursor, grammar: Grammar, format?: string): JqNode {
  const parts: (string | JqNode)[] = [];
  let chunk = cursor.chunk();
  while (!chunk.closed) {
    if (chunk.text !== '') parts.push(chunk.text);
    parts.push(cursor.nest(() => grammar.query(cursor)));
    if (!cursor.sees(')')) throw cursor.fault('expected ")" after an interpolation');
    chunk = cursor.chunk();
  }
  if (parts.length === 0) return literal(chunk.text);
  if (chunk.text !== '') parts.push(chunk.text);
  return { is: 'template', format, parts };
}

/** An object behind its opening brace. */
export function parseObject(cursor: Cursor, grammar: Grammar): JqNode {
  const fields: ObjectField[] = [];
  while (!cursor.sees('}')) {
    fields.push(parseField(cursor, grammar));
    if (!cursor.skip(',')) break;
  }
  cursor.expect('}');
  return { is: 'object', fields };
}

function parseField(cursor: Cursor, grammar: Grammar): ObjectField {
  const { kind, text, at } = cursor.token;
  if (cursor.skip('(')) {
    const key = grammar.query(cursor);
    cursor.expect(')');
    cursor.expect(':');
    return { key, value: parseFieldValue(cursor, grammar) };
  }
  if (kind === 'variable') {
    cursor.take();
    const variable: JqNode = { is: 'variable', name: text, at };
    // compat gojq: `{$x: 1}` has the value of $x for its key
    if (cursor.skip(':')) return { key: variable, value: parseFieldValue(cursor, grammar) };
    return { key: literal(text.slice(1)), value: variable };
  }
  const key = parseKey(cursor, grammar);
  if (cursor.skip(':')) return { key, value: parseFieldValue(cursor, grammar) };
  return { key, value: { is: 'index', of: identity, key } };
}

function parseKey(cursor: Cursor, grammar: Grammar): JqNode {
  const { kind, text } = cursor.token;
  if (kind === 'quote') return parseString(cursor, grammar);
  if ((kind !== 'name' && kind !== 'keyword') || text.includes('::')) throw cursor.fault('expected a key');
  cursor.take();
  return literal(text);
}

function parseFieldValue(cursor: Cursor, grammar: Grammar): JqNode {
  const left = grammar.expression(cursor);
  if (!cursor.skip('|')) return left;
  return { is: 'pipe', left, right: parseFieldValue(cursor, grammar) };
}

/** The part between `as` and `|`: patterns with `?//` between them. */
export function parsePatterns(cursor: Cursor, grammar: Grammar): Pattern[] {
  const patterns = [parsePattern(cursor, grammar)];
  while (cursor.skip('?//')) patterns.push(parsePattern(cursor, grammar));
  return patterns;
}

export function parsePattern(cursor: Cursor, grammar: Grammar): Pattern {
  return cursor.nest(() => {
    if (cursor.skip('[')) {
      return { is: 'array', items: parseList(cursor, ']', () => parsePattern(cursor, grammar)) };
    }
    if (cursor.skip('{')) {
      return { is: 'object', fields: parseList(cursor, '}', () => parsePatternField(cursor, grammar)) };
    }
    return { is: 'variable', name: plainName(cursor, 'variable', 'a variable, "[" or "{"') };
  });
}

function parsePatternField(cursor: Cursor, grammar: Grammar): PatternField {
  const { kind, text } = cursor.token;
  if (kind === 'variable') {
    plainName(cursor, 'variable', 'a variable');
    const pattern = cursor.skip(':') ? parsePattern(cursor, grammar) : undefined;
    return { key: literal(text.slice(1)), name: text, pattern };
  }
  const key = cursor.skip('(') ? parseBracketed(cursor, grammar) : parseKey(cursor, grammar);
  cursor.expect(':');
  return { key, name: undefined, pattern: parsePattern(cursor, grammar) };
}

function parseBracketed(cursor: Cursor, grammar: Grammar): JqNode {
  const node = grammar.query(cursor);
  cursor.expect(')');
  return node;
}

function parseList<T>(cursor: Cursor, close: string, parse: () => T): T[] {
  const items = [parse()];
  while (cursor.skip(',')) items.push(parse());
  cursor.expect(close);
  return items;
}

/** A definition behind its `def`. */
export function parseDefinition(cursor: Cursor, grammar: Grammar): JqDefinition {
  const name = plainName(cursor, 'name', 'the name of a function');
  const params: string[] = [];
  if (cursor.skip('(')) {
    do params.push(parseParameter(cursor));
    while (cursor.skip(';'));
    cursor.expect(')');
  }
  cursor.expect(':');
  const body = grammar.query(cursor);
  cursor.expect(';');
  return { name, params, body };
}

const parseParameter = (cursor: Cursor): string =>
  plainName(cursor, cursor.token.kind === 'variable' ? 'variable' : 'name', 'a parameter');

/** A name that is bound here, which is never one of a module. */
export function plainName(cursor: Cursor, kind: TokenKind, what: string): string {
  if (cursor.token.text.includes('::')) throw cursor.fault(`expected ${what}`);
  return cursor.expectKind(kind, what).text;
}
