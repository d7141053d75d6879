import { describe, expect, test } from 'vitest';
import { type FileTree, type HelmOptions, type MemoryFile, memoryTree } from '#base/model';
import { planHelm } from './helm.ts';
import { remoteValueFiles } from './helm-values.ts';

const context = {
  releaseName: 'web',
  namespace: 'prod',
  kubeVersion: 'v1.33.4+x',
  apiVersions: ['v1'],
  valuesFileSchemes: ['https'],
  refs: new Map<string, FileTree>(),
  remote: new Map<string, string>(),
};
const base: Record<string, MemoryFile> = { 'chart/Chart.yaml': 'name: x\n', 'chart/values.yaml': '' };

const plan = (
  options: HelmOptions,
  files: Record<string, MemoryFile> = {},
  more: Partial<typeof context> = {},
) => planHelm(memoryTree({ ...base, ...files }), 'chart', options, { ...context, ...more });

const valueFiles = async (
  names: string[],
  files: Record<string, MemoryFile> = {},
  more: Partial<HelmOptions> = {},
) => {
  const { args } = await plan({ valueFiles: names, ...more }, files);
  return args.flatMap((argument) =>
    typeof argument !== 'string' && 'path' in argument.file ? [argument.file.path] : [],
  );
};

describe('the command line of a chart (4.1)', () => {
  test('with nothing said', async () => {
    expect(await plan({})).toEqual({
      args: [
        ...['template', '.', '--name-template', 'web', '--namespace', 'prod', '--kube-version', '1.33.4'],
        ...['--api-versions', 'v1', '--include-crds'],
      ],
      folders: ['chart'],
      missing: [],
      declared: [],
    });
  });

  test('parameters: the last of a name counts, commas are escaped, lists are not', async () => {
    const { args } = await plan({
      parameters: [
        { name: 'a', value: '1' },
        { name: 's', value: 'x', forceString: true },
        { name: 'b', value: 'x,y\\,z' },
        { name: 'l', value: '{p,q}' },
        { name: 'a', value: '2' },
      ],
    });
    expect(args.filter((word) => typeof word === 'string' && word.includes('='))).toEqual([
      'b=x\\,y\\,z',
      'l={p,q}',
      'a=2',
      's=x',
    ]);
  });

  test('valuesObject wins over values, and follows all value files', async () => {
    const { args } = await plan({
      values: 'ignored: true',
      valuesObject: { n: 12345678901234567890n },
      valueFiles: ['values.yaml'],
    });
    const files = args.flatMap((argument) => (typeof argument === 'string' ? [] : [argument.file]));
    expect(files).toEqual([
      { tree: '', path: 'chart/values.yaml' },
      { name: 'values-of-the-application.yaml', text: '{"n":12345678901234567890}' },
    ]);
  });

  test('only the versions of helm we have', async () => {
    await expect(plan({ version: 'v3' })).resolves.toBeDefined();
    await expect(plan({ version: 'v2' })).rejects.toThrow("helm version 'v2' is not supported");
    await expect(plan({ kubeVersion: 'latest' })).rejects.toThrow('"latest" is no Kubernetes version');
  });

  test('local charts it depends on come along; missing ones are named', async () => {
    const chart = (...dependencies: string[]): string => `dependencies: [${dependencies.join(', ')}]\n`;
    const { folders, missing } = await plan(
      {},
      {
        'chart/Chart.yaml': chart(
          '{name: lib, repository: "file://../lib"}',
          '{name: redis, repository: "https://charts.example.com"}',
          '{name: vendored, repository: "https://charts.example.com"}',
          '{name: out, repository: "file://../../../etc"}',
        ),
        'chart/charts/vendored-1.0.0.tgz': '',
        'lib/Chart.yaml': chart('{name: deep, repository: "file://../deep"}'),
        'deep/Chart.yaml': 'name: deep\n',
      },
    );
    expect(folders).toEqual(['chart', 'deep', 'lib']);
    expect(missing.map(({ name }) => name)).toEqual(['lib', 'redis', 'out']);
  });
});

