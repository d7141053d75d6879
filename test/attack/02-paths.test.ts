import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Source } from '#base/model';
import { type ManifestsFixture, manifestsFixture } from '../manifests.ts';

// Attack 2: `../`, encoded, Windows and NUL paths wherever a source names a file; charts named `.` and `..`.

let the: ManifestsFixture;
beforeAll(async () => {
  the = await manifestsFixture();
  await writeFile(join(the.folder, 'host-secret.yaml'), 'stolen: "yes"\n');
  await the.repo.commit({
    'chart/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 0.1.0\n',
    'chart/templates/cm.yaml': [
      'apiVersion: v1',
      'kind: ConfigMap',
      'metadata: {name: c}',
      'data: {all: {{ .Values | toJson | quote }}}',
      '',
    ].join('\n'),
    'chart/v.yaml': 'fine: true\n',
    // helm splits --values at commas: this file's path would read as two files, the second on the host
    'chart/v.yaml,/etc/passwd': 'split: false\n',
    'chart/with "quotes", and blanks.yaml': 'quoted: true\n',
    'named/Chart.yaml': 'apiVersion: v2\nname: ".."\nversion: 0.1.0\n',
    'dotted/Chart.yaml': 'apiVersion: v2\nname: "."\nversion: 0.1.0\n',
    'climbing/Chart.yaml': 'apiVersion: v2\nname: ../../x\nversion: 0.1.0\n',
  });
});
afterAll(() => the.close());

const hostile = [
  '../../host-secret.yaml',
  '/../host-secret.yaml',
  'x/../../../host-secret.yaml',
  '..\\..\\host-secret.yaml',
  '%2e%2e/%2e%2e/host-secret.yaml',
  '..%2f..%2fhost-secret.yaml',
  'C:\\Windows\\win.ini',
  '/etc/passwd',
  '/proc/self/environ',
  'v.yaml\0.txt',
  '~/host-secret.yaml',
  '$HOME/x',
  'file:///etc/passwd',
];

const outcome = (source: Partial<Source>): Promise<string> =>
  the.manifests.generate(the.ctx, the.request({ path: 'chart', ...source })).then(
    ({ objects }) => JSON.stringify(objects),
    (error: Error & { code: string }) => `${error.code}: ${error.message}`,
  );

describe.each(hostile)('%j', (path) => {
  test('as the path of a source', async () => {
    const shown = await outcome({ path });
    expect(shown).toMatch(/^(InvalidSpec|NotFound): .*app path/s);
  });

  test('as a value file and as a file parameter', async () => {
    for (const helm of [{ valueFiles: [path] }, { fileParameters: [{ name: 'x', path }] }]) {
      const shown = await outcome({ helm });
      expect(shown).toMatch(/^(InvalidSpec|NotFound): /);
      expect(shown).not.toContain('stolen');
    }
  });

  test('as a value file that may be missing', async () => {
    const shown = await outcome({ helm: { valueFiles: [path], ignoreMissingValueFiles: true } });
    expect(shown).not.toMatch(/stolen|root:/);
  });

  test('below a $ref', async () => {
    const sources = [
      { repoURL: the.repo.dir, path: 'chart', helm: { valueFiles: [`$v/${path}`] } },
      { repoURL: the.repo.dir, ref: 'v' },
    ];
    const request = { ...the.request({}), multiSource: true, sources };
    await expect(the.manifests.generate(the.ctx, request)).rejects.toMatchObject({
      code: expect.stringMatching(/InvalidSpec|NotFound/),
    });
  });
});

test('a file whose name holds a comma is one file', async () => {
  const shown = await outcome({
    helm: { valueFiles: ['v.yaml,/etc/passwd', 'with "quotes", and blanks.yaml'] },
  });
  expect(shown).toContain('split');
  expect(shown).toContain('quoted');
  expect(shown).not.toContain('root:');
  const set = await outcome({ helm: { fileParameters: [{ name: 'x', path: 'v.yaml,/etc/passwd' }] } });
  expect(set).toContain('split: false');
});

test('a parameter cannot bring a flag of its own', async () => {
  const parameters = [
    { name: '--post-renderer', value: '/bin/sh' },
    { name: 'a=b --values /etc/passwd', value: 'x' },
  ];
  expect(await outcome({ helm: { parameters, releaseName: '--debug' } })).not.toContain('root:');
});

test.each(['named', 'dotted', 'climbing'])('a chart that is %s like a folder is refused', async (path) => {
  expect(await outcome({ path })).toMatch(/^RenderFailed: .*chart/s);
});

test.each(['.', '..', '../x', 'a/../../x', '%2e%2e', 'x\0y', '-x'])(
  'a chart of a repository by the name of %j is not got',
  async (chart) => {
    const source = { repoURL: 'https://192.0.2.1:1/charts', chart, targetRevision: '1.0.0' };
    expect(await outcome(source)).toMatch(/^(InvalidSpec|NotFound|Unavailable): /);
  },
);
