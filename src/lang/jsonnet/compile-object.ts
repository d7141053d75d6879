import { assertCode } from './assertion.ts';
import { JsonnetError } from './fault.ts';
import { iterate } from './iterate.ts';
import { binaryOperators } from './operators.ts';
import type { JsonnetField, JsonnetNode, JsonnetNodeOf, ObjectBody } from './syntax.ts';
import {
  type Code,
  type Expression,
  type FieldDef,
  JsonnetFrame,
  type JsonnetScope,
  type Lazy,
  Obj,
  Thunk,
  typeOf,
} from './value.ts';

type Fields = Map<string, FieldDef>;

/** An object whose names are all static shares one table of fields between all its instances. */
export function compileObject({ fields, body, source }: JsonnetNodeOf<'object'>): Code {
  const asserts = body.asserts.map((assertion) => assertCode(assertion, source));
  const known = fields.every(({ name }) => typeof name === 'string') ? fieldsOf(fields) : undefined;
  return (frame) => {
    const layer = { fields: known ?? fieldsOf(fields, frame), scope: scopeOf(body, frame) };
    return new Obj([asserts.length > 0 ? { ...layer, asserts } : layer]);
  };
}

function fieldsOf(fields: readonly JsonnetField[], frame?: JsonnetFrame): Fields {
  const defs: Fields = new Map();
  for (const { name: given, plus, visibility, value } of fields) {
    const name = typeof given === 'string' ? given : frame && nameFrom(given, frame);
    if (name === undefined) continue;
    if (defs.has(name)) throw twice(name, value);
    defs.set(name, { visibility, value: plus ? extending(name, value) : value });
  }
  return defs;
}

const twice = (name: string, node: JsonnetNode): JsonnetError =>
  new JsonnetError(`field ${JSON.stringify(name)} is defined twice`, node);

/** The name of a computed field; null means that there is no such field. */
function nameFrom(node: JsonnetNode, frame: JsonnetFrame): string | undefined {
  const name = node.code(frame);
  if (name === null) return undefined;
  if (typeof name === 'string') return name;
  throw new JsonnetError(`the name of a field must be a string, got ${typeOf(name)}`, node);
}

/** `name+: value`: what super has, plus the value; the value alone where super has nothing. */
function extending(name: string, value: JsonnetNode): Expression {
  return {
    code: (frame) => {
      const below = (frame.self as Obj).get(name, frame.layer);
      const above = value.code(frame);
      return below === undefined ? above : binaryOperators['+'](below, above, frame.vm);
    },
  };
}

function scopeOf({ dollar, locals }: ObjectBody, outer: JsonnetFrame): JsonnetScope {
  return (self, layer) => {
    const vars: Lazy[] = dollar ? [self] : [];
    const frame = new JsonnetFrame(outer, vars, outer.vm, { self, layer });
    for (const { value } of locals) vars.push(new Thunk(value, frame));
    return frame;
  };
}

/** Each iteration of the loop gives one field, with a scope of its own. */
export function compileObjectComprehension(node: JsonnetNodeOf<'objectComprehension'>): Code {
  const { name: nameNode, plus, value, clauses, body } = node;
  return (outer) => {
    const fields: Fields = new Map();
    iterate(clauses, outer, (inner) => {
      const name = nameFrom(nameNode, inner);
      if (name === undefined) return;
      if (fields.has(name)) throw twice(name, nameNode);
      fields.set(name, {
        visibility: 'inherit',
        value: plus ? extending(name, value) : value,
        scope: scopeOf(body, inner),
      });
    });
    return new Obj([{ fields, scope: scopeOf(body, outer) }]);
  };
}
