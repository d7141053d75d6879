import { assertion, bind, parameters } from './parse-binding.ts';
import type { Parser } from './parser.ts';
import type { Assertion, Bind, JsonnetClause, JsonnetField, JsonnetNode } from './syntax.ts';
import type { Visibility } from './value.ts';

type Members = { readonly fields: JsonnetField[]; readonly locals: Bind[]; readonly asserts: Assertion[] };

/** An object, or an object comprehension; the opening brace at `at` is taken already. */
export function parseObject(p: Parser, at: number): JsonnetNode {
  const members: Members = { fields: [], locals: [], asserts: [] };
  while (!p.accept('}')) {
    member(p, members);
    const comma = p.accept(',');
    if (p.is('for')) return comprehension(p, at, members);
    if (!comma && !p.is('}')) throw p.unexpected('"," or "}"');
  }
  const { fields, ...body } = members;
  checkNames(p, fields);
  return p.node('object', at, { fields, body: { ...body, dollar: false } });
}

/** Names that are known are checked here; those that are worked out, when they are. */
function checkNames(p: Parser, fields: readonly JsonnetField[]): void {
  const names = new Set<string>();
  for (const { name, at } of fields) {
    if (typeof name !== 'string') continue;
    if (names.has(name)) throw p.fault(`field ${JSON.stringify(name)} is defined twice`, at);
    names.add(name);
  }
}

function member(p: Parser, { fields, locals, asserts }: Members): void {
  const { at } = p.peek();
  if (p.accept('local')) locals.push(bind(p, locals));
  else if (p.accept('assert')) asserts.push(assertion(p, at));
  else fields.push(field(p));
}

function field(p: Parser): JsonnetField {
  const { kind, text, at } = p.peek();
  const name = fieldName(p, kind, text);
  const params = p.is('(') ? parameters(p) : undefined;
  const { plus, visibility } = colons(p);
  if (params && plus) throw p.fault('a method cannot be defined with +:', at);
  const value = p.expression();
  return {
    at,
    name,
    plus,
    visibility,
    value: params ? p.node('function', at, { params, body: value }) : value,
  };
}

function fieldName(p: Parser, kind: string, text: string): string | JsonnetNode {
  if (kind === 'name' || kind === 'string') {
    p.take();
    return text;
  }
  if (!p.accept('[')) throw p.unexpected('a field');
  const name = p.expression();
  p.expect(']');
  return name;
}

const visibilities: readonly Visibility[] = ['inherit', 'hidden', 'visible'];

function colons(p: Parser): { plus: boolean; visibility: Visibility } {
  const { kind, text } = p.peek();
  const found = kind === 'symbol' ? /^(\+?)(:{1,3})$/.exec(text) : null;
  const visibility = found ? visibilities[(found[2] ?? '').length - 1] : undefined;
  if (!found || !visibility) throw p.unexpected('":" after the name of a field');
  p.take();
  return { plus: found[1] === '+', visibility };
}

function comprehension(p: Parser, at: number, { fields, locals, asserts }: Members): JsonnetNode {
  const [field] = fields;
  if (asserts.length > 0) throw p.fault('an object comprehension cannot hold assertions');
  if (fields.length !== 1 || !field) throw p.fault('an object comprehension has exactly one field');
  if (field.visibility !== 'inherit') throw p.fault('the field of an object comprehension cannot be hidden');
  if (typeof field.name === 'string') {
    throw p.fault('the name of the field of an object comprehension stands between [ and ]');
  }
  const { name, plus, value } = field;
  const body = { locals, asserts, dollar: false };
  return p.node('objectComprehension', at, {
    name,
    plus,
    value,
    clauses: parseComprehension(p, '}'),
    body,
  });
}

/** `for x in list`, then any number of `for` and `if`, up to the closing bracket, which is taken too. */
export function parseComprehension(p: Parser, close: ']' | '}'): JsonnetClause[] {
  const clauses: JsonnetClause[] = [];
  while (!p.accept(close)) {
    if (p.accept('for')) {
      const { text: name } = p.expectName('the name of a variable');
      p.expect('in');
      clauses.push({ do: 'for', name, list: p.expression() });
    } else if (p.accept('if')) clauses.push({ do: 'if', condition: p.expression() });
    else throw p.unexpected(`"for", "if" or "${close}"`);
  }
  return clauses;
}
