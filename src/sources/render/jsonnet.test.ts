import { describe, expect, test } from 'vitest';
import { type DirectoryOptions, memoryTree, recordingTree } from '#base/model';
import { type Case, cases } from '../../../test/cases.ts';
import { renderDirectory } from './directory.ts';

type Input = { files: Record<string, string>; options?: DirectoryOptions; jsonnetEnabled?: boolean };
type Expect = { objects?: unknown[]; names?: string[]; code?: string; error?: string };

const render = ({ files, options = {}, jsonnetEnabled = true }: Input) =>
  renderDirectory(memoryTree(files), 'app', options, { jsonnetEnabled, maxCombinedBytes: 10_000_000 });

describe('jsonnet in a directory', () => {
  test.each(cases<Expect>(new URL('testdata/jsonnet/', import.meta.url)))(
    '$name',
    async ({ input: [input], expect: { objects, names, code, error } }: Case<Expect>) => {
      if (code !== undefined) {
        await expect(render(input)).rejects.toMatchObject({
          code,
          message: expect.stringContaining(error ?? ''),
        });
        return;
      }
      const rendered = await render(input);
      if (objects) expect(rendered.objects).toEqual(objects);
      else expect(rendered.objects.map(({ metadata }) => metadata.name)).toEqual(names);
    },
  );

  test('fields come in order (JSN-6)', async () => {
    const files = {
      'app/a.jsonnet': "{ kind: 'B', apiVersion: 'v1', metadata: { name: 'a', annotations: {} } }",
    };
    const { objects } = await render({ files });
    expect(JSON.stringify(objects)).toBe(
      '[{"apiVersion":"v1","kind":"B","metadata":{"annotations":{},"name":"a"}}]',
    );
  });

  test('a library behind too many links is refused without its path (VFT-6)', async () => {
    const links = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [`l${i}`, { symlink: i === 11 ? 'app' : `l${i + 1}` }]),
    );
    const tree = memoryTree({ 'app/a.jsonnet': "import 'x.libsonnet'", ...links });
    const settings = { jsonnetEnabled: true, maxCombinedBytes: 0 };
    await expect(renderDirectory(tree, 'app', { jsonnet: { libs: ['l0'] } }, settings)).rejects.toThrow(
      /: internal error: failed to resolve path\. Check logs for more details$/,
    );
  });

  test('whatever was imported, or looked for in vain, is on the record', async () => {
    const { tree, trace } = recordingTree(
      memoryTree({
        'app/a.jsonnet': "{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: import 'n.libsonnet' } }",
        'lib/n.libsonnet': "importstr 'n.txt'",
        'lib/n.txt': 'n',
      }),
    );
    const settings = { jsonnetEnabled: true, maxCombinedBytes: 0 };
    await renderDirectory(tree, 'app', { jsonnet: { libs: ['lib'] } }, settings);
    const asked = trace().map(({ question: ask, path }) => `${ask} ${path}`);
    expect(asked).toContain('resolve app/n.libsonnet');
    expect(asked).toContain('content lib/n.libsonnet');
    expect(asked).toContain('content lib/n.txt');
  });
});
