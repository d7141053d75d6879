import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldText, matchesFields, parseFieldSelector, printFieldSelector } from './field-selector.ts';
import { parseSelector } from './parse-selector.ts';
import { everything, looseSelectorOf, matches, nothing, printSelector, selectorOf } from './selector.ts';

type Case = [text: string, printed?: string, sets?: [Record<string, string>, boolean][]];
const cases = (file: string): Case[] =>
  JSON.parse(readFileSync(new URL(`./testdata/${file}`, import.meta.url), 'utf8')).cases;

// Go leaves the order of equal keys open
const terms = (text: string): string[] => text.split(',').toSorted();

describe('agrees with Kubernetes on', () => {
  test('label selectors', () => {
    for (const [text, printed, sets = []] of cases('label-selectors.json')) {
      if (printed === undefined) {
        expect(() => parseSelector(text), text).toThrow(/unable to parse label selector/);
        continue;
      }
      const selector = parseSelector(text);
      expect(terms(printSelector(selector)), text).toEqual(terms(printed));
      for (const [labels, selected] of sets) expect(matches(selector, labels), text).toBe(selected);
    }
  });
  test('field selectors', () => {
    for (const [text, printed, sets = []] of cases('field-selectors.json')) {
      if (printed === undefined) {
        expect(() => parseFieldSelector(text), text).toThrow(/invalid field selector/);
        continue;
      }
      const selector = parseFieldSelector(text);
      expect(printFieldSelector(selector), text).toBe(printed);
      for (const [fields, selected] of sets) {
        expect(
          matchesFields(selector, (field) => fields[field] ?? ''),
          text,
        ).toBe(selected);
      }
    }
  });
});

describe('an error says where', () => {
  test.each([
    ['a in b', "at character 6: found 'b', expected: '('"],
    ['a=b,', "at character 5: found 'end of string', expected: !, identifier, or end of string"],
    ['a=b,,c', "at character 5: found ',', expected: !, identifier"],
    ['a b', "at character 3: found 'b', expected: one of =, ==, !=, in, notin, >, <"],
    ['a in (x', "at character 8: found 'end of string', expected: ',' or ')'"],
    [
      'ok,a>x',
      "at character 4: label selector on \"a\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ['ok, -a', 'at character 5: label selector: key "-a" name part must consist of'],
  ])('in the label selector %j', (text, message) => {
    expect(() => parseSelector(text)).toThrow(message);
  });
  test.each([
    ['metadata.name=x,status', "at character 17: can't understand 'status'"],
    ['a=b,c=d=e', 'at character 8: unescaped character in value: ='],
    ['a=\\x', 'at character 3: invalid escape sequence: \\x'],
  ])('in the field selector %j', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(message);
  });
});

describe('the object form', () => {
  test('joins labels and expressions', () => {
    const selector = selectorOf({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['a', 'b'] },
        { key: 'old', operator: 'DoesNotExist' },
        { key: 'env', operator: 'NotIn', values: ['dev'] },
        { key: 'team', operator: 'Exists' },
      ],
    });
    expect(printSelector(selector)).toBe('app=web,env notin (dev),!old,team,tier in (a,b)');
    expect(matches(selector, { app: 'web', tier: 'a', team: 'x' })).toBe(true);
    expect(matches(selector, { app: 'web', tier: 'a' })).toBe(false);
  });
  test('none selects nothing, an empty one selects everything', () => {
    expect(selectorOf(undefined)).toBe(nothing);
    expect(matches(nothing, { a: 'b' })).toBe(false);
    expect(selectorOf({})).toEqual(everything);
    expect(matches(everything, undefined)).toBe(true);
  });
  test('is checked like the text form', () => {
    const wrong = (operator: string, values: string[]) => () =>
      selectorOf({ matchExpressions: [{ key: 'a', operator: operator as 'In', values }] });
    expect(wrong('Equals', ['x'])).toThrow('"Equals" is not a valid label selector operator');
    expect(wrong('toString', ['x'])).toThrow('is not a valid label selector operator');
    expect(wrong('In', [])).toThrow("values set can't be empty");
    expect(wrong('Exists', ['x'])).toThrow('values set must be empty');
    expect(() => selectorOf({ matchLabels: { 'a b': 'x' } })).toThrow(/key "a b" name part/);
    expect(() => selectorOf({ matchLabels: { a: 'x y' } })).toThrow(/value "x y" a valid label must be/);
  });
  test('may be loose where values are no labels (AS-5)', () => {
    const selector = { matchLabels: { url: 'https://example.com/x' } };
    expect(() => selectorOf(selector)).toThrow(/value/);
    expect(matches(looseSelectorOf(selector), selector.matchLabels)).toBe(true);
    expect(looseSelectorOf(undefined)).toBe(everything);
  });
});

test('a label called like a method of every object is only a label', () => {
  expect(matches(parseSelector('!toString'), {})).toBe(true);
  expect(matches(parseSelector('toString'), {})).toBe(false);
});

test('what is printed is read back as the same selector', () => {
  const key = fc.stringMatching(/^[a-z]([a-z.]{0,5}[a-z])?$/);
  const value = fc.stringMatching(/^([a-z0-9]{1,4})?$/);
  const requirement = fc.oneof(
    fc.record({
      key,
      operator: fc.constantFrom('=' as const, '!=' as const, '==' as const),
      values: fc.tuple(value),
    }),
    fc.record({
      key,
      operator: fc.constantFrom('in' as const, 'notin' as const),
      values: fc.uniqueArray(value, { minLength: 1 }).map((values) => values.toSorted()),
    }),
    fc.record({ key, operator: fc.constantFrom('exists' as const, '!' as const), values: fc.constant([]) }),
  );
  fc.assert(
    fc.property(fc.uniqueArray(requirement, { selector: (r) => r.key }), (requirements) => {
      const sorted = requirements.toSorted((a, b) => (a.key < b.key ? -1 : 1));
      expect(parseSelector(printSelector(sorted))).toEqual(sorted);
    }),
  );
});

test('a field is read as text, and a missing one is empty', () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'x' },
    spec: { hostNetwork: true, nodeName: null },
  };
  const read = (field: string) => fieldText(pod, field);
  expect(
    ['metadata.name', 'spec.hostNetwork', 'spec.nodeName', 'status.phase', 'metadata'].map(read),
  ).toEqual(['x', 'true', '', '', '']);
  expect(matchesFields(parseFieldSelector('metadata.name=x,status.phase!=Running'), read)).toBe(true);
});
