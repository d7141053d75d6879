import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configMap, type ManifestsFixture, manifestsFixture } from '../manifests.ts';
import { type TarItem, tgzOf } from '../tar.ts';

// Attack 3, as far as rendering goes: archives of charts that a repository carries in charts/, which the engine unpacks.

let the: ManifestsFixture;
beforeAll(async () => {
  the = await manifestsFixture();
});
afterAll(() => the.close());

const text = (name: string, content: string): TarItem => ({ name, content });
const sound: readonly TarItem[] = [
  text('sub/Chart.yaml', 'apiVersion: v2\nname: sub\nversion: 0.1.0\n'),
  text('sub/templates/cm.yaml', configMap('sub', 'all: {{ .Files.Get "stolen.txt" | quote }}')),
];

/** What comes of a chart that carries this archive. */
async function rendering(entries: readonly TarItem[]): Promise<string> {
  await the.repo.commit({
    chart: undefined,
    'chart/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 0.1.0\n',
    'chart/templates/own.yaml': configMap('own'),
    'chart/charts/sub-0.1.0.tgz': tgzOf(entries),
  });
  return the.manifests.generate(the.ctx, the.request({ path: 'chart' })).then(
    ({ objects }) => JSON.stringify(objects),
    (error: Error & { code: string }) => `${error.code}: ${error.message}`,
  );
}

test('an archive that is what it should be is rendered', async () => {
  expect(await rendering(sound)).toMatch(/"name":"own".*"name":"sub"|"name":"sub".*"name":"own"/);
});

test.each([
  ['climbs out', '../../../../../../../../tmp/fairlead-escaped'],
  ['is absolute', '/tmp/fairlead-escaped'],
  ['climbs out below its chart', 'sub/../../../../../../../../../tmp/fairlead-escaped'],
  ['climbs the Windows way', 'sub\\..\\..\\fairlead-escaped'],
  ['names a drive', 'c:\\fairlead-escaped'],
])('a name that %s writes nothing anywhere', async (_what, name) => {
  const outcome = await rendering([...sound, text(name, 'escaped')]);
  expect(outcome).toMatch(/^RenderFailed: |"name":"sub"/);
  expect(existsSync('/tmp/fairlead-escaped')).toBe(false);
  const left = await readdir(join(the.folder, 'cache/render'));
  expect(left.filter((entry) => entry !== 'contents')).toEqual([]);
});

test.each([
  ['a symlink', '2'],
  ['a hard link', '1'],
])('%s to a file of the machine reads nothing of it', async (_what, type) => {
  for (const link of ['/etc/passwd', '../../../../../../../../etc/passwd', '/proc/self/environ']) {
    const outcome = await rendering([...sound, { name: 'sub/stolen.txt', type, link }]);
    expect(outcome).not.toMatch(/root:|PATH=/);
    expect(outcome).toMatch(/^RenderFailed: |"all":""/);
  }
});

test.each([
  ['a character device', '3'],
  ['a block device', '4'],
  ['a pipe', '6'],
])('%s is not made', async (_what, type) => {
  expect(await rendering([...sound, { name: 'sub/stolen.txt', type }])).toMatch(/^RenderFailed: |"all":""/);
});

test('an archive that grows a thousandfold is stopped, and one of very many files ends', async () => {
  const zeros = Buffer.alloc(4 * 1024 * 1024);
  const bomb = Array.from({ length: 40 }, (_, at) => ({ name: `sub/zeros-${at}`, content: zeros }));
  expect(await rendering([...sound, ...bomb])).toMatch(/^(RenderFailed|LimitExceeded): /);
  const many = Array.from({ length: 100_000 }, (_, at) => ({ name: `sub/f${at}` }));
  expect(await rendering([...sound, ...many])).toMatch(/^(RenderFailed|LimitExceeded): |"name":"sub"/);
  expect(await rendering(sound)).toContain('"name":"sub"'); // and nobody else is harmed
});
