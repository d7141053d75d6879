import fc from 'fast-check';
import { expect, test } from 'vitest';
import { errorRequeueMs, requeueAfterMs } from '#engine';
import { normalize } from '#lang/go-template';
import { flatten } from './flatten.ts';
import { goValueText } from './go-value-text.ts';

test.each([
  [1_000_000, '1e+06'],
  [8080, '8080'],
  [999_999, '999999'],
  [1_234_567, '1.234567e+06'],
  [123_456.7, '123456.7'],
  [0.0001, '0.0001'],
  [0.00001, '1e-05'],
  [1e21, '1e+21'],
  [2n ** 64n, '1.8446744073709552e+19'],
  [-5, '-5'],
  [null, '<nil>'],
  [true, 'true'],
  [[1, 'a', [null]], '[1 a [<nil>]]'],
  [{ b: 1, a: { c: [] } }, 'map[a:map[c:[]] b:1]'],
])('Go prints %s as %s (sources ASG-8)', (value, text) => {
  expect(goValueText(value)).toBe(text);
});

test.each([
  ['My_App.v1', 'my-app.v1'],
  ['-..a.-', 'a'],
  ['Ärger', 'rger'],
  ['x'.repeat(300), 'x'.repeat(253)],
  ['', ''],
])('%s as the name of an object is %s (sources AST-8)', (text, name) => {
  expect(normalize(text)).toBe(name);
});

test('a key is never more than a key', () => {
  const set = flatten(JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":2}}'));
  expect(Object.entries(set)).toEqual([
    ['__proto__.polluted', '1'],
    ['a.__proto__', '2'],
  ]);
  expect(({} as any).polluted).toBeUndefined();
});

test('a normalized name is one, and normalizing it again changes nothing', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const name = normalize(text);
      expect(name).toMatch(/^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)?$/);
      expect(normalize(name)).toBe(name);
    }),
  );
});

test('a set with an error is evaluated again after three minutes (sources ASQ-1)', () => {
  expect(errorRequeueMs).toBe(3 * minute);
});

const minute = 60_000;
const git = { repoURL: 'https://example.com/r.git' };
test.each([
  [[{ list: {} }, { clusters: {} }], undefined],
  [[{ git }], 3 * minute],
  [[{ git: { ...git, requeueAfterSeconds: 20 } }, { plugin: { configMapRef: { name: 'p' } } }], 20_000],
  [[{ pullRequest: {} }], 30 * minute],
  [[{ scmProvider: {} }, { clusterDecisionResource: { configMapRef: 'c' } }], 3 * minute],
  [
    [{ matrix: { generators: [{ list: {} }, { merge: { generators: [{ pullRequest: {} }] } }] } }],
    30 * minute,
  ],
])('%j are requeued after %s ms (sources 5.3)', (generators, ms) => {
  expect(requeueAfterMs(generators)).toBe(ms);
});
