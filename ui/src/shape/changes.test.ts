import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ManagedResource } from '#serve/api';
import { changesOf, hooksIn, readablePath, yamlOf } from './changes.ts';
import { diffLines, hunksOf, pairsOf } from './line-diff.ts';
import { sampleApplication } from './sample-application.ts';

const managed = (name: string, rest: Partial<ManagedResource> = {}): ManagedResource => ({
  kind: 'ConfigMap',
  namespace: 'shop',
  name,
  targetState: '{"a":1}',
  liveState: '{"a":1}',
  normalizedLiveState: '{"a":1}',
  predictedLiveState: '{"a":1}',
  ...rest,
});

describe('changes', () => {
  test('are creations, changes and prunes, in that order; hooks and equals are none', () => {
    const items = [
      managed('old', { targetState: 'null' }),
      managed('same'),
      managed('drifted', { modified: true }),
      managed('unsaid', { predictedLiveState: '{"a":2}' }),
      managed('fresh', { liveState: 'null' }),
      managed('hook', { hook: true, liveState: 'null' }),
      managed('nothing', { liveState: 'null', targetState: 'null' }),
    ];
    expect(changesOf(items).map(({ deed, name }) => [deed, name])).toEqual([
      ['create', 'fresh'],
      ['change', 'drifted'],
      ['change', 'unsaid'],
      ['prune', 'old'],
    ]);
    expect(hooksIn(items)).toBe(1);
  });

  test('leave what Prune=false keeps, by the word of the object before that of the application', () => {
    const options = (text: string) =>
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","annotations":{"argocd.argoproj.io/sync-options":"${text}"}}}`;
    const items = [
      managed('kept', { targetState: 'null', liveState: options('Prune=false') }),
      managed('pruned', { targetState: 'null', liveState: options('Prune=true') }),
      managed('old', { targetState: 'null' }),
    ];
    const deeds = (...given: Parameters<typeof changesOf>) =>
      changesOf(...given).map(({ deed, name }) => `${deed} ${name}`);
    expect(deeds(items)).toEqual(['prune pruned', 'prune old', 'keep kept']);
    const app = sampleApplication({}, { syncPolicy: { syncOptions: ['Prune=false'] } });
    expect(deeds(items, app)).toEqual(['prune pruned', 'keep kept', 'keep old']);
  });

  test('show each field with both values and its last writer', () => {
    const fields = [
      { path: '/spec/replicas', target: 3, live: 5, manager: 'kubectl', time: '2026-03-18T14:00:00Z' },
      { path: '/data/a~1b', target: '', live: 123456789012345678901n },
      { path: '/spec/ports/0', live: { port: 80 } },
    ];
    expect(changesOf([managed('x', { modified: true, fields })])[0]?.fields).toEqual([
      {
        path: 'spec.replicas',
        target: '3',
        live: '5',
        writer: 'kubectl',
        writtenAt: Date.parse('2026-03-18T14:00:00Z'),
      },
      { path: 'data["a/b"]', target: '""', live: '123456789012345678901' },
      { path: 'spec.ports[0]', live: '{\n  "port": 80\n}' },
    ]);
  });

  test('of a Secret say that values are masked', () => {
    expect(changesOf([managed('s', { kind: 'Secret', modified: true })])[0]?.isMasked).toBe(true);
    expect(changesOf([managed('s', { kind: 'Secret', group: 'x.io', modified: true })])[0]?.isMasked).toBe(
      false,
    );
  });
});

test.each([
  ['/spec/template/spec/containers/0/image', 'spec.template.spec.containers[0].image'],
  ['/metadata/annotations/example.com~1size', 'metadata.annotations["example.com/size"]'],
  ['/data/a~0b', 'data["a~b"]'],
  ['', ''],
])('the pointer %s reads %s', (pointer, path) => {
  expect(readablePath(pointer)).toBe(path);
});

test('an object is shown as YAML without managedFields, its numbers whole', () => {
  expect(
    yamlOf('{"kind":"X","metadata":{"name":"a","managedFields":[{}]},"count":12345678901234567890}'),
  ).toBe('kind: X\nmetadata:\n  name: a\ncount: 12345678901234567890\n');
  expect(yamlOf('null')).toBe('');
  expect(yamlOf('not json')).toBe('not json');
});

const signed = (before: string, after: string) =>
  diffLines(before, after).map(({ sign, text }) => sign + text);

describe('lines', () => {
  test('that are equal stay, others go and come', () => {
    expect(signed('a\nb\nc\nd\n', 'a\nx\nc\nd\ne\n')).toEqual([' a', '-b', '+x', ' c', ' d', '+e']);
    expect(signed('', 'a\n')).toEqual(['+a']);
    expect(signed('a\n', '')).toEqual(['-a']);
    expect(signed('a\n', 'a\n')).toEqual([' a']);
  });

  test('lead from one text to the other, whatever they are', () => {
    const texts = fc.array(fc.constantFrom('a', 'b', 'c', '')).map((lines) => lines.join('\n'));
    const side = (lines: string[], sign: string) =>
      lines
        .filter((line) => line[0] === ' ' || line[0] === sign)
        .map((line) => line.slice(1))
        .join('\n');
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const lines = signed(before, after);
        expect(side(lines, '-')).toBe(before.replace(/\n$/, ''));
        expect(side(lines, '+')).toBe(after.replace(/\n$/, ''));
      }),
    );
  });

  test('far from a change are folded', () => {
    const text = (change: string) => [...'abcdefghij', change, ...'klm'].join('\n');
    expect(hunksOf(diffLines(text('1'), text('2')), 2)).toMatchObject([
      { folded: 8 },
      { lines: [{}, {}, { sign: '-' }, { sign: '+' }, {}, {}] },
      { lines: [{ text: 'm' }] },
    ]);
  });

  test('face each other side by side', () => {
    expect(pairsOf(diffLines('a\nb\nc\n', 'a\nx\ny\nc\n'))).toMatchObject([
      { left: { text: 'a' }, right: { text: 'a' } },
      { left: { text: 'b', before: 2 }, right: { text: 'x', after: 2 } },
      { right: { text: 'y' } },
      { left: { text: 'c', before: 3 }, right: { after: 4 } },
    ]);
  });
});
