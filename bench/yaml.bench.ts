import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse, print } from '#lang/yaml';
import type { BenchCase } from './harness.ts';

// the library's fastest build on this Node, without our dialects and limits
const plain = createRequire(import.meta.url)('js-yaml') as {
  load(text: string): unknown;
  dump(value: unknown, options: object): string;
};
const definition = readFileSync(new URL('../deploy/crds/application.yaml', import.meta.url), 'utf8');
const manifest = readFileSync(new URL('../examples/demo/hello/service.yaml', import.meta.url), 'utf8');
const value = parse(definition);

export const cases: BenchCase[] = [
  {
    name: 'yaml: parse a definition of 25 KB',
    baseline: 'js-yaml load',
    run: () => void parse(definition),
    against: () => void plain.load(definition),
  },
  {
    name: 'yaml: parse a small manifest',
    baseline: 'js-yaml load',
    run: () => void parse(manifest),
    against: () => void plain.load(manifest),
  },
  {
    name: 'yaml: print a definition of 25 KB',
    baseline: 'js-yaml dump',
    run: () => void print(value),
    against: () => void plain.dump(value, { lineWidth: -1, noRefs: true }),
  },
];
