import { expect, test } from 'vitest';
import { editable, patchOf } from './edited-manifest.ts';
import {
  chunksOf,
  containersOf,
  fileOf,
  levelOf,
  lineTime,
  logChoiceOf,
  searchLines,
  unfolded,
} from './logs.ts';

const line = (text: string) => ({ pod: 'web-1', time: '2026-03-18T14:01:00.123456789Z', text });
const lines = [line('GET /a'), line('get /b Error'), line('{"level":"warn"}')];
const found = (query: string) =>
  searchLines(lines, logChoiceOf(new URLSearchParams(query))).map(({ text }) => text);

test.each([
  ['', ['GET /a', 'get /b Error', '{"level":"warn"}']],
  ['filterText=get', ['GET /a', 'get /b Error']],
  ['filterText=get&matchCase=true', ['get /b Error']],
  ['filterText=!get', ['{"level":"warn"}']],
  ['filterText=!', ['GET /a', 'get /b Error', '{"level":"warn"}']],
])('the search "%s" finds %o', (query, texts) => {
  expect(found(query)).toEqual(texts);
});

test('what has ended is not followed', () => {
  expect(logChoiceOf(new URLSearchParams('')).follow).toBe(true);
  expect(logChoiceOf(new URLSearchParams('showPreviousLogs=true&follow=true')).follow).toBe(false);
  expect(logChoiceOf(new URLSearchParams('sinceSeconds=-4')).since).toBe(0);
});

test.each([
  ['2026-03-18T23:01:00.123456789Z', 'UTC', '23:01:00.123'],
  ['2026-03-18T23:01:00.123456789Z', 'Asia/Tokyo', '08:01:00.123'],
  ['2026-03-18T23:01:00+09:00', 'UTC', '14:01:00.000'],
  ['nonsense', 'UTC', ''],
])('a line of %s is shown in %s as %s', (time, zone, shown) => {
  expect(lineTime(time, zone)).toBe(shown);
});

test('a JSON line unfolds, any other is text', () => {
  expect(unfolded('{"a":{"b":1}}')).toContain('"b": 1');
  expect([unfolded('{not json'), unfolded('[1]'), unfolded('plain')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect([levelOf('Error: x'), levelOf('a warning'), levelOf('terror')]).toEqual(['bad', 'warn', undefined]);
  expect(fileOf(lines.slice(0, 1))).toBe('2026-03-18T14:01:00.123456789Z web-1 GET /a\n');
});

test('the containers of a pod come from its manifest, those that start it last', () => {
  const spec = { containers: [{ name: 'web' }, { name: 'proxy' }], initContainers: [{ name: 'init' }] };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-1' }, spec };
  expect(containersOf(JSON.stringify(pod))).toEqual(['web', 'proxy', 'init']);
  expect([containersOf(undefined), containersOf('nonsense')]).toEqual([[], []]);
});

test('an edit of a manifest is the smallest patch, without what the cluster writes', () => {
  const manifest = JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', resourceVersion: '4', managedFields: [{}] },
    data: { a: '1', b: '2' },
    status: {},
  });
  const text = editable(manifest);
  expect(text).not.toMatch(/managedFields|status/);
  expect(editable(manifest, 'cluster')).not.toMatch(/resourceVersion/);
  expect(patchOf(manifest, text)).toBe('');
  expect(JSON.parse(patchOf(manifest, text.replace('a: "1"', 'a: "x"').replace(/ {2}b: .*\n/, '')))).toEqual({
    data: { a: 'x', b: null },
  });
  expect(() => patchOf(manifest, '- a')).toThrow('not a mapping');
});

test('a line keeps its chunk when older lines are dropped, newer ones come, or a search leaves some', () => {
  const lines = Array.from({ length: 250 }, (_, id) => ({ id }));
  const shape = (some: typeof lines) => chunksOf(some).map((one) => [one.id, one.lines.length]);
  expect(shape(lines)).toEqual([
    [0, 100],
    [1, 100],
    [2, 50],
  ]);
  expect(shape(lines.slice(150))).toEqual([
    [1, 50],
    [2, 50],
  ]);
  expect(shape(lines.filter(({ id }) => id === 3 || id === 249))).toEqual([
    [0, 1],
    [2, 1],
  ]);
  expect(chunksOf([])).toEqual([]);
});
