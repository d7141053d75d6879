import { describe, expect, test } from 'vitest';
import { type DirectoryOptions, encodeText, type MemoryFile, memoryTree } from '#base/model';
import { renderDirectory } from './directory.ts';

const settings = { jsonnetEnabled: true, maxCombinedBytes: 10_000_000 };
const object = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;

const render = (files: Record<string, MemoryFile>, options: DirectoryOptions = {}, path = 'app') =>
  renderDirectory(memoryTree(files), path, options, settings);
const names = async (files: Record<string, MemoryFile>, options: DirectoryOptions = {}, path = 'app') =>
  (await render(files, options, path)).objects.map(({ metadata }) => metadata.name);

describe('which files are taken (2.2)', () => {
  const files = {
    'app/b.yaml': object('b'),
    'app/a.yml': object('a'),
    'app/c.json': '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}',
    'app/README.md': '# not a manifest\n',
    'app/a-dir/x.yaml': object('x'),
    'app/.hidden.yaml': object('hidden'),
    'other/o.yaml': object('o'),
  };

  test('those with the right ending, in byte order, hidden ones too (DIR-1, DIR-2)', async () => {
    expect(await names(files)).toEqual(['hidden', 'a', 'b', 'c']);
  });

  test('those of sub-folders only when asked for, interleaved by name (VFT-2)', async () => {
    expect(await names(files, { recurse: true })).toEqual(['hidden', 'x', 'a', 'b', 'c']);
  });

  test('exclude is tested before include, on the path below the folder, and `*` crosses `/`', async () => {
    expect(await names(files, { recurse: true, include: '*.yaml' })).toEqual(['hidden', 'x', 'b']);
    expect(await names(files, { recurse: true, exclude: 'a-dir/*' })).toEqual(['hidden', 'a', 'b', 'c']);
    expect(await names(files, { recurse: true, include: '{a,b}*', exclude: '*.yml' })).toEqual(['x', 'b']);
  });

  test('a bad exclude excludes nothing, a bad include everything, and both are told', async () => {
    expect(await names(files, { exclude: '[' })).toHaveLength(4);
    const { objects, warnings } = await render(files, { include: '[' });
    expect(objects).toEqual([]);
    expect(warnings[0]).toContain('directory.include "[" is no pattern');
  });

  test('any ending when the filter is off (DIR-2)', async () => {
    const files = { 'app/manifest.txt': object('t'), 'app/x.yaml': object('x') };
    expect(await names(files, { disableExtensionFilter: true })).toEqual(['t', 'x']);
  });

  test('not those that say they do not want to be rendered (DIR-5)', async () => {
    expect(await names({ 'app/x.yaml': `# +argocd:skip-file-rendering\n${object('x')}` })).toEqual([]);
  });

  test('links to files; links to nothing or to folders are passed over with a warning (DIR-3)', async () => {
    const { objects, warnings } = await render({
      'app/l.yaml': { symlink: '../other/o.yaml' },
      'app/dangling.yaml': { symlink: 'nope.yaml' },
      'app/folder.yaml': { symlink: '../other' },
      'other/o.yaml': object('o'),
    });
    expect(objects.map(({ metadata }) => metadata.name)).toEqual(['o']);
    expect(warnings).toHaveLength(2);
  });

  test('UTF-16 with a byte order mark is read (VFT-7)', async () => {
    const units = new Uint16Array([0xfeff, ...[...object('wide')].map((char) => char.charCodeAt(0))]);
    expect(await names({ 'app/x.yaml': new Uint8Array(units.buffer) })).toEqual(['wide']);
  });

  test('not more bytes than allowed, counted before anything is parsed (DIR-6)', async () => {
    const tree = memoryTree({ 'a.yaml': ': not yaml', 'b.yaml': 'x'.repeat(100) });
    const rendering = renderDirectory(tree, '', {}, { ...settings, maxCombinedBytes: 50 });
    await expect(rendering).rejects.toMatchObject({
      code: 'LimitExceeded',
      message: expect.stringContaining('exceeded max combined manifest file size'),
    });
    await expect(renderDirectory(tree, '', {}, { ...settings, maxCombinedBytes: 0 })).resolves.toBeDefined();
  });
});

