import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answersAlike, type FileTree, type MemoryFile, memoryTree, recordingTree } from '#base/model';
import { difference, inputsOf, traceOf } from './trace.ts';

const dirs = ['', 'a', 'a/b', 'c'];
const paths = dirs.flatMap((dir) =>
  ['x', 'y', 'b', 'l'].map((name) => (dir === '' ? name : `${dir}/${name}`)),
);
const file = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('1', '2') },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('x', 'b', '../x', '../c', '../c/x', 'a', '../../c/l', 'nowhere', 'l')
      .map((symlink) => ({ symlink })),
  },
);
const files = fc.dictionary(fc.constantFrom(...paths), file, { minKeys: 3, maxKeys: 10 });

/** Nothing stands below what is no folder. */
function treeFrom(all: Record<string, MemoryFile>): FileTree {
  const kept = Object.entries(all).filter(([path]) => {
    return !Object.keys(all).some((other) => path.startsWith(`${other}/`));
  });
  return memoryTree({ 'root.txt': 'r', ...Object.fromEntries(kept) });
}

const questions = ['has', 'kind', 'list', 'resolve', 'link', 'size', 'hash'] as const;
const asked = fc.array(
  fc.tuple(fc.constantFrom(...questions), fc.constantFrom(...paths, ...dirs, './a', 'a/../c/x')),
  {
    minLength: 1,
    maxLength: 8,
  },
);

test('a result holds exactly as long as every single answer does, links and gaps included (MGP-6, MGP-7)', () => {
  fc.assert(
    fc.property(files, files, fc.boolean(), asked, (before, changes, isSmall, questionsAsked) => {
      const was = treeFrom(before);
      const now = treeFrom(
        isSmall ? { ...before, ...Object.fromEntries(Object.entries(changes).slice(0, 1)) } : changes,
      );
      const { tree, trace } = recordingTree(was);
      for (const [ask, path] of questionsAsked) {
        try {
          tree[ask](path);
        } catch {
          // that it cannot be answered is an answer
        }
      }
      const grouped = traceOf(new Map([['', trace()]]), new Map([['', was]]));
      const told = difference(grouped, new Map([['', now]]));
      expect(told === undefined).toBe(answersAlike(now, trace()));
      expect(difference(grouped, new Map([['', was]]))).toBeUndefined();
    }),
    { numRuns: 2000 },
  );
});

test('what changed is told by its name, and by that of its source', () => {
  const was = memoryTree({ 'a/x': '1', 'a/y': '1', 'b/z': '1' });
  const { tree, trace } = recordingTree(was);
  tree.list('a');
  tree.hash('a/x');
  tree.has('a/w');
  tree.hash('b');
  const kept = traceOf(new Map([['env', trace()]]), new Map([['env', was]]));
  const told = (files: Record<string, string>) => difference(kept, new Map([['env', memoryTree(files)]]));
  const same = { 'a/x': '1', 'a/y': '1', 'b/z': '1' };
  expect(told({ ...same, elsewhere: '' })).toBeUndefined();
  expect(told({ ...same, 'a/y': '2' })).toBeUndefined();
  expect(told({ ...same, 'a/x': '2' })).toBe('$env/a/x changed');
  expect(told({ ...same, 'a/v': '' })).toBe('$env/a/v was added');
  expect(told({ 'a/x': '1', 'b/z': '1' })).toBe('$env/a/y was removed');
  expect(told({ ...same, 'b/z': '2' })).toBe('$env/b changed');
  expect(told({ 'a/x': '1', 'a/y': '1' })).toBe('$env/b was removed');
  expect(difference(kept, new Map())).toBe('$env is no longer a source');
  expect(inputsOf(kept, new Map([['env', was]]))).toEqual([
    { path: '$env/a', is: 'names' },
    { path: '$env/a/w', is: 'absent' },
    { path: '$env/a/x', is: 'file' },
    { path: '$env/b', is: 'folder' },
  ]);
});
