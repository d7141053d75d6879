// Fails on any forbidden import, and fails if it did not see every source file:
// a boundary check that checked nothing must never be green.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';
import config from '../.dependency-cruiser.js';
import { packages, rooms, uiPackages, uiRooms } from './rooms.js';

const roots = ['src', 'ui/src'].filter((root) => existsSync(root));
const { output } = await cruise(roots, { ruleSet: config, ...config.options, validate: true });
const seen = new Set(output.modules.map((module) => module.source));
const missed = roots
  .flatMap((root) => readdirSync(root, { recursive: true }).map((file) => `${root}/${file}`))
  .filter((file) => /\.tsx?$/.test(file) && !seen.has(file));

const production = output.modules.filter(({ source }) => !/\.test\.tsx?$/.test(source));

/** Each room with what its files import: other rooms, and packages by their names. */
function usedEdges(names, root) {
  const longestFirst = names.toSorted((a, b) => b.length - a.length);
  const roomOf = (file) => longestFirst.find((room) => file.startsWith(`${root}/${room}/`));
  const used = new Set();
  for (const { source, dependencies } of production)
    for (const { resolved, module } of dependencies)
      used.add(`${roomOf(source)} ${roomOf(resolved) ?? module}`);
  return used;
}

const permittedInVain = (table, used, what) =>
  Object.entries(table).flatMap(([room, may]) =>
    may
      .filter(
        (other) =>
          ![...used].some((edge) => edge === `${room} ${other}` || edge.startsWith(`${room} ${other}/`)),
      )
      .map((other) => `${what}: ${room} may import ${other} and does not`),
  );

/** What tools/rooms.js lists and the code does not have: rooms that do not exist, imports that are permitted and used nowhere. */
function listedInVain() {
  const used = usedEdges([...Object.keys(rooms), 'main'], 'src');
  const missing = Object.keys(rooms).filter((room) => !existsSync(`src/${room}/index.ts`));
  const built = Object.fromEntries(Object.entries(rooms).filter(([room]) => !missing.includes(room)));
  return [
    ...missing.map((room) => `no-such-room: src/${room}/index.ts does not exist`),
    ...permittedInVain(built, used, 'unused-edge'),
    ...permittedInVain(packages, used, 'unused-package'),
    ...(existsSync('ui/src') ? uiListedInVain() : []),
  ];
}

function uiListedInVain() {
  const inAny = new Set(
    production
      .filter(({ source }) => source.startsWith('ui/'))
      .flatMap(({ dependencies }) => dependencies.map(({ module }) => `ui ${module}`)),
  );
  const styles = readdirSync('ui/src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.css'),
  );
  for (const file of styles)
    for (const [, name] of readFileSync(`ui/src/${file}`, 'utf8').matchAll(/@import "([^."][^"]*)"/g))
      inAny.add(`ui ${name}`);
  return [
    ...permittedInVain(uiRooms, usedEdges(Object.keys(uiRooms), 'ui/src'), 'unused-edge'),
    ...permittedInVain({ ui: uiPackages }, inAny, 'unused-package'),
  ];
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
