import { JsonnetError } from './fault.ts';
import type {
  Bind,
  ImportKind,
  JsonnetClause,
  JsonnetField,
  JsonnetKinds,
  JsonnetNode,
  JsonnetNodeOf,
  ObjectBody,
} from './syntax.ts';
import type { Code } from './value.ts';

/** The names of one frame, in the order of its slots. */
type Scope = {
  readonly names: ReadonlyMap<string, number>;
  readonly up: Scope | undefined;
  readonly inObject: boolean;
};

export type Import = { readonly how: ImportKind; readonly path: string };

type Pass = { readonly code: Code; readonly imports: Import[] };

/**
 * Assigns every name its slot, every node its initial code, and collects the imports. Throws a JsonnetError
 * for undefined names and for `self`, `super` and `$` outside of objects, wherever they occur.
 */
export function resolve(root: JsonnetNode, code: Code): Import[] {
  const pass: Pass = { code, imports: [] };
  visit(root, scopeOf(['std'], undefined), pass);
  return pass.imports;
}

function scopeOf(names: readonly string[], up: Scope | undefined, inObject = up?.inObject ?? false): Scope {
  return { names: new Map(names.map((name, slot) => [name, slot])), up, inObject };
}

function visit(node: JsonnetNode | undefined, scope: Scope, pass: Pass): void {
  if (!node) return;
  node.code = pass.code;
  const rule = rules[node.kind] as ((node: JsonnetNode, scope: Scope, pass: Pass) => void) | undefined;
  rule?.(node, scope, pass);
}

const rules: { [K in keyof JsonnetKinds]?: (node: JsonnetNodeOf<K>, scope: Scope, pass: Pass) => void } = {
  self: (node, scope) => needObject(node, scope, 'self'),
  name: locate,
  super: (node, scope, pass) => {
    needObject(node, scope, 'super');
    visit(node.index, scope, pass);
  },
  inSuper: (node, scope, pass) => {
    needObject(node, scope, 'super');
    visit(node.name, scope, pass);
  },
  array: ({ items }, scope, pass) => {
    for (const item of items) visit(item, scope, pass);
  },
  arrayComprehension: ({ item, clauses }, scope, pass) => visit(item, looped(clauses, scope, pass), pass),
  object: ({ fields, body }, scope, pass) => {
    for (const { name } of fields) if (typeof name !== 'string') visit(name, scope, pass);
    visitBody(fields, body, scope, pass);
  },
  objectComprehension: ({ name, value, clauses, body }, scope, pass) => {
    const inner = looped(clauses, scope, pass);
    visit(name, inner, pass);
    visitBody([{ value }], body, inner, pass);
  },
  index: ({ target, index }, scope, pass) => {
    visit(target, scope, pass);
    visit(index, scope, pass);
  },
  slice: ({ target, from, to, step }, scope, pass) => {
    for (const part of [target, from, to, step]) visit(part, scope, pass);
  },
  call: ({ target, args }, scope, pass) => {
    visit(target, scope, pass);
    for (const { value } of args) visit(value, scope, pass);
  },
  unary: ({ operand }, scope, pass) => visit(operand, scope, pass),
  binary: ({ left, right }, scope, pass) => {
    visit(left, scope, pass);
    visit(right, scope, pass);
  },
  if: ({ condition, then, otherwise }, scope, pass) => {
    for (const part of [condition, then, otherwise]) visit(part, scope, pass);
  },
  local: ({ binds, body }, scope, pass) => {
    const inner = scopeOf(namesOf(binds), scope);
    for (const { value } of binds) visit(value, inner, pass);
    visit(body, inner, pass);
  },
  function: ({ params, body }, scope, pass) => {
    const inner = scopeOf(namesOf(params), scope);
    for (const { fallback } of params) visit(fallback, inner, pass);
    visit(body, inner, pass);
  },
  error: ({ message }, scope, pass) => visit(message, scope, pass),
  assert: ({ assertion, rest }, scope, pass) => {
    for (const part of [assertion.condition, assertion.message, rest]) visit(part, scope, pass);
  },
  import: ({ how, path }, _scope, pass) => {
    pass.imports.push({ how, path });
  },
};

const namesOf = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name);

function locate(node: JsonnetNodeOf<'name'>, scope: Scope): void {
  let hops = 0;
  for (let at: Scope | undefined = scope; at; at = at.up) {
    const slot = at.names.get(node.name);
    if (slot !== undefined) {
      node.hops = hops;
      node.slot = slot;
      return;
    }
    hops += 1;
  }
  throw new JsonnetError(
    node.name === '$' ? '$ is used outside of an object' : `nothing is named ${node.name} here`,
    node,
  );
}

function needObject(node: JsonnetNode, { inObject }: Scope, word: string): void {
  if (!inObject) throw new JsonnetError(`${word} is used outside of an object`, node);
}

/** Each `for` opens a frame of its own. */
function looped(clauses: readonly JsonnetClause[], scope: Scope, pass: Pass): Scope {
  let inner = scope;
  for (const clause of clauses) {
    if (clause.do === 'if') visit(clause.condition, inner, pass);
    else {
      visit(clause.list, inner, pass);
      inner = scopeOf([clause.name], inner);
    }
  }
  return inner;
}

function visitBody(
  fields: readonly Pick<JsonnetField, 'value'>[],
  body: ObjectBody,
  scope: Scope,
  pass: Pass,
): void {
  body.dollar = !scope.inObject;
  const names = namesOf(body.locals satisfies readonly Bind[]);
  const inner = scopeOf(body.dollar ? ['$', ...names] : names, scope, true);
  for (const { value } of [...fields, ...body.locals]) visit(value, inner, pass);
  for (const { condition, message } of body.asserts) {
    visit(condition, inner, pass);
    visit(message, inner, pass);
  }
}
