import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packages, rooms } from '../../tools/rooms.js';

// Each rule of the house is broken on purpose in a small copy of it: a check that cannot fail checks nothing.
const root = join(import.meta.dirname, '../..');
const configs = [
  'package.json',
  'biome.json',
  'tsconfig.json',
  'tsconfig.pure.json',
  '.dependency-cruiser.js',
  '.gitignore',
  'knip.json',
  'tools',
];

let house: string;

beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'fairlead-house-'));
  for (const file of configs) cpSync(join(root, file), join(house, file), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(house, 'node_modules'));
  spawnSync('git', ['init', '-q'], { cwd: house });
  // every room with every import that it may have: what is permitted and unused is a finding as well
  for (const [room, may] of Object.entries(rooms)) {
    const imports = may.map((other) => `import { ${door(other)} } from '#${other}';\n`).toSorted();
    plant(
      `src/${room}/index.ts`,
      `${imports.join('')}\nexport const ${door(room)} = [${may.map(door).join(', ')}];\n`,
    );
  }
  plant('src/main/index.ts', "export const main = 'main';\n");
  // no TypeScript: the types of the packages would bring those of Node into the pure rooms
  for (const [room, names] of Object.entries(packages))
    plant(`src/${room}/wraps.js`, names.map((name) => `import '${modules[name] ?? name}';\n`).join(''));
  run('node_modules/.bin/biome', 'check', '--write', 'src');
  plant('src/engine/sync/step.ts', 'export const step = 1;\n');
});

/** What is imported of a package that has no entry of its own. */
const modules: Readonly<Record<string, string>> = {
  'lua-wasm-bindings': 'lua-wasm-bindings/dist/glue/glue-lua-5.2.4.js',
};
const door = (room: string): string => room.replaceAll(/[/-]/g, '_');

afterAll(() => rmSync(house, { recursive: true, force: true }));

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(house, path)), { recursive: true });
  writeFileSync(join(house, path), text);
}

function run(...args: string[]): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: house, encoding: 'utf8' });
  return { code: status, output: stdout + stderr };
}

const walls = () => run('tools/check-rooms.js');
const lint = () => run('node_modules/.bin/biome', 'ci', '--error-on-warnings', '--max-diagnostics=200');
const pure = () => run('node_modules/.bin/tsc', '-p', 'tsconfig.pure.json', '--noEmit');

test('the small house is clean before anything is planted', () => {
  expect(walls()).toMatchObject({ code: 0, output: expect.stringContaining('no forbidden import') });
  expect(lint()).toMatchObject({ code: 0 });
  expect(pure()).toMatchObject({ code: 0 });
});

