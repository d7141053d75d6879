import { expect, test } from 'vitest';
import { memoryTree } from '#base/model';
import { parseManifests, renderDirectory } from '#sources/render';

// Attack 7: YAML that explodes, nests, repeats or poisons, as a manifest.

const settings = { jsonnetEnabled: true, maxCombinedBytes: 10_000_000 };
const render = (text: string) => renderDirectory(memoryTree({ 'x.yaml': text }), '', {}, settings);
const manifest = (rest: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n${rest}\n`;

test('an alias bomb is refused, with the file', async () => {
  const levels = Array.from(
    { length: 12 },
    (_, at) =>
      `l${at}: &l${at} [${Array(9)
        .fill(`*l${at - 1}`)
        .join(', ')}]`,
  );
  levels[0] = 'l0: &l0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]';
  await expect(render(manifest(levels.join('\n')))).rejects.toMatchObject({
    code: 'LimitExceeded',
    message: expect.stringContaining('"x.yaml"'),
  });
});

test('nesting a hundred thousand deep is refused', async () => {
  for (const deep of [`data: ${'['.repeat(100_000)}`, `data: ${'{a: '.repeat(100_000)}`]) {
    await expect(render(manifest(deep))).rejects.toMatchObject({
      code: expect.stringMatching(/LimitExceeded|RenderFailed/),
    });
  }
  // compat DIR-12: what fails without having looked like a manifest is passed over
  const json = `{"apiVersion":"v1","kind":"X","metadata":{"name":"x"},"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  await expect(render(json)).resolves.toMatchObject({ objects: [] });
});

test('a scalar bigger than all manifests may be is refused before it is read', async () => {
  await expect(render(manifest(`data: "${'x'.repeat(10_000_001)}"`))).rejects.toMatchObject({
    code: 'LimitExceeded',
    message: expect.stringContaining('exceeded max combined manifest file size'),
  });
});

test('duplicate keys: the last counts, as in Kubernetes', async () => {
  const { objects } = await render(manifest('data: {a: "1"}\ndata: {a: "2"}'));
  expect(objects[0]).toMatchObject({ data: { a: '2' } });
});

test('__proto__ and constructor are ordinary keys', async () => {
  const { objects } = await render(
    manifest('__proto__: {polluted: yes}\nconstructor: {prototype: {polluted: yes}}'),
  );
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  expect(objects[0]?.metadata.name).toBe('x');
  expect((objects[0] as unknown as { polluted?: unknown }).polluted).toBeUndefined();
});

test('merges that lead in circles or multiply are refused or end', async () => {
  for (const loop of ['a: &a {<<: *a, b: 1}', 'a: &a\n  <<: [*a, *a]']) {
    await expect(render(manifest(loop))).rejects.toMatchObject({
      code: expect.stringMatching(/LimitExceeded|RenderFailed/),
    });
  }
});

test('the output of an engine is read within the same limits', () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${Array.from(
    { length: 9 },
    (_, at) =>
      `b${at}: &b${at} [${Array(9)
        .fill(at === 0 ? '*a' : `*b${at - 1}`)
        .join()}]`,
  ).join('\n')}`;
  expect(() => parseManifests(manifest(bomb), 'output')).toThrow(
    expect.objectContaining({ code: 'LimitExceeded' }),
  );
});
