import { printJson } from '#base/std';
import { age, type Column, name, since } from '../columns/column.ts';
import type { PrinterColumn } from '../kinds.ts';
import { compileJsonPath } from './json-path.ts';

const made = new WeakMap<readonly PrinterColumn[], readonly Column[]>();

/** Name, then the columns of the definition, or Age when it declares none (compat cluster 3.15). */
export function customColumns(columns: readonly PrinterColumn[]): readonly Column[] {
  let known = made.get(columns);
  if (!known) {
    known = columns.length === 0 ? [name, age] : [name, ...columns.map(customColumn)];
    made.set(columns, known);
  }
  return known;
}

function customColumn(column: PrinterColumn): Column {
  const read = compileJsonPath(column.jsonPath) ?? (() => []);
  return {
    name: column.name,
    type: column.type as Column['type'],
    ...(column.format !== undefined && { format: column.format }),
    description: column.description ?? '',
    priority: column.priority ?? 0,
    cell: (item, now) => cell(read(item), column.type, now),
  };
}

function cell(values: readonly unknown[], type: string, now: number): unknown {
  const [first] = values;
  if (first === undefined || first === null) return type === 'date' ? '<unknown>' : null;
  switch (type) {
    case 'integer':
      return typeof first === 'number' ? Math.trunc(first) : first;
    case 'number':
    case 'boolean':
      return first;
    case 'date':
      return since(first, now);
    default:
      return values.length > 1 ? values.map(print).join(',') : print(first);
  }
}

const print = (value: unknown): string => (typeof value === 'string' ? value : printJson(value));