test('every broken wall is reported by its rule, with what to do', () => {
  plant(
    'src/engine/upward.ts',
    "import { kubernetes_client } from '#kubernetes/client';\nexport const a = kubernetes_client;\n",
  );
  plant(
    'src/serve/server/sideways.ts',
    "import { control_controllers } from '#control/controllers';\nexport const a = control_controllers;\n",
  );
  plant(
    'src/control/controllers/deep.ts',
    "import { step } from '../../engine/sync/step.ts';\nexport const a = step;\n",
  );
  plant('src/engine/self.ts', "import { engine } from './index.ts';\nexport const a = engine;\n");
  plant('src/base/model/one.ts', "import { two } from './two.ts';\nexport const one = (): unknown => two;\n");
  plant('src/base/model/two.ts', "import { one } from './one.ts';\nexport const two = (): unknown => one;\n");
  plant('src/engine/disk.ts', "import { readFileSync } from 'node:fs';\nexport const a = readFileSync;\n");
  plant('src/serve/server/stray.ts', "import { open } from 'lmdb';\nexport const a = open;\n");
  plant('src/serve/server/unlisted.ts', "import fc from 'fast-check';\nexport const a = fc;\n");
  plant('src/serve/server/typo.ts', "import { a } from 'no-such-thing';\nexport const b = a;\n");
  plant('src/base/model/utils.ts', 'export const a = 1;\n');
  plant('src/base/model/user.ts', "import { a } from './utils.ts';\nexport const b = a;\n");
  plant('src/kubernetes/client/boss.ts', "import { main } from '#main';\nexport const a = main;\n");
  plant(
    'src/control/live/inner.ts',
    "import { embedded_cel } from '#embedded/cel';\nexport const a = embedded_cel;\n",
  );
  plant('src/main/eager.ts', "import { embedded } from '#embedded';\nexport const a = embedded;\n");
  plant('src/main/late.ts', "export const a = () => import('#embedded');\n");
  plant('src/homeless/file.ts', "import { base_std } from '#base/std';\nexport const a = base_std;\n");
  plant(
    'ui/src/pages/page.tsx',
    "import { kubernetes_client } from '#kubernetes/client';\nexport const a = kubernetes_client;\n",
  );
  plant('ui/src/kit/button.tsx', "import { a } from '../pages/page.tsx';\nexport const b = a;\n");

  const { code, output } = walls();
  expect(code).toBe(1);
  for (const rule of [
    'room-engine: src/engine/upward.ts',
    'room-serve/server: src/serve/server/sideways.ts',
    'front-door: src/control/controllers/deep.ts',
    'own-door: src/engine/self.ts',
    'no-cycles: src/base/model/',
    'pure-rooms-do-no-io: src/engine/disk.ts',
    'package-lmdb: src/serve/server/stray.ts',
    'no-unlisted-packages: src/serve/server/unlisted.ts',
    'no-unresolved: src/serve/server/typo.ts',
    'no-magnets: src/base/model/user.ts',
    'nobody-imports-main: src/kubernetes/client/boss.ts',
    'embedded-has-one-door: src/control/live/inner.ts',
    'embedded-is-loaded-when-started: src/main/eager.ts',
    'no-homeless-files: src/homeless/file.ts',
    'ui-sees-only-pure-rooms: ui/src/pages/page.tsx',
    'ui-kit: ui/src/kit/button.tsx',
  ]) {
    expect(output).toContain(rule);
  }
  expect(output).toContain("another room is entered through its door: import '#room'");
  expect(output).not.toContain('src/main/late.ts');
  expect(output).toContain('lmdb is wrapped by platform/store: import #platform/store instead');
});

test('an import that the table permits and no file uses is reported, and so is a room that does not exist', () => {
  plant('src/lang/jq/index.ts', 'export const lang_jq = 1;\n');
  rmSync(join(house, 'src/lang/lua/wraps.js'));
  plant('ui/src/parts/chart.tsx', 'export const chart = 1;\n');
  rmSync(join(house, 'src/embedded/cel'), { recursive: true });
  const { code, output } = walls();
  expect(code).toBe(1);
  expect(output).toContain('unused-edge: lang/jq may import lang/regex and does not');
  expect(output).toContain('unused-package: lang/lua may import lua-wasm-bindings and does not');
  expect(output).toContain('unused-edge: parts may import shape and does not');
  expect(output).toContain('unused-package: ui may import react-dom and does not');
  expect(output).toContain('no-such-room: src/embedded/cel/index.ts does not exist');
});

