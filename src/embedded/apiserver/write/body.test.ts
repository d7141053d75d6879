import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from '#lang/yaml';
import { readYaml } from './body.ts';

const object = fc.dictionary(fc.string(), fc.jsonValue());

test('compact JSON, which is read as what it is, means what it would mean as YAML', () => {
  const meaning = (text: string) => {
    try {
      return parse(text, { duplicateKeys: 'reject' });
    } catch {
      return undefined; // YAML does not have every character of JSON
    }
  };
  fc.assert(
    fc.property(object, (value) => {
      const text = JSON.stringify(value);
      const expected = meaning(text);
      if (expected !== undefined) expect(readYaml(text).value).toEqual(expected);
    }),
  );
});

test('a key that is given twice is found in compact JSON too', () => {
  expect(readYaml('{"a":1,"a":2}')).toEqual({
    value: { a: 2 },
    doubled: ['line 1: key "a" already set in map'],
  });
});

test('what is nested too deep for YAML is so in JSON', () => {
  const deep = `{"a":${'['.repeat(600)}${']'.repeat(600)}}`;
  expect(() => readYaml(deep)).toThrow('nested deeper than');
});
