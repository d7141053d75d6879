import { FairleadError } from '#base/std';
import { isObject, type JsonObject, type ListType, type ScalarKind, type TypeNode } from '#kubernetes/schema';
import { goText } from '../strategic/directives.ts';
import { describeElement, type Element, fieldElement } from './element.ts';
import { childType, itemElement, type OwnedList } from './shape.ts';

const numeric: ReadonlySet<ScalarKind> = new Set<ScalarKind>(['int32', 'int64', 'number']);
/** Formatted strings count as untyped for ownership: any scalar will do. */
const untyped: ReadonlySet<ScalarKind> = new Set<ScalarKind>([
  'time',
  'micro-time',
  'duration',
  'quantity',
  'int-or-string',
]);

/** The errors that keep a configuration from being applied, in Kubernetes' wording; [] if there are none. */
export function problemsOf(value: unknown, type: TypeNode): string[] {
  const problems: string[] = [];
  check(value, type, { path: [], problems });
  return problems;
}

/** The way to a value is put into words only when something is wrong with it. */
type Search = { readonly path: Element[]; readonly problems: string[] };

function report({ path, problems }: Search, problem: string): void {
  problems.push(`${path.map(describeElement).join('')}: ${problem}`);
}

function check(value: unknown, type: TypeNode, search: Search): void {
  if (value === null || value === undefined || type.kind === 'any') return;
  if (type.kind === 'scalar') checkScalar(value, type.scalar, search);
  else if (type.kind === 'list') checkList(value, type, search);
  else if (isObject(value)) checkFields(value, type, search);
  else report(search, `expected map, got ${shown(value)}`);
}

function checkWithin(element: Element, value: unknown, type: TypeNode, search: Search): void {
  search.path.push(element);
  check(value, type, search);
  search.path.pop();
}

function checkFields(fields: JsonObject, type: TypeNode, search: Search): void {
  let undeclared: string | undefined;
  for (const name of Object.keys(fields)) {
    const declared = childType(type, name);
    if (declared !== undefined) checkWithin(fieldElement(name), fields[name], declared, search);
    else undeclared ??= name;
  }
  // compat cluster 3.10: one undeclared field ends the validation of a map
  if (undeclared === undefined) return;
  report({ ...search, path: [...search.path, fieldElement(undeclared)] }, 'field not declared in schema');
}

/** How Go prints the holder of a value. */
const shown = (value: unknown): string => `&{${goText(value)}}`;

function checkScalar(value: unknown, scalar: ScalarKind, search: Search): void {
  const found = typeof value === 'bigint' ? 'number' : typeof value;
  if (numeric.has(scalar)) {
    if (found !== 'number') report(search, `expected numeric (int or float), got ${goType(value)}`);
  } else if (untyped.has(scalar)) {
    if (found === 'object') report(search, `expected any scalar, got ${shown(value)}`);
  } else {
    const wanted = scalar === 'bytes' ? 'string' : scalar;
    if (found !== wanted) report(search, `expected ${wanted}, got ${held(value, wanted)}`);
  }
}

/** compat cluster 3.10: a value in place of a string is printed with its Go type, elsewhere without. */
function held(value: unknown, scalar: ScalarKind): string {
  if (scalar !== 'string') return shown(value);
  return `&value.valueUnstructured{Value:${goSyntax(value)}}`;
}

/** A value as Go source would write it. */
function goSyntax(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (typeof value !== 'object' || value === null)
    return value === null ? 'interface {}(nil)' : String(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[string]interface {}{${fields.map(([key, item]) => `${JSON.stringify(key)}:${goSyntax(item)}`).join(', ')}}`;
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

function checkList(value: unknown, list: ListType, search: Search): void {
  if (!Array.isArray(value)) report(search, `expected list, got ${shown(value)}`);
  else if (list.merge === 'atomic') {
    for (const [index, item] of value.entries()) checkWithin(`i:${index}`, item, list.items, search);
  } else checkOwnedItems(value, list as OwnedList, search);
}

function checkOwnedItems(items: readonly unknown[], list: OwnedList, search: Search): void {
  const seen = new Set<Element>();
  for (const [index, item] of items.entries()) {
    const { element, problem } = elementOrProblem(item, list);
    if (element === undefined) {
      report(search, `element ${index}: ${problem}`);
      return;
    }
    if (seen.has(element)) report(search, `duplicate entries for key ${describeElement(element)}`);
    seen.add(element);
    checkWithin(element, item, list.items, search);
  }
}

type Named = { element: Element; problem?: undefined } | { element?: undefined; problem: string };

function elementOrProblem(item: unknown, list: OwnedList): Named {
  try {
    return { element: itemElement(item, list) };
  } catch (error) {
    return { problem: FairleadError.from(error).message };
  }
}
