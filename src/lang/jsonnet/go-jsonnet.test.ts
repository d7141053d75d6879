import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from '#lang/yaml';
import { evaluate, parseProgram } from './index.ts';

type Probe = { program: string; result?: string; fails?: boolean };

const folder = new URL('testdata/', import.meta.url);
const tables = readdirSync(folder)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => [file, parse(readFileSync(new URL(file, folder))) as Probe[]] as const);

const run = (program: string) =>
  evaluate(parseProgram('probe.jsonnet', program), { yaml: (text) => parse(text) });

describe('go-jsonnet says the same (JSN-4)', () => {
  test.each(tables)('%s', (_file, probes) => {
    expect(probes.length).toBeGreaterThan(50);
    for (const { program, result, fails } of probes) {
      if (fails) {
        expect(() => run(program), program).toThrow(
          expect.objectContaining({ code: expect.stringMatching(/^(?:RenderFailed|LimitExceeded)$/) }),
        );
      } else expect(run(program), program).toEqual(JSON.parse(result ?? ''));
    }
  });
});
