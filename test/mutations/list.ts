import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAll } from '#lang/yaml';

export const root = join(import.meta.dirname, '../..');
const folder = 'test/attack';

/** One defence taken out of the source, and the test that must notice. */
export type Mutation = {
  /** Number of the attack class in docs/contract/attacks.md. */
  readonly attack: number;
  /** The sentence that names the removed defence. */
  readonly defence: string;
  readonly file: string;
  /** Text that stands exactly once in the file. */
  readonly replace: string;
  readonly with: string;
  readonly test: string;
  /** Text that the full name of a failing test contains; empty: any test of the file. */
  readonly fails: string;
};

type Entry = Partial<Omit<Mutation, 'attack'>>;

/** Every attack class by number, as the contract counts them. */
export function attackClasses(): readonly number[] {
  const text = readFileSync(join(root, 'docs/contract/attacks.md'), 'utf8');
  return [...text.matchAll(/(?:^|\. )(\d+)\. /gm)].map(([, number]) => Number(number));
}

/** The test files of an attack class. */
export function attackTests(attack: number): readonly string[] {
  const prefix = `${String(attack).padStart(2, '0')}-`;
  return readdirSync(join(root, folder))
    .filter((name) => name.startsWith(prefix) && name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`);
}

/** All mutations of test/attack/*.mutations.yaml. Throws for an entry that lacks a field. */
export function readMutations(): readonly Mutation[] {
  return readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.mutations.yaml'))
    .sort()
    .flatMap(mutationsIn);
}

function mutationsIn(name: string): Mutation[] {
  const text = readFileSync(join(root, folder, name), 'utf8');
  const [document] = parseAll(text, { name });
  const entries = (document?.value ?? []) as Entry[];
  return entries.map((entry, index) => mutationOf(name, entry, index));
}

function mutationOf(name: string, entry: Entry, index: number): Mutation {
  const { defence, file, replace, fails = '' } = entry;
  const ownTest = `${folder}/${name.replace('.mutations.yaml', '.test.ts')}`;
  if (!defence || !file || !replace || entry.with === undefined) {
    throw new Error(`${name}: entry ${index + 1} needs defence, file, replace and with`);
  }
  const attack = Number.parseInt(name, 10);
  return { attack, defence, file, replace, with: entry.with, test: entry.test ?? ownTest, fails };
}

/** Mutations that the same test file notices, so that it runs once as it is; the order is that of the list. */
export function byTest(mutations: readonly Mutation[]): readonly (readonly Mutation[])[] {
  const groups = new Map<string, Mutation[]>();
  for (const one of mutations) groups.set(one.test, [...(groups.get(one.test) ?? []), one]);
  return [...groups.values()];
}

/** The source without the defence. Throws when the text to replace is absent or not unique. */
export function mutate({ file, replace, with: other }: Mutation, source: string): string {
  const found = source.split(replace).length - 1;
  if (found !== 1)
    throw new Error(`${file} holds ${found} times instead of once:\n${replace}\nupdate the mutation`);
  return source.replace(replace, () => other);
}
