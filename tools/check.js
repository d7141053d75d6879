// Everything CI asks of a change before its tests: each check is one process, two at a time.
// A check that fails prints its own output and one line saying what to do.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

const node = process.execPath;
const bin = (name) => [node, `node_modules/.bin/${name}`];
const tsc = (project) => [...bin('tsc'), '-p', project, '--noEmit'];

const checks = [
  ['types', tsc('tsconfig.json'), 'fix the types; strictness is never loosened'],
  [
    'format and lint',
    [...bin('biome'), 'ci', '--error-on-warnings'],
    'npx biome check --write fixes most; split what is too long',
  ],
  ['pure rooms', tsc('tsconfig.pure.json'), 'a pure room has no fetch, process or console: pass the fact in'],
  ['rooms', [node, 'tools/check-rooms.js'], 'the table is tools/rooms.js, its reasons docs/architecture.md'],
  ['words', [node, 'tools/check-words.js'], 'docs/glossary.md says which words to use'],
  ['paths in documents', [node, 'tools/check-paths.js'], 'name a file and an identifier that exist'],
  ['settings', [node, 'tools/check-settings.js'], 'a setting that is said to be used is read somewhere'],
  [
    'commit subjects',
    [node, 'tools/check-commits.js'],
    'git commit --amend, or git rebase -i for an older one',
  ],
  ['engine bundle', [node, 'tools/check-engine-bundle.js'], 'fairlead/engine must run in a browser'],
  ...(existsSync('ui/tsconfig.json')
    ? [['ui types', tsc('ui/tsconfig.json'), 'fix the types of the web UI']]
    : []),
  ['dead code', [...bin('knip'), '--no-progress'], 'delete what nobody uses'],
  ['documents', [node, 'tools/docs.js', '--check'], 'npm run docs'],
  ['unit tests', [...bin('vitest'), 'run', '--project', 'unit'], 'npx vitest --project unit'],
];

function run([name, [program, ...args], advice]) {
  const started = Date.now();
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('close', (code) => {
      const seconds = ((Date.now() - started) / 1000).toFixed(1);
      if (code !== 0) console.error(`${output.trimEnd()}\n`);
      console.log(code === 0 ? `ok    ${name} (${seconds} s)` : `FAIL  ${name} (${seconds} s): ${advice}`);
      resolve(code === 0);
    });
  });
}

const waiting = [...checks];
const results = [];
async function lane() {
  for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await run(next));
}
await Promise.all([lane(), lane()]);
process.exit(results.every(Boolean) ? 0 : 1);
