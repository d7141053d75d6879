import { expect, test } from 'vitest';
import { foldingOf, withFold, withSpread } from './folding.ts';

const query = (text: string) => new URLSearchParams(text);
const [api, web] = ['apps/Deployment/shop/api', '/Service/shop/web'];

test.each([
  ['', [false, false]],
  [`fold=${api}`, [true, false]],
  ['fold=all', [true, true]],
  [`fold=all,${api}`, [false, true]],
])('with "%s" the branches are closed: %j', (text, closed) => {
  const folding = foldingOf(query(text));
  expect([api, web].map((key) => folding.closed.has(key))).toEqual(closed);
});

test('a branch is opened and closed again, among others and after all were closed', () => {
  expect(withFold(query(''), api)).toBe(api);
  expect(withFold(query(`fold=${api},${web}`), api)).toBe(web);
  expect(withFold(query('fold=all'), api)).toBe(`all,${api}`);
  expect(withFold(query(`fold=all,${api}`), api)).toBe('all');
});

test('a crowd that was spread out stays so in the address', () => {
  const spread = withSpread(query('spread=*Pod'), `${api}*Pod`);
  expect(foldingOf(query(`spread=${spread}`)).open).toEqual(new Set(['*Pod', `${api}*Pod`]));
});
