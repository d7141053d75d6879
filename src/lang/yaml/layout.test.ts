import { expect, test } from 'vitest';
import { applyEdits, setScalar } from './edit.ts';
import { layoutsOf, type YamlPath } from './layout.ts';
import { parse } from './parse.ts';

const text = `# a comment
apiVersion: v1
kind: X
metadata:
  name: "a"   # the name
  labels: {app: web, 'tier': front}
spec:
  containers:
    - name: one
      image: nginx:1
      ports: [{containerPort: 80}]
    - name: two
      args: ["a", 'b']
  script: |
    first
    second
---
other: &base
  x: 1
again: *base
merged:
  <<: *base
  z: 2
`;

const at = (path: YamlPath, document = 0): string | undefined => {
  const found = layoutsOf(text)[document]?.find(path);
  const span = found && (found.node.key ?? found.node.span);
  return (
    span && `${span.line}:${span.column}${found.isWhole ? '' : ' partly'}${found.isShared ? ' shared' : ''}`
  );
};

test.each([
  [['apiVersion'], '2:1'],
  [['metadata', 'name'], '5:3'],
  [['metadata', 'labels', 'tier'], '6:22'],
  [['spec', 'containers'], '8:3'],
  [['spec', 'containers', 0], '9:7'],
  [['spec', 'containers', 0, 'image'], '10:7'],
  [['spec', 'containers', 0, 'ports', 0, 'containerPort'], '11:16'],
  [['spec', 'containers', 1, 'args', 1], '13:19'],
  [['spec', 'script'], '14:3'],
  [['spec', 'containers', 1, 'image'], '12:7 partly'],
  [['metadata', 'finalizers', 0], '4:1 partly'],
  [['nothing'], '2:1 partly'],
] as const)('%j stands at %s', (path, expected) => {
  expect(at(path)).toBe(expected);
});

test('an alias and a merge are found, and are shared with other fields', () => {
  expect(at(['again', 'x'], 1)).toBe('20:1 partly shared');
  expect(at(['merged', 'x'], 1)).toBe('22:3 partly shared');
  expect(at(['merged', 'z'], 1)).toBe('23:3');
  expect(at(['other', 'x'], 1)).toBe('19:3');
});

const edited = (source: string, path: YamlPath, value: string | number): string | undefined => {
  const [layout] = layoutsOf(source);
  const edit = layout && setScalar(layout, path, value, source);
  return edit && applyEdits(source, [edit]);
};

test.each([
  ['a plain scalar', 'a: 1000m # why\nb: 2\n', ['a'], '1', 'a: "1" # why\nb: 2\n'],
  ['a quoted one keeps its quotes', "a: '1000m'\n", ['a'], '1', "a: '1'\n"],
  ['a doubly quoted one too', 'a: "0.5" # half\n', ['a'], '500m', 'a: "500m" # half\n'],
  [
    'a new field of a block',
    'a:\n  path: /x # c\nb: 1\n',
    ['a', 'port'],
    80,
    'a:\n  path: /x # c\n  port: 80\nb: 1\n',
  ],
  ['in a list', '- a:\n    p: 1\n', [0, 'a', 'q'], 2, '- a:\n    p: 1\n    q: 2\n'],
  ['at the end of a text without a line break', 'a:\n  p: 1', ['a', 'q'], 2, 'a:\n  p: 1\n  q: 2'],
  [
    'with the line breaks of the file',
    'a:\r\n  p: 1\r\nb: 1\r\n',
    ['a', 'q'],
    2,
    'a:\r\n  p: 1\r\n  q: 2\r\nb: 1\r\n',
  ],
  ['a new field of a flow mapping', 'a: {path: /x}\n', ['a', 'port'], 80, 'a: {path: /x, port: 80}\n'],
  ['of an empty one', 'a: {}\n', ['a', 'port'], 80, 'a: {port: 80}\n'],
  ['before a nested last field', 'a:\n  b:\n    c: 1\n', ['a', 'd'], 2, 'a:\n  d: 2\n  b:\n    c: 1\n'],
  ['behind a byte order mark', '\ufeffa: 1\n', ['a'], 2, '\ufeffa: 2\n'],
] as const)('edits %s', (...[, source, path, value, expected]) => {
  expect(edited(source, path, value)).toBe(expected);
});

test.each([
  ['a block scalar', 'a: |\n  x\n', ['a'], '1'],
  ['an alias', 'a: &x 1\nb: *x\n', ['b'], '2'],
  ['what a merge brings', 'a: &x {p: 1}\nb:\n  <<: *x\n', ['b', 'p'], '2'],
  ['a field below nothing', 'a: 1\n', ['b', 'c'], '2'],
  ['a flow mapping whose last field is a collection', 'a: {b: [1]}\n', ['a', 'c'], '2'],
] as const)('does not edit %s', (_what, source, path, value) => {
  expect(edited(source, path, value)).toBeUndefined();
});

test('a text that was only readable after its indentation was loosened has lines and no edits', () => {
  const loose = 'a:\n  args: [\n  "x"\n]\n  b: 1\n';
  const [layout] = layoutsOf(loose);
  expect(parse(loose)).toEqual({ a: { args: ['x'], b: 1 } });
  expect(layout?.find(['a', 'b'])?.node.key?.line).toBe(5);
  expect(edited(loose, ['a', 'b'], '2')).toBeUndefined();
});

test('edits are made once, from the last to the first, and never over each other', () => {
  const edits = [
    { start: 3, end: 4, text: 'x' },
    { start: 0, end: 1, text: 'y' },
    { start: 3, end: 4, text: 'z' },
    { start: 5, end: 5, text: '!' },
    { start: 5, end: 5, text: '!' },
  ];
  expect(applyEdits('a: 1\n', edits)).toBe('y: x\n!');
});
