import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gitRepository } from '../../../test/git-repository.ts';
import { configMap, type ManifestsFixture, manifestsFixture } from '../../../test/manifests.ts';

let the: ManifestsFixture;
beforeAll(async () => {
  the = await manifestsFixture();
});
afterAll(() => the.close());

describe('each source is asked for by its own record', () => {
  test('the depth of a referenced repository is its own, not that of the source that uses it (GIT-10)', async () => {
    const values = await gitRepository(join(the.folder, 'values'));
    await values.commit({ 'v.yaml': 'a: 1\n' });
    await values.commit({ 'v.yaml': 'a: 2\n' });
    await the.repo.commit({ 'app/x.yaml': configMap('x') });
    await the.repo.commit({ 'app/x.yaml': configMap('other') });
    const request = the.request(
      {},
      {
        sources: [
          { repoURL: the.repo.dir, targetRevision: 'main', path: 'app' },
          { repoURL: values.dir, targetRevision: 'main', ref: 'values' },
        ],
        multiSource: true,
        repositoryOf: (url) => ({ url, depth: url === values.dir ? 1 : 0 }),
      },
    );
    expect((await the.manifests.generate(the.ctx, request)).objects).toHaveLength(1);
    const mirrors = join(the.folder, 'cache/git');
    const shallow = await Promise.all(
      (await readdir(mirrors)).map((name) =>
        stat(join(mirrors, name, 'shallow')).then(
          () => true,
          () => false,
        ),
      ),
    );
    expect(shallow.sort()).toEqual([false, true]);
  });

  test('what is to be known about its credentials and its large files is told', async () => {
    await the.repo.commit({
      'lfs/x.yaml': `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12\n`,
      'lfs/y.yaml': configMap('kept'),
      '.gitattributes': '*.yaml filter=lfs\n',
    });
    const repositoryOf = (url: string) => ({ url, warnings: ['the template ends within a name'] });
    const { warnings } = await the.manifests.generate(
      the.ctx,
      the.request({ path: 'lfs' }, { repositoryOf }),
    );
    expect(warnings).toContain('the template ends within a name');
    expect(warnings).toContainEqual(expect.stringMatching(/^lfs\/x\.yaml is a Git LFS pointer/));
  });
});

describe('a demand for signatures', () => {
  test('keeps an unsigned commit from being rendered (INT-7)', async () => {
    const commit = await the.repo.commit({ 'app/x.yaml': configMap('x') });
    const demand = { mode: 'head' as const, keys: ['0123456789ABCDEF'], keyring: [] };
    const generating = the.manifests.generate(
      the.ctx,
      the.request({ path: 'app' }, { integrityOf: () => demand }),
    );
    await expect(generating).rejects.toMatchObject({
      code: 'PolicyFailed',
      message: `Failed verifying revision ${commit} by 'Ann Author <ann@example.com>': unsigned`,
    });
    const free = the.request({ path: 'app' }, { integrityOf: () => undefined });
    expect((await the.manifests.generate(the.ctx, free)).objects).toHaveLength(1);
  });

  test('that cannot be read is not taken for none (INT-2)', async () => {
    const integrityOf = () => ({ mode: 'unusable' as const, why: 'two policies cover it' });
    const generating = the.manifests.generate(the.ctx, the.request({ path: 'app' }, { integrityOf }));
    await expect(generating).rejects.toMatchObject({
      code: 'PolicyFailed',
      message: 'two policies cover it',
    });
  });
});
