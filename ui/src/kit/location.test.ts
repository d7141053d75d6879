import { expect, test } from 'vitest';
import { withQuery } from './location.ts';

const at = (query: string) => ({ path: '/applications', query: new URLSearchParams(query) });

test('a link changes what it names and keeps the rest', () => {
  expect(withQuery({ view: 'list' }, at('node=a&view=tree'))).toBe('/applications?node=a&view=list');
});

test('what is empty or undefined leaves the address, down to the bare path', () => {
  expect(withQuery({ search: '', node: undefined }, at('search=x&node=y'))).toBe('/applications');
});

test('keys and lists stay readable, and everything else is encoded', () => {
  expect(
    withQuery({ node: 'apps/Deployment/shop/api', health: 'Degraded,Missing', search: 'a&b c' }, at('')),
  ).toBe('/applications?node=apps/Deployment/shop/api&health=Degraded,Missing&search=a%26b+c');
});
