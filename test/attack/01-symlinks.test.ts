import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localTree } from '#sources/manifests';
import { configMap, type ManifestsFixture, manifestsFixture } from '../manifests.ts';

// Attack 1: a symlink in a repository, a chart or a kustomize base that points outside.

let the: ManifestsFixture;
const secret = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: stolen}\n';

beforeAll(async () => {
  the = await manifestsFixture();
  await writeFile(join(the.folder, 'host-secret.yaml'), secret);
});
afterAll(() => the.close());

const escapes: Record<string, Record<string, { symlink: string }>> = {
  'a file': { 'app/x.yaml': { symlink: '../../host-secret.yaml' } },
  'a folder': { 'app/sub': { symlink: '../..' } },
  'an absolute path': { 'app/x.yaml': { symlink: '/etc/passwd' } },
  'a path that leaves and comes back': { 'app/x.yaml': { symlink: '../../repo/app/real.yaml' } },
  'a link far from the application': { 'elsewhere/deep/l': { symlink: '../../../x' } },
  'a chain of links': {
    'app/z.yaml': { symlink: '../../host-secret.yaml' },
    'app/x.yaml': { symlink: 'y.yaml' },
    'app/y.yaml': { symlink: 'z.yaml' },
  },
  'a very long text': { 'app/x.yaml': { symlink: `${'./'.repeat(2000)}${'../'.repeat(9)}etc/passwd` } },
};

describe.each(Object.entries(escapes))('%s', (_what, links) => {
  const branch = `escape-${Math.abs(JSON.stringify(links).length)}`;

  beforeAll(async () => {
    await the.repo.git('checkout', '--quiet', '--orphan', branch);
    await the.repo.git('rm', '-r', '-f', '-q', '--ignore-unmatch', '.');
    await the.repo.commit({
      'app/real.yaml': configMap('real'),
      'kustomized/kustomization.yaml': 'resources: [../app/x.yaml, real.yaml]\n',
      'kustomized/real.yaml': configMap('real'),
      'chart/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 0.1.0\n',
      ...links,
    });
  });

  test.each(['app', 'kustomized', 'chart'])(
    'is refused for %s, whichever source it stands in',
    async (path) => {
      const generating = the.manifests.generate(the.ctx, the.request({ path, targetRevision: branch }));
      await expect(generating).rejects.toMatchObject({
        code: 'InvalidSpec',
        message: `repository contains out-of-bounds symlinks. file: ${Object.keys(links)[0]}`,
      });
    },
  );

  test('is not followed even when such links are allowed', async () => {
    const settings = { allowOutOfBoundsSymlinks: true };
    for (const path of ['app', 'kustomized', 'chart']) {
      const request = the.request(
        { path, targetRevision: branch, directory: undefined as never },
        { settings },
      );
      const shown = await the.manifests.generate(the.ctx, request).then(
        ({ objects }) => JSON.stringify(objects),
        (error: Error) => error.message,
      );
      expect(shown).not.toContain('stolen');
      expect(shown).not.toContain('root:');
    }
  });
});

test('a link that only a real file system would follow outside is not followed', async () => {
  // lexically `a/b/c/l` is `a/target`, but on a disk `x/..` is the parent of what x points to
  await the.repo.git('checkout', '--quiet', '--orphan', 'lexical');
  await the.repo.git('rm', '-r', '-f', '-q', '--ignore-unmatch', '.');
  await the.repo.commit({
    'z/keep.yaml': configMap('keep'),
    'a/b/x': { symlink: '../../z' },
    'a/b/c/l.yaml': { symlink: '../x/../../host-secret.yaml' },
    'a/b/c/kustomization.yaml': 'resources: [l.yaml]\n',
    'a/b/c/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 0.1.0\n',
    'a/b/c/templates/t.yaml': '{{ .Files.Get "l.yaml" }}',
  });
  for (const block of [
    { kustomize: { namePrefix: 'x-' } },
    { helm: { releaseName: 'x' } },
    { directory: { recurse: true } },
  ]) {
    const request = the.request({ path: 'a/b/c', targetRevision: 'lexical', ...block });
    const shown = await the.manifests.generate(the.ctx, request).then(
      ({ objects }) => JSON.stringify(objects),
      (error: Error) => error.message,
    );
    expect(shown).not.toContain('stolen');
  }
});

test('links inside the repository work, through folders and chains', async () => {
  await the.repo.git('checkout', '--quiet', '--orphan', 'inside');
  await the.repo.git('rm', '-r', '-f', '-q', '--ignore-unmatch', '.');
  await the.repo.commit({
    'real/cm.yaml': configMap('linked'),
    hop: { symlink: 'real' },
    'app/kustomization.yaml': 'resources: [base]\n',
    'app/base': { symlink: '../base' },
    'base/kustomization.yaml': 'resources: [cm.yaml]\n',
    'base/cm.yaml': configMap('based'),
    'chart/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 0.1.0\n',
    'chart/templates': { symlink: '../hop' },
    'loop/a': { symlink: 'b' },
    'loop/b': { symlink: 'a' },
    'loop/cm.yaml': configMap('looped'),
  });
  expect(await the.names({ path: 'app', targetRevision: 'inside' })).toEqual(['based']);
  expect(await the.names({ path: 'chart', targetRevision: 'inside' })).toEqual(['linked']);
  expect(await the.names({ path: 'hop', targetRevision: 'inside' })).toEqual(['linked']);
  expect(await the.names({ path: 'loop', targetRevision: 'inside' })).toEqual(['looped']);
});

test('a file or folder of this machine that becomes a link after it was looked at is not followed', async () => {
  const root = join(the.folder, 'swapped');
  await mkdir(join(root, 'app/sub'), { recursive: true });
  await writeFile(join(root, 'app/x.yaml'), configMap('x'));
  await writeFile(join(root, 'app/sub/host-secret.yaml'), configMap('y'));
  const tree = localTree(root);
  expect([tree.kind('app/x.yaml'), tree.kind('app/sub/host-secret.yaml')]).toEqual(['file', 'file']);
  await rm(join(root, 'app/x.yaml'));
  await symlink(join(the.folder, 'host-secret.yaml'), join(root, 'app/x.yaml'));
  await rename(join(root, 'app/sub'), join(root, 'app/gone'));
  await symlink(the.folder, join(root, 'app/sub'));
  for (const path of ['app/x.yaml', 'app/sub/host-secret.yaml']) {
    await expect(tree.read(path)).rejects.toMatchObject({ code: 'Unavailable' });
  }
});

test('a branch that moves to such a link after it was looked at changes nothing', async () => {
  await the.repo.git('checkout', '--quiet', '--orphan', 'moving');
  await the.repo.git('rm', '-r', '-f', '-q', '--ignore-unmatch', '.');
  const commit = await the.repo.commit({ 'app/x.yaml': configMap('honest') });
  const tree = await the.sources.openTree(the.ctx, { url: the.repo.dir }, commit);
  await the.repo.commit({ 'app/x.yaml': { symlink: '../../host-secret.yaml' } });
  expect(await tree.text('app/x.yaml')).toContain('honest');
});
