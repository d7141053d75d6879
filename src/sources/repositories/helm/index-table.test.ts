import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, print } from '#lang/yaml';
import { IndexTableReader } from './index-table.ts';

function sliced(text: string, size = 10_000): Record<string, string> | undefined {
  const bytes = Buffer.from(text);
  const reader = new IndexTableReader();
  for (let at = 0; at < bytes.length; at += size) reader.add(bytes.subarray(at, at + size));
  const table = reader.table();
  if (!table) return undefined;
  return Object.fromEntries(
    [...table].map(([name, { from, to }]) => [name, bytes.subarray(from, to).toString()]),
  );
}

describe('where charts stand in an index', () => {
  test('is where a YAML reader finds them, whatever their entries say', async () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/);
    const words = fc.oneof(
      fc.string(),
      fc.lorem(),
      fc.constant('a: |\n  b\n\n- c\nd:\n'),
      fc.constant('# x\n  y:'),
    );
    const entry = fc.record({ version: fc.constant('1.0.0'), description: words, keywords: fc.array(words) });
    const entries = fc.dictionary(name, fc.array(entry, { minLength: 1, maxLength: 3 }), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(entries, fc.integer({ min: 1, max: 500 }), (charts, size) => {
        const text = print({ apiVersion: 'v1', entries: charts, generated: 'x' });
        const found = sliced(text, size);
        if (Object.keys(charts).length === 0) return;
        expect(Object.keys(found ?? {}).sort()).toEqual(Object.keys(charts).sort());
        for (const [chart, part] of Object.entries(found ?? {})) {
          expect(parse(part)).toEqual({ [chart]: charts[chart] });
        }
      }),
      { numRuns: 100 },
    );
  });

  test('is found with comments, blank lines, quotes and the ends of other systems', () => {
    const text =
      '# c\r\n---\r\nentries:\r\n\r\n  # d\r\n  "a":\r\n  - version: 1\r\n  \'b\':\r\n    - version: 2\r\nx: 1\r\n';
    expect(sliced(text)).toEqual({
      a: '  "a":\r\n  - version: 1\r\n',
      b: "  'b':\r\n    - version: 2\r\n",
    });
  });

  test.each([
    '{"entries": {}}',
    'entries: {a: []}\n',
    'entries:\n  a: []\n',
    'entries:\n  ? a\n  : []\n',
    'entries:\n  a:\n  - b\n c:\n',
    'entries:\n  a:\n  - b\n  a:\n  - c\n',
    'entries:\n\ta:\n',
    'other: 1\n',
    '',
  ])('%j is not guessed at', (text) => {
    expect(sliced(text)).toBeUndefined();
  });
});
