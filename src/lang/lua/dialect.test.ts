import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseAll } from '#lang/yaml';
import { loadLua } from './lua.ts';

type Row = { script: string; result?: unknown; fails?: true; ours?: unknown; why?: string };

const file = new URL('./testdata/dialect.yaml', import.meta.url);
const rows = parseAll(readFileSync(file, 'utf8'), { name: 'dialect.yaml' })[0]?.value as Row[];
const lua = await loadLua();

function outcome(script: string): unknown {
  try {
    return lua.run({ script, globals: {}, openLibs: true, now: 1.7e12 }) ?? null;
  } catch {
    return 'fails';
  }
}

// H-28: the dialect, script by script, as the peer's own runtime speaks it
test.each(rows)('$script', ({ script, result, fails, ours }) => {
  expect(outcome(script)).toEqual(ours ?? (fails ? 'fails' : result));
});
