import { equal } from '#base/std';
import { isObject, type JsonObject, type StructType, type TypeNode } from '#kubernetes/schema';
import { embeddedIn, goTypes, shortName, templateType } from '../go-types.ts';
import { goField, printed, printedItem } from './go-print.ts';

/**
 * compat cluster 5.6: the difference between two templates, in the order and the words of Go's comparison; '' for
 * none.
 */
export const templateChanges = (before: object, after: object): string =>
  inStruct('{*v1.RevisionTemplateSpec}', templateType, before as JsonObject, after as JsonObject);

/** The same for two specs of a revision. */
export function revisionChanges(before: object, after: object): string {
  const type = goTypes.get('Revision')?.fields.get('spec')?.type as StructType;
  return inStruct('{v1.RevisionSpec}', type, before as JsonObject, after as JsonObject);
}

function inStruct(path: string, type: StructType, before: JsonObject, after: JsonObject): string {
  return [...type.fields.values()]
    .map((field) => {
      const [old, next] = [before[field.name], after[field.name]];
      if (equal(old, next)) return '';
      const inner = embeddedIn(type, field.name);
      const at = `${path}.${inner ? `${inner}.` : ''}${goField(field.name)}`;
      if (field.pointer && field.type.kind === 'scalar') return ofPointer(at, old, next);
      return inValue(at, field.type, old, next);
    })
    .join('');
}

/** compat cluster 5.6: two values behind pointers are compared; when one is missing, only the pointer is reported. */
function ofPointer(path: string, before: unknown, after: unknown): string {
  const isOne = before === undefined || after === undefined;
  return `${isOne ? '' : '*'}${path}:\n\t-: "${before ?? '<nil>'}"\n\t+: "${after ?? '<nil>'}"\n`;
}

function inValue(path: string, type: TypeNode, before: unknown, after: unknown): string {
  if (type.kind === 'struct' && isObject(before) && isObject(after))
    return inStruct(path, type, before, after);
  if (type.kind === 'list' && Array.isArray(before) && Array.isArray(after))
    return inList(path, type.items, before, after);
  if (type.kind === 'map' && isObject(before) && isObject(after))
    return inMap(path, type.values, before, after);
  return described(path, type, before, after);
}

function inMap(path: string, type: TypeNode, before: JsonObject, after: JsonObject): string {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return keys
    .filter((key) => !equal(before[key], after[key]))
    .map((key) => entry(`${path}["${key}"]`, type, before[key], after[key]))
    .join('');
}

/** Equal items at both ends of the lists are skipped; between them items were added, removed or changed. */
function inList(path: string, type: TypeNode, before: readonly unknown[], after: readonly unknown[]): string {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && equal(before[head], after[head])) head++;
  let tail = 0;
  while (tail < shorter - head && equal(before.at(-1 - tail), after.at(-1 - tail))) tail++;
  const [old, next] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  if (old.length === next.length)
    return old.map((item, index) => inValue(`${path}[${head + index}]`, type, item, next[index])).join('');
  return [
    ...old.map((item, index) => entry(`${path}[${head + index}->?]`, type, item, undefined)),
    ...next.map((item, index) => entry(`${path}[?->${head + index}]`, type, undefined, item)),
  ].join('');
}

/** One side may be missing altogether, and is not reported then. */
function entry(path: string, type: TypeNode, before: unknown, after: unknown): string {
  const kind = kindWord(type);
  const line = (sign: string, value: unknown): string =>
    value === undefined ? '' : `\t${sign}: ${kind}"${printedItem(type, value)}"\n`;
  return `${path}:\n${line('-', before)}${line('+', after)}`;
}

const described = (path: string, type: TypeNode, before: unknown, after: unknown): string =>
  `${path}:\n\t-: "${printed(type, before)}"\n\t+: "${printed(type, after)}"\n`;

function kindWord(type: TypeNode): string {
  if (type.kind === 'struct') return `v1.${shortName(type)}: `;
  return type.kind === 'scalar' && type.scalar === 'quantity' ? 'resource.Quantity: ' : '';
}
