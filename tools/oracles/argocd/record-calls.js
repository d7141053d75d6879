// node tools/oracles/argocd/record-calls.js: records the calls of Argo CD's public API, as the OpenAPI document inside its Go module
// lists them, for docs/not-there-yet.md. With --check it compares and writes nothing.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const file = 'tools/oracles/argocd/calls.json';
const module = 'github.com/argoproj/argo-cd/v3';
const list = ['list', '-mod=mod', '-m', '-f', '{{.Version}} {{.Dir}}', module];
const [version, dir] = execFileSync('go', list, { cwd: 'tools/oracles/argocd', encoding: 'utf8' })
  .trim()
  .split(' ');
const { paths } = JSON.parse(readFileSync(join(dir, 'assets/swagger.json'), 'utf8'));
/** The names of parameters differ, and what they stand for does not. */
const calls = Object.entries(paths).flatMap(([path, operations]) =>
  Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{[^}]+\}/g, '{}')}`),
);
const text = `${JSON.stringify({ version, calls: [...new Set(calls)].sort() }, null, 2)}\n`;
const recorded = process.argv.includes('--check') ? readFileSync(file, 'utf8') : undefined;
if (recorded === undefined) writeFileSync(file, text);
console.log(`${calls.length} calls of Argo CD ${version} in ${file}`);
if (recorded !== undefined && recorded !== text) {
  console.error(`${file} differs: run node tools/oracles/argocd/record-calls.js and read the difference`);
  process.exitCode = 1;
}
