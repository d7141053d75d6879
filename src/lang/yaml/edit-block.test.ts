import { expect, test } from 'vitest';
import { applyEdits } from './edit.ts';
import { setValue } from './edit-block.ts';
import { layoutsOf, type YamlPath } from './layout.ts';

const edited = (source: string, path: YamlPath, value: unknown): string | undefined => {
  const [layout] = layoutsOf(source);
  const edit = layout && setValue(layout, path, value, source);
  return edit && applyEdits(source, [edit]);
};

const list = 'a:\n  # first\n  - name: x # one\n    v: 1\n  - name: y\n# end\nb: 2\n';

test.each([
  ['a scalar of a block', 'a: 1 # why\n', ['a'], 2, 'a: 2 # why\n'],
  ['an image keeps its quotes', 'a: "r/x:1"\n', ['a'], 'r/x:2', 'a: "r/x:2"\n'],
  ['a mapping by a list', 'a:\n  b: 1\n  # c\nd: 1\n', ['a'], ['x'], 'a:\n- x\n  # c\nd: 1\n'],
  [
    'a flow list stays one',
    'a: {b: 1}\nargs: ["a"] # c\n',
    ['args'],
    ['b', 1],
    'a: {b: 1}\nargs: ["b", 1]\n',
  ],
  ['a block scalar', 'a:\n  t: |\n    x\n    # y\n  u: 1\n', ['a', 't'], 'z', 'a:\n  t: z\n  u: 1\n'],
  ['a list at the indentation of its key', 'a:\n- 1\n- 2\nb: 1\n', ['a'], [3], 'a:\n- 3\nb: 1\n'],
  ['an item', list, ['a', 0], { z: 1 }, list.replace('name: x # one\n    v: 1', 'z: 1')],
  [
    'a field of the line of its item',
    list,
    ['a', 0, 'name'],
    [1],
    list.replace('name: x # one', 'name:\n      - 1'),
  ],
  [
    'with the line breaks of the file',
    'a:\r\n  b: 1\r\n',
    ['a'],
    { c: { d: 1 } },
    'a:\r\n  c:\r\n    d: 1\r\n',
  ],
] as const)('replaces %s', (...[, source, path, value, expected]) => {
  expect(edited(source, path, value)).toBe(expected);
});

test.each([
  ['a field', 'a:\n  b: 1\n', ['a', 'c'], { d: [1] }, 'a:\n  b: 1\n  c:\n    d:\n    - 1\n'],
  ['a field of the root', 'a:\n  b: 1\n# end\n', ['c'], [1], 'a:\n  b: 1\nc:\n- 1\n# end\n'],
  ['a list, laid out as the others', 'a:\n  - 1\n', ['b'], { c: [2] }, 'a:\n  - 1\nb:\n  c:\n    - 2\n'],
  [
    'an item',
    list,
    ['a', 2],
    { name: 'z', v: 2 },
    list.replace('name: y\n', 'name: y\n  - name: z\n    v: 2\n'),
  ],
  ['to a text without a line break', 'a:\n- 1', ['a', 1], 2, 'a:\n- 1\n- 2'],
] as const)('adds %s', (...[, source, path, value, expected]) => {
  expect(edited(source, path, value)).toBe(expected);
});

test.each([
  ['a field', 'a: 1\nb:\n  c: 1\nd: 2\n', ['b'], 'a: 1\nd: 2\n'],
  ['an item with its fields', list, ['a', 0], 'a:\n  # first\n  - name: y\n# end\nb: 2\n'],
  ['the last item', list, ['a', 1], list.replace('  - name: y\n', '')],
  ['the last field of a text without a line break', 'a: 1\nb: 2', ['b'], 'a: 1'],
] as const)('removes %s', (_what, source, path, expected) => {
  expect(edited(source, path, undefined)).toBe(expected);
});

test.each([
  ['the only item', 'a:\n- 1\n', ['a', 0], undefined],
  ['the first field on the line of its item', list, ['a', 0, 'name'], undefined],
  ['below a flow collection', 'a: {b: {c: 1}}\n', ['a', 'b'], [1]],
  ['below an alias', 'a: &x\n  b: 1\nc: *x\n', ['c', 'b'], [1]],
  ['an item far behind the end', list, ['a', 7], 1],
  ['the root', 'a: 1\n', [], {}],
  ['an item whose mark has a line of its own', 'a:\n-\n  b: 1\n- c\n', ['a', 0], 1],
] as const)('does not edit %s', (_what, source, path, value) => {
  expect(edited(source, path, value)).toBeUndefined();
});
