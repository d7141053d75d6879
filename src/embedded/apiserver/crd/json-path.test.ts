import { expect, test } from 'vitest';
import { compileJsonPath } from './json-path.ts';

const object = {
  spec: { size: 3, list: [{ n: 1 }, { n: 2 }], map: { a: 1, b: 2 } },
  metadata: { annotations: { 'example.com/key': 'v', 'a.b': 'dotted' } },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Other', status: 'False' },
    ],
  },
};

test.each([
  ['.spec.size', [3]],
  ['spec.size', [3]],
  ['{.spec.size}', [3]],
  ['.spec.list[0].n', [1]],
  ['.spec.list[-1].n', [2]],
  ['.spec.list[*].n', [1, 2]],
  ['.spec.map.*', [1, 2]],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  [".status.conditions[?(@.type=='Other')].status", ['False']],
  ['.status.conditions[?(@.type!="Ready")].type', ['Other']],
  [".metadata.annotations['example.com/key']", ['v']],
  ['.metadata.annotations.a\\.b', ['dotted']],
  ['.spec.nothing.below', []],
  ['.constructor', []],
])('%s finds %j', (path, found) => expect(compileJsonPath(path)?.(object)).toEqual(found));

test('what it cannot read it does not pretend to', () => {
  expect(compileJsonPath('.spec[(@.length-1)]')).toBeUndefined();
});
