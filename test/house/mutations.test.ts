import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  attackClasses,
  attackTests,
  byTest,
  type Mutation,
  mutate,
  readMutations,
  root,
} from '../mutations/list.ts';
import { startProgram } from '../mutations/program.ts';
import { NoticedMutations } from '../mutations/results.ts';

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

const harmless: Mutation = {
  attack: 1,
  defence: 'none',
  file: 'src/base/std/single-flight.ts',
  replace: 'export',
  with: 'export',
  test: 'src/base/std/single-flight.test.ts',
  fails: '',
};

test('every mutation belongs to the group of its test, once', () => {
  const groups = byTest(mutations);
  expect(groups.flat()).toHaveLength(mutations.length);
  expect(new Set(groups.map(([one]) => one?.test)).size).toBe(groups.length);
});

test('a run that is killed at its limit is late, and did not fail', async () => {
  const forever = ['-e', 'setInterval(() => {}, 1_000)'];
  const { ended } = startProgram(forever, { cwd: root, limitMs: 200 });
  expect(await ended).toMatchObject({ code: null, isLate: true });
  const failing = startProgram(['-e', 'process.exit(3)'], { cwd: root, limitMs: 60_000 });
  expect(await failing.ended).toMatchObject({ code: 3, isLate: false });
});

test('a mutation that was noticed is skipped until its entry changes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-noticed-'));
  try {
    const file = join(folder, 'noticed.json');
    expect(new NoticedMutations(file).has(harmless)).toBe(false);
    new NoticedMutations(file).add(harmless);
    expect(new NoticedMutations(file).has(harmless)).toBe(true);
    expect(new NoticedMutations(file).has({ ...harmless, with: 'import' })).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