describe('value files (4.1.1)', () => {
  const files = {
    'chart/env/a.yaml': '',
    'chart/env/b.yaml': '',
    'chart/env/deep/c.yaml': '',
    'shared/x.yaml': '',
    'chart/link.yaml': { symlink: '../shared/x.yaml' },
  };

  test('are relative to the chart, or to the root after a slash', async () => {
    expect(
      await valueFiles(['env/a.yaml', '../shared/x.yaml', '/shared/x.yaml', 'link.yaml'], files),
    ).toEqual(['chart/env/a.yaml', 'shared/x.yaml', 'chart/link.yaml']);
  });

  test('patterns give files in order, a folder before its sub-folders, and leave listed ones alone', async () => {
    expect(await valueFiles(['env/**/*.yaml'], files)).toEqual([
      'chart/env/a.yaml',
      'chart/env/b.yaml',
      'chart/env/deep/c.yaml',
    ]);
    expect(await valueFiles(['env/*.yaml', 'env/a.yaml'], files)).toEqual([
      'chart/env/b.yaml',
      'chart/env/a.yaml',
    ]);
  });

  test('that are missing fail, unless that is allowed', async () => {
    await expect(valueFiles(['nope.yaml'])).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringContaining('set helm.ignoreMissingValueFiles'),
    });
    await expect(valueFiles(['nope/*.yaml'])).rejects.toThrow(
      'values file glob "nope/*.yaml" matched no files',
    );
    expect(
      await valueFiles(['nope.yaml', 'nope/*', 'values.yaml'], {}, { ignoreMissingValueFiles: true }),
    ).toEqual(['chart/values.yaml']);
  });

  test.each([
    ['../../etc/passwd', "file '../../etc/passwd' resolved to outside repository root"],
    ['/..', "file '/..' resolved to outside repository root"],
    ['..', 'resolved to outside repository root'],
    ['/', 'resolved to outside repository root'],
    ['a\0b', 'resolved to outside repository root'],
    ['env', 'is a folder'],
    ['https://example.com/v.yaml', 'was not fetched'],
    ['s3://bucket/v.yaml', "the URL scheme 's3' is not allowed"],
  ])('%j is refused', async (name, message) => {
    await expect(valueFiles([name], files)).rejects.toThrow(message);
  });

  test('of URLs are texts by then, in their place among the others (PATH-3)', async () => {
    const url = 'https://example.com/v.yaml';
    const { args } = await plan({ valueFiles: ['env/a.yaml', url, 'env/b.yaml'] }, files, {
      remote: new Map([[url, 'a: 1']]),
    });
    expect(args.flatMap((argument) => (typeof argument === 'string' ? [] : [argument.file]))).toEqual([
      { tree: '', path: 'chart/env/a.yaml' },
      { name: 'values-from-url-1.yaml', text: 'a: 1' },
      { tree: '', path: 'chart/env/b.yaml' },
    ]);
    const fileParameters = [{ name: 'a', path: url }];
    await expect(plan({ fileParameters }, files)).rejects.toThrow('cannot come from a URL');
    expect(remoteValueFiles({ valueFiles: ['HTTPS://x/y', 'a', url, url] }, ['https'])).toEqual([
      'HTTPS://x/y',
      url,
    ]);
    expect(() => remoteValueFiles({ valueFiles: [url] }, [])).toThrow(
      "the URL scheme 'https' is not allowed",
    );
  });

  test('a chain of links longer than ten is refused without telling where it leads (VFT-6)', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [
        `chart/l${at}`,
        { symlink: at === 11 ? 'values.yaml' : `l${at + 1}` },
      ]),
    );
    expect(await valueFiles(['l3'], chain)).toEqual(['chart/l3']);
    await expect(valueFiles(['l0'], chain)).rejects.toThrow('internal error: failed to resolve path');
  });

  test('of another source are found below its root under its name', async () => {
    const refs = new Map([['env', memoryTree({ 'p/v.yaml': '' })]]);
    const { args } = await plan({ valueFiles: ['$env/p/v.yaml'] }, {}, { refs });
    expect(args).toContainEqual({ file: { tree: 'env', path: 'p/v.yaml' }, as: 'values', prefix: '' });
    await expect(plan({ valueFiles: ['$env/../x'] }, {}, { refs })).rejects.toThrow(
      'outside repository root',
    );
    await expect(plan({ valueFiles: ['$other/x'] }, {}, { refs })).rejects.toThrow(
      'which is not one of the available sources ($env)',
    );
  });
});
