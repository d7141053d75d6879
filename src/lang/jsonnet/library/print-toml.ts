import { JsonnetError } from '../fault.ts';
import { numberText } from '../number-text.ts';
import { fieldOf, quoted, visibleNames } from '../print-json.ts';
import { Fn, force, isList, type JsonnetValue, type List, Obj, typeOf, type Vm } from '../value.ts';

type TableLayout = { readonly path: readonly string[]; readonly margin: string };
type Printer = { readonly vm: Vm; readonly indent: string };

/** compat sources JSN-4: TOML as std.manifestTomlEx writes it. */
export function printToml(vm: Vm, value: JsonnetValue, indent: string): string {
  if (!(value instanceof Obj)) throw new JsonnetError(`TOML is made from an object, got ${typeOf(value)}`);
  return table({ vm, indent }, value, { path: [], margin: '' });
}

/** The plain fields, then a section for each table and each array of tables. */
function table(printer: Printer, object: Obj, { path, margin }: TableLayout): string {
  const lines: string[] = [];
  const sections: string[] = [''];
  for (const name of visibleNames(object)) {
    printer.vm.meter.step();
    const value = fieldOf(object, name);
    const place = { path: [...path, name], margin };
    if (value instanceof Obj) sections.push(section(printer, value, place, ['[', ']']));
    else if (isList(value) && isTables(value)) {
      const tables = value.map((item) => section(printer, force(item) as Obj, place, ['[[', ']]']));
      sections.push(tables.join('\n\n'));
    } else lines.push(...`${key(name)} = ${printValue(printer, value, false)}`.split('\n'));
  }
  return lines.map((line, i) => (i === 0 ? margin : `\n${margin}`) + line).join('') + sections.join('\n\n');
}

function section(
  printer: Printer,
  object: Obj,
  { path, margin }: TableLayout,
  [open, close]: [string, string],
): string {
  const title = `${margin}${open}${path.map(key).join('.')}${close}`;
  const gap = visibleNames(object).length > 0 ? '\n' : '';
  return title + gap + table(printer, object, { path, margin: margin + printer.indent });
}

const isTables = (list: List): boolean => list.length > 0 && list.every((item) => force(item) instanceof Obj);

function printValue(printer: Printer, value: JsonnetValue, inline: boolean): string {
  printer.vm.meter.step();
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'string') return quoted(value);
  if (isList(value)) return printList(printer, value, inline);
  if (value === null || value instanceof Fn) throw new JsonnetError(`TOML has no ${typeOf(value)}`);
  const fields = visibleNames(value).map(
    (name) => `${key(name)} = ${printValue(printer, fieldOf(value, name), true)}`,
  );
  return `{ ${fields.join(', ')} }`;
}

function printList(printer: Printer, list: List, inline: boolean): string {
  if (list.length === 0) return '[]';
  const gap = inline ? ' ' : '\n';
  const margin = inline ? '' : printer.indent;
  const items = list.map((item) => margin + printValue(printer, force(item), true));
  return `[${gap}${items.join(`,${gap}`)}${gap}]`;
}

function key(name: string): string {
  if (name === '') return "''";
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : quoted(name);
}
