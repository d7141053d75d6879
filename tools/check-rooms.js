// Fails on any forbidden import, and fails if it did not see every source file:
// a boundary check that checked nothing must never be green.
import { existsSync, readdirSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';
import config from '../.dependency-cruiser.js';
import { rooms } from './rooms.js';

const roots = ['src', 'ui/src'].filter((root) => existsSync(root));
const { output } = await cruise(roots, { ruleSet: config, ...config.options, validate: true });
const seen = new Set(output.modules.map((module) => module.source));
const missed = roots
  .flatMap((root) => readdirSync(root, { recursive: true }).map((file) => `${root}/${file}`))
  .filter((file) => /\.tsx?$/.test(file) && !seen.has(file));

/** What tools/rooms.js lists and the code does not have: rooms that do not exist, imports that are permitted and used nowhere. */
function listedInVain() {
  const names = [...Object.keys(rooms), 'main'].toSorted((a, b) => b.length - a.length);
  const roomOf = (file) => names.find((room) => file.startsWith(`src/${room}/`));
  const used = new Set();
  for (const { source, dependencies } of output.modules) {
    if (/\.test\.tsx?$/.test(source)) continue;
    for (const { resolved } of dependencies) used.add(`${roomOf(source)} ${roomOf(resolved)}`);
  }
  return Object.entries(rooms).flatMap(([room, may]) =>
    existsSync(`src/${room}/index.ts`)
      ? may
          .filter((other) => !used.has(`${room} ${other}`))
          .map((other) => `unused-edge: ${room} may import ${other} and does not`)
      : [`no-such-room: src/${room}/index.ts does not exist`],
  );
}

const vain = listedInVain();
for (const line of vain) console.error(`${line}\n  take it out of tools/rooms.js`);
const advice = new Map(config.forbidden.map((rule) => [rule.name, rule.comment]));
for (const { rule, from, to } of output.summary.violations) {
  console.error(`${rule.name}: ${from} -> ${to}\n  ${advice.get(rule.name)}`);
}
if (missed.length > 0) console.error(`not checked: ${missed.length} files, first ${missed[0]}`);
if (seen.size === 0) console.error('not checked: no file was visited');
const failed = vain.length > 0 || output.summary.error > 0 || missed.length > 0 || seen.size === 0;
if (!failed) console.log(`${seen.size} files, no forbidden import`);
process.exit(failed ? 1 : 0);