describe('what is in a file (2.3)', () => {
  const one = (text: string, file = 'x.yaml') => names({ [file]: text }, {}, '');

  test('documents, empty ones aside, and concatenated JSON (DIR-9)', async () => {
    expect(await one(`---\n---\n# nothing\n---\n${object('a')}---\nnull\n---\n${object('b')}`)).toEqual([
      'a',
      'b',
    ]);
    const json = '{"kind":"A","apiVersion":"v1","metadata":{"name":"a"}}';
    expect(await one(`${json}\n${json.replace('"a"', '"b"')}`)).toEqual(['a', 'b']);
  });

  test('lists are opened, whatever their kind; items must be objects (POST-1)', async () => {
    const list = (items: string): string => `apiVersion: v1\nkind: Box\nmetadata: {}\nitems: ${items}\n`;
    const item = '{apiVersion: v1, kind: ConfigMap, metadata: {name: inner}}';
    expect(await one(list(`[${item}, ${item}]`))).toEqual(['inner', 'inner']);
    expect(await one(list('null'))).toEqual([]);
    await expect(one(list('[1]'))).rejects.toThrow('resource list item has unexpected type');
  });

  test('a file that is no manifest at all is none of our business (DIR-12)', async () => {
    expect(await one('replicas: 3\nimage: [broken\n')).toEqual([]);
    expect(await one('replicas: 3\n', '.argocd-source.yaml')).toEqual([]);
    expect(await one('- just\n- a list\n')).toEqual([]);
  });

  test('a broken document after a good one, or one that looks like a manifest, is a failure (DIR-11)', async () => {
    await expect(one(`${object('a')}---\nreplicas: 3\n`)).rejects.toMatchObject({
      code: 'RenderFailed',
      message: `Failed to unmarshal "x.yaml": line 5: Object 'Kind' is missing: add apiVersion and kind`,
    });
    await expect(one('apiVersion: v1\nkind: X\nmetadata:\n  a: [\n')).rejects.toThrow(
      /x.yaml": yaml document 1, line/,
    );
  });

  test('integers of any size survive (POST-4), and YAML is that of Kubernetes (POST-5)', async () => {
    const text = `${object('a')}spec: {big: 12345678901234567890, yes: on, octal: 0777, when: 2001-01-01}\n`;
    const { objects } = await render({ 'x.yaml': text }, {}, '');
    expect(objects[0]?.spec).toEqual({
      big: 12345678901234567890n,
      true: true,
      octal: 511,
      when: expect.any(String),
    });
  });

  test('a JSON file holds exactly one value (DIR-8)', async () => {
    const json = '{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}';
    expect(await one(json, 'x.json')).toEqual(['a']);
    await expect(one(`${json} ${json}`, 'x.json')).rejects.toThrow(
      'Found multiple objects in "x.json". Only single objects are allowed in JSON files.',
    );
    await expect(one('{\n"a": 1,\n}', 'x.json')).rejects.toThrow(/Failed to unmarshal "x.json": line 3/);
    await expect(one('[]', 'x.json')).rejects.toThrow('Failed to unmarshal "x.json"');
  });

  test('what passes for an image manifest is forgiven and yields nothing (DEV-14)', async () => {
    expect(await one('{"schemaVersion": 2, "layers": []}', 'x.json')).toEqual([]);
    expect(await one('{"name": "package", "version": "1"}', 'package.json')).toEqual([]);
    await expect(one('{"schemaVersion": "two"}', 'x.json')).rejects.toThrow("Object 'Kind' is missing");
  });

  test('an object that could never be applied is refused with its place', async () => {
    await expect(one('apiVersion: v1\nkind: A\nmetadata: {name: a, labels: {version: 1}}\n')).rejects.toThrow(
      'Failed to unmarshal "x.yaml": line 1: metadata.labels["version"] must be a string, found number 1; put it in quotes',
    );
  });

  test('bytes that are not UTF-8 do not bring anything down', async () => {
    const bytes = new Uint8Array([0xc3, 0x28, 0x0a, ...encodeText('a: 1')]);
    expect(await names({ 'x.yaml': bytes }, {}, '')).toEqual([]);
  });
});
