import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

// Each rule of the house is broken on purpose in a small copy of it: a check that cannot fail checks nothing.
const root = join(import.meta.dirname, '../..');
const configs = [
  'package.json',
  'biome.json',
  'tsconfig.json',
  'tsconfig.pure.json',
  '.dependency-cruiser.js',
  '.gitignore',
  'tools',
];

let house: string;

beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'fairlead-house-'));
  for (const file of configs) cpSync(join(root, file), join(house, file), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(house, 'node_modules'));
  spawnSync('git', ['init', '-q'], { cwd: house });
  for (const room of ['std', 'model', 'engine', 'kube', 'server', 'controllers', 'main', 'store']) {
    plant(`src/${room}/index.ts`, `export const ${room} = '${room}';\n`);
  }
  plant('src/engine/sync/step.ts', 'export const step = 1;\n');
});

afterAll(() => rmSync(house, { recursive: true, force: true }));

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(house, path)), { recursive: true });
  writeFileSync(join(house, path), text);
}

function run(...args: string[]): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: house, encoding: 'utf8' });
  return { code: status, output: stdout + stderr };
}

const rooms = () => run('tools/check-rooms.js');
const lint = () => run('node_modules/.bin/biome', 'ci', '--error-on-warnings', '--max-diagnostics=200');
const pure = () => run('node_modules/.bin/tsc', '-p', 'tsconfig.pure.json', '--noEmit');

test('the small house is clean before anything is planted', () => {
  expect(rooms()).toMatchObject({ code: 0, output: expect.stringContaining('no forbidden import') });
  expect(lint()).toMatchObject({ code: 0 });
  expect(pure()).toMatchObject({ code: 0 });
});

test('every broken wall is reported by its rule, with what to do', () => {
  plant('src/engine/upward.ts', "import { kube } from '#kube';\nexport const a = kube;\n");
  plant(
    'src/server/sideways.ts',
    "import { controllers } from '#controllers';\nexport const a = controllers;\n",
  );
  plant(
    'src/controllers/deep.ts',
    "import { step } from '../engine/sync/step.ts';\nexport const a = step;\n",
  );
  plant('src/engine/self.ts', "import { engine } from './index.ts';\nexport const a = engine;\n");
  plant('src/model/one.ts', "import { two } from './two.ts';\nexport const one = (): unknown => two;\n");
  plant('src/model/two.ts', "import { one } from './one.ts';\nexport const two = (): unknown => one;\n");
  plant('src/engine/disk.ts', "import { readFileSync } from 'node:fs';\nexport const a = readFileSync;\n");
  plant('src/server/stray.ts', "import { open } from 'lmdb';\nexport const a = open;\n");
  plant('src/server/unlisted.ts', "import fc from 'fast-check';\nexport const a = fc;\n");
  plant('src/server/typo.ts', "import { a } from 'no-such-thing';\nexport const b = a;\n");
  plant('src/model/utils.ts', 'export const a = 1;\n');
  plant('src/model/user.ts', "import { a } from './utils.ts';\nexport const b = a;\n");
  plant('src/kube/boss.ts', "import { main } from '#main';\nexport const a = main;\n");
  plant('src/homeless/file.ts', "import { std } from '#std';\nexport const a = std;\n");
  plant('ui/src/pages/page.tsx', "import { kube } from '#kube';\nexport const a = kube;\n");
  plant('ui/src/kit/button.tsx', "import { a } from '../pages/page.tsx';\nexport const b = a;\n");

  const { code, output } = rooms();
  expect(code).toBe(1);
  for (const rule of [
    'room-engine: src/engine/upward.ts',
    'room-server: src/server/sideways.ts',
    'front-door: src/controllers/deep.ts',
    'own-door: src/engine/self.ts',
    'no-cycles: src/model/',
    'pure-rooms-do-no-io: src/engine/disk.ts',
    'package-lmdb: src/server/stray.ts',
    'no-unlisted-packages: src/server/unlisted.ts',
    'no-unresolved: src/server/typo.ts',
    'no-magnets: src/model/user.ts',
    'nobody-imports-main: src/kube/boss.ts',
    'no-homeless-files: src/homeless/file.ts',
    'ui-sees-only-pure-rooms: ui/src/pages/page.tsx',
    'ui-kit: ui/src/kit/button.tsx',
  ]) {
    expect(output).toContain(rule);
  }
  expect(output).toContain("another room is entered through its door: import '#room'");
  expect(output).toContain('lmdb is wrapped by store: import #store instead');
});

test('a file too long, a function too wide and a forgotten promise do not pass the linter', () => {
  plant(
    'src/std/long.ts',
    `${Array.from({ length: 401 }, (_, i) => `export const v${i} = ${i};`).join('\n')}\n`,
  );
  plant('src/std/wide.ts', 'export const f = (a: 1, b: 1, c: 1, d: 1, e: 1): number => a + b + c + d + e;\n');
  plant(
    'src/std/floating.ts',
    'async function work(): Promise<void> {}\nexport function start(): void {\n  work();\n}\n',
  );
  plant('src/std/nap.ts', 'export const nap = (f: () => void): unknown => setTimeout(f, 1);\n');
  const { code, output } = lint();
  expect(code).not.toBe(0);
  for (const rule of [
    'noExcessiveLinesPerFile',
    'useMaxParams',
    'noFloatingPromises',
    'noRestrictedGlobals',
  ]) {
    expect(output).toContain(rule);
  }
});

test('in a pure room fetch, process and console do not exist', () => {
  plant('src/engine/impure.ts', "export const a = [fetch('x'), process.pid, console];\n");
  const { code, output } = pure();
  expect(code).not.toBe(0);
  for (const name of ['fetch', 'process', 'console']) expect(output).toContain(`'${name}'`);
});
