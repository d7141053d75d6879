import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attackClasses, attackTests, mutate, readMutations, root } from '../mutations/list.ts';

// `npm run test:mutations` proves the list; these checks keep it complete and current in every run.

const mutations = readMutations();

test('the contract counts 35 attack classes', () => {
  expect(attackClasses()).toEqual(Array.from({ length: 35 }, (_, index) => index + 1));
});

test.each(attackClasses())('attack %i has a test file and a mutation for it', (attack) => {
  const has = attackTests(attack).length > 0 && mutations.some((one) => one.attack === attack);
  expect(has).toBe(true);
});

test.each(mutations)('attack $attack: $defence: the text to replace stands in its file once', (mutation) => {
  const source = readFileSync(join(root, mutation.file), 'utf8');
  expect(mutate(mutation, source)).not.toBe(source);
  expect(existsSync(join(root, mutation.test)), mutation.test).toBe(true);
});
