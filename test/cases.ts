import { readdirSync, readFileSync } from 'node:fs';
import { parseAll } from '#lang/yaml';

export type Case<Expect> = { name: string; input: any[]; expect: Expect };

/** Every *.yaml in a testdata folder is one case: input documents, then a last document with `expect`. */
export function cases<Expect>(folder: URL): Case<Expect>[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => {
      const text = readFileSync(new URL(file, folder), 'utf8');
      const docs = parseAll(text, { name: file }).map(({ value }) => value as any);
      return { name: file.replace('.yaml', ''), input: docs.slice(0, -1), expect: docs.at(-1).expect };
    });
}
