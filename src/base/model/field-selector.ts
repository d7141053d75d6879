import { FairleadError } from '#base/std';
import { compareBytes } from './file-path.ts';
import type { KubeObject } from './kube-object.ts';

type FieldRequirement = {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
};

/** All must hold; a field that is missing counts as empty. */
export type FieldSelector = readonly FieldRequirement[];

/**
 * Reads `metadata.name=x,status.phase!=Running`. In a value, comma, equals and backslash are written with a
 * backslash before them. Throws InvalidSpec with the position of the term that is wrong.
 */
export function parseFieldSelector(text: string): FieldSelector {
  return splitTerms(text)
    .filter(({ term }) => term !== '')
    .toSorted((a, b) => compareBytes(a.term, b.term))
    .map(({ term, at }) => requirementOf(text, term, at))
    .filter(({ field, value }) => field !== '' || value !== ''); // compat: `=` alone selects everything
}

function splitTerms(text: string): { term: string; at: number }[] {
  return [...text.matchAll(/((?:\\[\s\S]|[^\\,]|\\$)*)(?:,|$)/g)].map((found) => ({
    term: found[1] ?? '',
    at: found.index,
  }));
}

function requirementOf(text: string, term: string, at: number): FieldRequirement {
  const split = /!=|==?/.exec(term);
  if (!split) throw problem(text, at, `can't understand '${term}', expected field=value or field!=value`);
  const [operator] = split;
  const start = split.index + operator.length;
  const value = unescaped(term.slice(start), (offset, why) => problem(text, at + start + offset, why));
  return { field: term.slice(0, split.index), operator: operator === '!=' ? '!=' : '=', value };
}

function unescaped(raw: string, fail: (offset: number, why: string) => FairleadError): string {
  return raw.replace(/\\([\s\S]?)|[,=]/g, (found, escapee: string | undefined, offset: number) => {
    if (escapee === undefined) throw fail(offset, `unescaped character in value: ${found}`);
    if (!['\\', ',', '='].includes(escapee)) throw fail(offset, `invalid escape sequence: ${found}`);
    return escapee;
  });
}

const problem = (text: string, at: number, why: string): FairleadError =>
  new FairleadError('InvalidSpec', `invalid field selector "${text}" at character ${at + 1}: ${why}`);

/** Reads each field with `textOf` and compares as text. */
export function matchesFields(selector: FieldSelector, textOf: (field: string) => string): boolean {
  return selector.every(({ field, operator, value }) => (textOf(field) === value) === (operator === '='));
}

/** The value at a dotted path as a field selector sees it: text, or '' where there is none. */
export function fieldText(object: KubeObject, field: string): string {
  let value: unknown = object;
  for (const part of field.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return '';
    value = (value as Record<string, unknown>)[part];
  }
  return value === null || typeof value === 'object' ? '' : String(value);
}

/** The text form, with values escaped. */
export function printFieldSelector(selector: FieldSelector): string {
  return selector.map(printTerm).join(',');
}

const printTerm = ({ field, operator, value }: FieldRequirement): string =>
  field + operator + value.replace(/[\\,=]/g, '\\$&');
