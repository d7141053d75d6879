import { packages, pure, rooms, uiPackages, uiRooms } from './tools/rooms.js';

const test = '\\.test\\.tsx?$';
const names = [...Object.keys(rooms), 'main'];

/** The files of a room, without those of the rooms inside it. */
const filesOf = (room) => {
  const inside = names
    .filter((name) => name.startsWith(`${room}/`))
    .map((name) => name.slice(room.length + 1));
  return inside.length > 0 ? `${room}/(?!(?:${inside.join('|')})/)` : `${room}/`;
};
const anyOf = (some) => `(?:${some.map(filesOf).join('|')})`;
const doors = `(?:${names.join('|')})`;
// the longest name first: a file of embedded/cel is no file of embedded
const any = `(?:${names.toSorted((a, b) => b.length - a.length).join('|')})`;
const magnets = 'utils?|helpers?|common|misc|shared|types|constants|base|manager|impl';

const error = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

const wall =
  (prefix, root) =>
  ([room, may]) =>
    error(
      `${prefix}-${room}`,
      `${room} may import only ${may.join(', ') || 'nothing'}: take the thing as a parameter, or move it down a floor`,
      { path: `^${root}/${filesOf(room)}`, pathNot: test },
      { path: `^${root}/`, pathNot: `^${root}/${anyOf([room, ...may])}` },
    );

const owner = ([room, names]) =>
  names.map((name) =>
    error(
      `package-${name}`,
      `${name} is wrapped by ${room}: import #${room} instead, or move the package in tools/rooms.js`,
      { path: uiPackages.includes(name) ? '^src/' : '^(?:src|ui)/', pathNot: `^src/${room}/` },
      { path: `(?:^|/)node_modules/${name}(?:/|$)|^${name}(?:/|$)` },
    ),
  );

const known = [...Object.values(packages).flat(), ...uiPackages];

export default {
  forbidden: [
    ...Object.entries(rooms).map(wall('room', 'src')),
    ...Object.entries(uiRooms).map(wall('ui', 'ui/src')),
    ...Object.entries(packages).flatMap(owner),
    error(
      'no-unresolved',
      'the import leads nowhere: a typo, or a package that is not installed',
      {},
      {
        couldNotResolve: true,
      },
    ),
    error(
      'no-cycles',
      'files that need each other are one file, or need a third below both',
      {},
      { circular: true },
    ),
    error(
      'front-door',
      "another room is entered through its door: import '#room'",
      { path: `^src/(${any})/` },
      { path: '^src/', pathNot: `^src/(?:$1/|${doors}/index\\.ts$)` },
    ),
    error(
      'own-door',
      "inside a room, import the neighbour file, not the room's own index.ts",
      { path: `^src/(${any})/`, pathNot: test },
      { path: '^src/$1/index\\.ts$' },
    ),
    error(
      'embedded-has-one-door',
      "the embedded cluster is entered through '#embedded' from outside, so that a program without it loads none of it",
      { path: '^(?:src|ui)/', pathNot: '^src/embedded/' },
      { path: '^src/embedded/', pathNot: '^src/embedded/index\\.ts$' },
    ),
    error(
      'embedded-is-loaded-when-started',
      "`await import('#embedded')` where the embedded cluster is started: a program on another cluster loads none of it",
      { path: '^src/main/', pathNot: test },
      { path: '^src/embedded/', dependencyTypesNot: ['dynamic-import', 'type-only'] },
    ),
    error(
      'no-homeless-files',
      'every file lives in a room of tools/rooms.js',
      { path: '^src/', pathNot: `^src/${anyOf(names)}` },
      {},
    ),
    error(
      'no-magnets',
      'name the file for the one thing inside it',
      {},
      { path: `^(?:src|ui)/.*/(?:${magnets})\\.tsx?$` },
    ),
    error(
      'pure-rooms-do-no-io',
      'a pure room thinks and never touches the world: pass the fact in',
      { path: `^src/${anyOf(pure)}`, pathNot: test },
      { dependencyTypes: ['core'] },
    ),
    error(
      'no-unlisted-packages',
      'give the package a room in tools/rooms.js and a sentence in docs/decisions/',
      { path: '^(?:src|ui/src)/', pathNot: test },
      { path: '(?:^|/)node_modules/', pathNot: `node_modules/(?:${known.join('|')}|@types)(?:/|$)` },
    ),
    error(
      'nobody-imports-main',
      'main wires the house; take what you need as a parameter',
      { pathNot: '^(?:src/main|test|bench)/' },
      { path: '^src/main/' },
    ),
    error(
      'ui-sees-only-pure-rooms',
      'the browser may enter pure rooms by their doors, and nothing else',
      { path: '^ui/' },
      { path: '^src/', pathNot: `^src/(?:${pure.join('|')})/index\\.ts$` },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true, // type-only imports count: direction is about knowledge, not bytes
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
