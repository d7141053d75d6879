import { expect, test } from 'vitest';
import { memoryTree } from '#base/model';
import { renderDirectory } from './directory.ts';
import { parseManifests } from './parse.ts';

const object = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
const names = (text: string): string[] =>
  parseManifests(text, 'the output').map(({ metadata }) => metadata.name);

test('what an engine prints is read as Kubernetes reads it (HLM-3, POST-5)', () => {
  expect(names(`# Source: x\n${object('a')}---\n# nothing\n---\n${object('b')}`)).toEqual(['a', 'b']);
  expect(parseManifests(`${object('a')}data: {a: yes, b: 0x10}\n`, 'the output')).toMatchObject([
    { data: { a: true, b: 16 } },
  ]);
});

test('null is nothing, and lists are opened (POST-1)', () => {
  expect(
    names(
      `null\n---\nkind: List\napiVersion: v1\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: a}}\n`,
    ),
  ).toEqual(['a']);
  const spec = 'apiVersion: v1\nkind: A\nmetadata: {name: x}\nspec: {}\nitems: null\n';
  expect(names(spec)).toEqual(['x']);
});

test('what is no object is told with its place (DIR-10)', () => {
  expect(() => names(`${object('a')}---\njust: data\n`)).toThrow(
    "the output, line 5: Object 'Kind' is missing",
  );
  expect(() => names('just text\n')).toThrow('the output, line 1: a manifest must be a map');
  expect(() => names('apiVersion: v1\nkind: A\n')).toThrow(/the output, line 1: .*metadata/);
});

const directory = async (files: Record<string, string>) => {
  const settings = { jsonnetEnabled: true, maxCombinedBytes: 0 };
  const { objects } = await renderDirectory(memoryTree(files), '', {}, settings);
  return objects.map(({ metadata }) => metadata.name);
};

test('a folder may hold nothing, and the same object twice; who judges that is not here (DIR-13, DIR-14)', async () => {
  expect(await directory({ 'README.md': '' })).toEqual([]);
  expect(await directory({ 'a.yaml': object('same'), 'b.yaml': object('same') })).toEqual(['same', 'same']);
});

test('an override file is a file like any other, and none of our business (DIR-7)', async () => {
  expect(await directory({ '.argocd-source.yaml': 'helm: {}\n', 'a.yaml': object('a') })).toEqual(['a']);
  await expect(directory({ '.argocd-source.yaml': `${object('x')}---\nhelm: {}\n` })).rejects.toThrow(
    '.argocd-source.yaml',
  );
});

test('whatever is wrong in a folder is a failure of the render (DIR-15)', async () => {
  for (const text of [
    `${object('a')}---\n[`,
    `${object('a')}---\nno: kind\n`,
    'apiVersion: v1\nkind: A\nmetadata: 1\n',
  ]) {
    await expect(directory({ 'x.yaml': text })).rejects.toMatchObject({ code: 'RenderFailed' });
  }
  await expect(directory({ 'x.json': '{' })).rejects.toMatchObject({ code: 'RenderFailed' });
  await expect(directory({ 'x.jsonnet': '{' })).rejects.toMatchObject({ code: 'RenderFailed' });
});
