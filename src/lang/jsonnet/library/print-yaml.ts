import { JsonnetError } from '../fault.ts';
import { plainNumberText } from '../number-text.ts';
import { fieldOf, quoted, visibleNames } from '../print-json.ts';
import { Fn, force, isList, type JsonnetValue, type List, Obj, type Vm } from '../value.ts';

export type YamlStyle = { readonly indentArrays: boolean; readonly quoteKeys: boolean };

const indent = '  ';

/** compat sources JSN-4: YAML as std.manifestYamlDoc writes it; strings are always quoted or blocks. */
export function printYaml(vm: Vm, value: JsonnetValue, style: YamlStyle, margin = ''): string {
  vm.meter.step();
  if (typeof value === 'string') return yamlString(value, margin);
  if (typeof value === 'number') return plainNumberText(value);
  if (value instanceof Fn) throw new JsonnetError('a function cannot be shown as YAML');
  if (isList(value)) return yamlList(vm, value, style, margin);
  return value instanceof Obj ? yamlObject(vm, value, style, margin) : String(value);
}

function yamlString(text: string, margin: string): string {
  if (!text.endsWith('\n')) return quoted(text);
  const lines = text.slice(0, -1).split('\n');
  return `|\n${lines.map((line) => margin + indent + line).join('\n')}`;
}

function yamlList(vm: Vm, list: List, style: YamlStyle, margin: string): string {
  if (list.length === 0) return '[]';
  const items = list.map((lazy) => {
    const item = force(lazy);
    const inner = isList(item) || item instanceof Obj ? margin + indent : margin;
    const gap = isList(item) && item.length > 0 ? `\n${margin}${indent}` : ' ';
    return `-${gap}${printYaml(vm, item, style, inner)}`;
  });
  return items.join(`\n${margin}`);
}

function yamlObject(vm: Vm, object: Obj, style: YamlStyle, margin: string): string {
  const names = visibleNames(object);
  if (names.length === 0) return '{}';
  const fields = names.map((name) => {
    const value = fieldOf(object, name);
    const key = style.quoteKeys || !isBare(name) ? quoted(name) : name;
    return `${key}:${fieldText(vm, value, style, margin)}`;
  });
  return fields.join(`\n${margin}`);
}

/** The text after the colon: non-empty collections start on the next line. */
function fieldText(vm: Vm, value: JsonnetValue, style: YamlStyle, margin: string): string {
  const deeper = margin + indent;
  if (isList(value) && value.length > 0) {
    const inner = style.indentArrays ? deeper : margin;
    return `\n${inner}${printYaml(vm, value, style, inner)}`;
  }
  if (value instanceof Obj && visibleNames(value).length > 0) {
    return `\n${deeper}${printYaml(vm, value, style, deeper)}`;
  }
  return ` ${printYaml(vm, value, style, margin)}`;
}

const reserved = new Set("true false yes no on off y n .nan -.inf +.inf .inf null - --- ''".split(' '));
const date = /^(?:[0-9]*-){2}[0-9]*$/;
const binary = /^[-+]?0b[0-1_]+$/;
const hexadecimal = /[-+]?0x[0-9a-fA-F_]+/;
const number = /^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$|^[-+]?(?:inf|infinity)$|^nan$/i;

/** compat sources JSN-4: a key that no YAML reader takes for anything else. */
function isBare(key: string): boolean {
  if (!/^[A-Za-z0-9_\-/.]+$/.test(key) || reserved.has(key.toLowerCase())) return false;
  return !date.test(key) && !binary.test(key) && !hexadecimal.test(key) && !number.test(key);
}