test('a file too long, a function too wide and a forgotten promise do not pass the linter', () => {
  plant(
    'src/base/std/long.ts',
    `${Array.from({ length: 401 }, (_, i) => `export const v${i} = ${i};`).join('\n')}\n`,
  );
  plant(
    'src/base/std/wide.ts',
    'export const f = (a: 1, b: 1, c: 1, d: 1, e: 1): number => a + b + c + d + e;\n',
  );
  plant(
    'src/base/std/floating.ts',
    'async function work(): Promise<void> {}\nexport function start(): void {\n  work();\n}\n',
  );
  plant(
    'src/base/std/slow.test.ts',
    "import { expect } from 'vitest';\n\nconst begun = performance.now();\nexpect(performance.now() - begun).toBeLessThan(9);\n",
  );
  plant('src/base/std/nap.ts', 'export const nap = (f: () => void): unknown => setTimeout(f, 1);\n');
  const { code, output } = lint();
  expect(code).not.toBe(0);
  for (const rule of [
    'noExcessiveLinesPerFile',
    'useMaxParams',
    'noFloatingPromises',
    'noRestrictedGlobals',
    'use cpuNow of test/cpu-time.ts',
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

test('words of the old dialect, files named after a metaphor and types declared twice are reported', () => {
  plant('src/platform/exec/dialect.ts', '/** Nobody is told. */\nexport const a = 1;\n');
  plant('src/platform/http/text.ts', "export const a = 'the cluster was asked twice';\n");
  plant('src/platform/store/shelf.ts', 'export type Twice = 1;\n');
  plant('src/platform/workers/twice.ts', 'export type Twice = 2;\nexport const whoWasTold = 1;\n');
  plant('src/base/model/pair.ts', 'export type Pair = 1;\n');
  plant('ui/src/shape/pair.ts', 'export type Pair = 2;\n');
  const { code, output } = run('tools/check-words.js');
  expect(code).toBe(1);
  expect(output).toContain('src/platform/exec/dialect.ts:1: comments: "Nobody"');
  expect(output).toContain('src/platform/exec/dialect.ts:1: comments: "told": say report, notify, record');
  expect(output).toContain('src/platform/http/text.ts:1: texts: "asked": say request, query, list, fetch');
  expect(output).toContain('src/platform/store/shelf.ts: name a file after the thing or the action in it');
  expect(output).toContain(
    'src/platform/workers/twice.ts:2: the name whoWasTold: use a word of docs/glossary.md',
  );
  expect(output).toContain(
    'Twice is declared in src/platform/store/shelf.ts and src/platform/workers/twice.ts',
  );
  expect(output).toContain('Pair is declared in src/base/model/pair.ts and ui/src/shape/pair.ts');
});

test('a word of the old dialect is reported in a document, in a description that kubectl shows, and as a text of its own', () => {
  plant('docs/guide/operating.md', 'It is said.\nWhat is missing is told at the start.\n');
  plant('tools/definitions/planted.yaml', 'description: Who asked for it.\n');
  plant('docs/decisions/0001-old.md', 'Nobody decides.\n');
  plant('docs/contract/old.md', 'Nobody is told.\n');
  plant('src/platform/exec/actor.ts', "export const by = (user?: string): string => user ?? 'somebody';\n");
  const { code, output } = run('tools/check-words.js');
  expect(code).toBe(1);
  expect(output).toContain('docs/guide/operating.md:2: prose: "told": say report, notify, record');
  expect(output).toContain('tools/definitions/planted.yaml:1: prose: "asked"');
  expect(output).toContain('src/platform/exec/actor.ts:1: texts: "somebody"');
  expect(output).toContain('docs/decisions/0001-old.md:1: prose: "Nobody"');
  expect(output).not.toContain('docs/contract');
});

test('a variable, a parameter or a property of an own type in a word of the old dialect is reported, a foreign key is not', () => {
  plant(
    'src/platform/exec/names.ts',
    'type Place = { readonly patienceMs: number };\nexport const f = (world: Place): object => ({ ask: world.patienceMs });\n',
  );
  const { code, output } = run('tools/check-words.js');
  expect(code).toBe(1);
  plant(
    'src/platform/http/placed.ts',
    'type AppDestination = { readonly isAway: boolean };\nexport const f = (place: AppDestination): AppDestination => place;\n',
  );
  const again = run('tools/check-words.js').output;
  expect(again).toContain('src/platform/http/placed.ts:1: the name isAway');
  expect(again).toContain('src/platform/http/placed.ts:2: the name place:');
  for (const found of ['1: the name Place', '1: the name patienceMs', '2: the name world'])
    expect(output).toContain(`src/platform/exec/names.ts:${found}: use a word of docs/glossary.md`);
  expect(output).not.toContain('the name ask');
});

test('a rule that is cited without its document, or with another one, is reported', () => {
  plant('docs/contract/engine.md', '- R-5 the rule\n- R-6 another\n');
  plant('docs/contract/sources.md', '- DEV-1 a deviation\n');
  plant('src/platform/exec/bare.ts', '/** compat R-5: cited bare. */\nexport const bare = 1;\n');
  plant(
    'src/platform/exec/other.ts',
    '// dev engine DEV-1\nexport const other = 1; // compat 5.2: so it is\n',
  );
  plant(
    'src/platform/exec/whole.ts',
    '/** compat engine R-5, R-6, dev sources DEV-1. */\nexport const whole = 1;\n',
  );
  const { code, output } = run('tools/check-words.js');
  expect(code).toBe(1);
  expect(output).toContain('src/platform/exec/bare.ts:1: citation: "R-5": say engine R-5');
  expect(output).toContain('src/platform/exec/other.ts:1: citation: "DEV-1": say sources DEV-1');
  expect(output).toContain('src/platform/exec/other.ts:2: citation: "compat 5.2": say the document');
  expect(output).not.toContain('whole.ts');
});

test('a setting that is said to be used and is not read by its path is reported', () => {
  plant(
    'src/base/model/settings.ts',
    'export type Settings = { readonly one: { readonly enabled: boolean }; readonly two: { readonly enabled: boolean; readonly name: string } };\n',
  );
  const row = (field: string) =>
    `{ configMap: 'argocd-cm', key: '${field}', fields: ['${field}'], support: 'used' }`;
  const rows = ['one.enabled', 'two.enabled', 'two.name'].map(row);
  plant('src/base/model/settings-table.ts', `export const settingsTable = [${rows.join(', ')}];\n`);
  plant(
    'src/platform/exec/reads.ts',
    `import type { Settings } from '../../base/model/settings.ts';
export const isOn = ({ enabled }: Settings['one']): boolean => enabled;
export const name = 'an enabled name';
export const written = (): Settings['two'] => ({ enabled: true, name });
`,
  );
  const { code, output } = run('tools/check-settings.js');
  expect(code).toBe(1);
  expect(output).toContain('two.enabled is said to be used, and no room reads it');
  expect(output).toContain('two.name is said to be used, and no room reads it');
  expect(output).not.toContain('one.enabled');
});

test('a document that names a file or an identifier which does not exist is reported by its line', () => {
  for (const folder of ['ui/src', 'test', 'bench', 'examples', 'deploy']) plant(`${folder}/README.md`, '');
  for (const file of ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md']) plant(file, '');
  plant(
    'docs/architecture.md',
    'Start with `src/engine/index.ts`.\nThen `src/engine/gone.ts`, [more](absent.md).\nIt calls `step` and `stepThatIsGone()`.\n',
  );
  plant('docs/decisions/0002-old.md', '`engine/moved-away.ts` does it.\n');
  const { code, output } = run('tools/check-paths.js');
  expect(code).toBe(1);
  expect(output).toContain('docs/architecture.md:2 names src/engine/gone.ts, which does not exist');
  expect(output).toContain('docs/architecture.md:2 names docs/absent.md, which does not exist');
  expect(output).not.toContain('src/engine/index.ts');
  expect(output).toContain('docs/decisions/0002-old.md:1 names engine/moved-away.ts, which does not exist');
  expect(output).toContain('docs/architecture.md:3 names stepThatIsGone, which no source has');
  expect(output).not.toContain('names step,');
});

test('an export of a door that no room imports is reported as dead', () => {
  plant('src/lang/cron/index.ts', 'export const lang_cron = 1;\nexport const forgotten = 2;\n');
  plant('src/main/fairlead.ts', "import { lang_cron } from '#lang/cron';\n\nvoid lang_cron;\n");
  const { code, output } = run('node_modules/.bin/knip', '--no-progress', '--include', 'exports');
  expect(code).toBe(1);
  expect(output).toMatch(/forgotten +src\/lang\/cron\/index\.ts/);
  expect(output).not.toMatch(/lang_cron +src\/lang\/cron/);
});

test.each([
  ['fix(webhook): persist a push before answering', 0],
  ['Fix stuff.', 1],
  ['feat(engine): Treat a stale condition as progressing', 1],
  [`fix(engine): ${'a'.repeat(60)}`, 1],
])('the commit subject %j ends the hook with %i', (subject, wanted) => {
  plant('message', `${subject}\n\nwhy\n`);
  expect(run('tools/check-commits.js', '--message', 'message').code).toBe(wanted);
});
