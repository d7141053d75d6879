import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Source } from '#base/model';
import { type GitRepositoryFixture, gitRepository } from '../../../test/git-repository.ts';
import { configMap, type ManifestsFixture, manifestsFixture } from '../../../test/manifests.ts';
import type { ManifestRequest } from './index.ts';

let the: ManifestsFixture;
let values: GitRepositoryFixture;
beforeAll(async () => {
  the = await manifestsFixture();
  values = await gitRepository(join(the.folder, 'values'));
});
afterAll(() => the.close());

/** A file that a render reads and the user did not name, and one that the user did. */
const files = (read: string, named: string): Record<string, string> => ({
  'app/kustomization.yaml': 'resources: [../base, own.yaml]\n',
  'app/own.yaml': configMap('own', named),
  'base/kustomization.yaml': 'resources: [cm.yaml]\n',
  'base/cm.yaml': configMap('base', read),
});
const under = (path: string) => (_source: Source, changed: readonly string[]) =>
  changed.some((file) => file.startsWith(path));
const since = (revisions: readonly string[], path = 'app/'): Pick<ManifestRequest, 'since'> => ({
  since: { revisions: [revisions], concerns: under(path) },
});
const at = async (more: Partial<ManifestRequest> = {}, source: Partial<Source> = { path: 'app' }) => {
  const generated = await the.manifests.generate(the.ctx, the.request(source, more));
  const { revisions, mayHaveChanges, cached, why } = generated;
  return { data: JSON.stringify(generated.objects), revisions, mayHaveChanges, cached, why };
};

describe('since a revision that was rendered before (MGP-4)', () => {
  test('what changed beside the paths that matter is passed over, and the revision moves on', async () => {
    const first = await the.repo.commit(files('x: "1"', 'x: "1"'));
    expect(await at()).toMatchObject({ mayHaveChanges: true, revisions: [first] });
    const beside = await the.repo.commit(files('x: "2"', 'x: "1"'));
    const passed = await at(since([first]));
    expect(passed).toMatchObject({ mayHaveChanges: false, cached: true, revisions: [beside] });
    expect(passed.why).toBe('no path that manifest-generate-paths names has changed');
    expect(passed.data).not.toContain('"x":"2"');
    expect((await at()).data).toContain('"x":"2"'); // nobody said what may be passed over
  });

  test('what changed in them is rendered, and so is all that changed on the way', async () => {
    const first = await the.repo.commit(files('x: "1"', 'x: "3"'));
    await at();
    await the.repo.commit(files('x: "4"', 'x: "3"'));
    const second = await the.repo.commit(files('x: "4"', 'x: "5"'));
    const rendered = await at(since([first]));
    expect(rendered).toMatchObject({ mayHaveChanges: true, revisions: [second] });
    expect(rendered.data).toMatch(/"x":"4".*"x":"5"/);
  });

  test('every revision of before counts, and nothing new is no change', async () => {
    const old = await the.repo.commit(files('x: "6"', 'x: "6"'));
    const compared = await the.repo.commit(files('x: "6"', 'x: "7"'));
    await at();
    expect(await at(since([compared]))).toMatchObject({ mayHaveChanges: false });
    expect(await at(since([compared, old]))).toMatchObject({ mayHaveChanges: true, cached: true });
  });

  test('what is not in the cache is rendered at the new revision', async () => {
    const first = await the.repo.commit(files('x: "8"', 'x: "8"'));
    await the.repo.commit(files('x: "9"', 'x: "8"'));
    const rendered = await at(since([first]));
    expect(rendered).toMatchObject({ mayHaveChanges: false, cached: false });
    expect(rendered.data).toContain('"x":"9"');
  });

  test.each([
    ['a commit that is gone', () => since(['a'.repeat(40)])],
    ['no commit at all', () => since(['1.2.3'])],
    ['nothing', () => since([])],
  ])('with %s to compare with, everything may have changed', async (_what, more) => {
    expect(await at(more())).toMatchObject({ mayHaveChanges: true });
  });

  test('a hard refresh passes nothing over, and a shallow repository cannot tell (GIT-9)', async () => {
    const first = await the.repo.commit(files('x: "10"', 'x: "10"'));
    await at();
    await the.repo.commit(files('x: "11"', 'x: "10"'));
    const hard = await at({ ...since([first]), refresh: 'hard' });
    expect(hard).toMatchObject({ mayHaveChanges: true, cached: false });
    const shallow = { repositoryOf: (url: string) => ({ url, depth: 1 }) };
    expect(await at({ ...since([first]), ...shallow })).toMatchObject({ mayHaveChanges: true });
  });

  test('a repository that lends value files counts by the same paths, and one that lends nothing does not (MGP-5, MGP-7)', async () => {
    const chart = await the.repo.commit({
      'chart/Chart.yaml': 'apiVersion: v2\nname: c\nversion: 0.1.0\n',
      'chart/templates/cm.yaml': configMap('c', 'x: {{ .Values.x | quote }}'),
    });
    const lent = await values.commit({ 'env/v.yaml': 'x: 1\n', 'other.txt': '1' });
    const lender: Source = { repoURL: values.dir, targetRevision: 'main', ref: 'v' };
    const asked = (valueFiles: string[], base: readonly (readonly string[])[]): Partial<ManifestRequest> => ({
      multiSource: true,
      sources: [
        { repoURL: the.repo.dir, targetRevision: 'main', path: 'chart', helm: { valueFiles } },
        lender,
      ],
      since: { revisions: base, concerns: under('env/') },
    });
    const using = ['$v/env/v.yaml'];
    await at(asked(using, []));
    await values.commit({ 'other.txt': '2' });
    expect(await at(asked(using, [[chart], [lent]]))).toMatchObject({ mayHaveChanges: false, cached: true });
    await values.commit({ 'env/v.yaml': 'x: 2\n' });
    expect(await at(asked(using, [[chart], [lent]]))).toMatchObject({ mayHaveChanges: true });
    expect(await at(asked([], [[chart], [lent]]))).toMatchObject({ mayHaveChanges: false });
  });
});
