import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { viewOf } from '#base/model';
import { FairleadError, virtualClock } from '#base/std';
import { bytes, json, openStore, type Store } from '#platform/store';
import { configMap, type ManifestsFixture, manifestsFixture } from '../../../test/manifests.ts';
import { Failures } from './failures.ts';
import { createManifests, type ManifestLimits, type Manifests } from './index.ts';
import { changedPart, renderKeyOf, storedParts } from './render-key.ts';

// On the real store, because what it must survive is a real disk.
let the: ManifestsFixture;
beforeAll(async () => {
  the = await manifestsFixture();
  await the.repo.commit({
    'plain/a.yaml': configMap('a'),
    'other/o.yaml': configMap('o'),
    'chart/Chart.yaml': 'apiVersion: v2\nname: chart\nversion: 0.1.0\n',
    'chart/templates/cm.yaml': configMap('{{ .Release.Name }}', 'x: {{ .Values.x | quote }}'),
  });
});
afterAll(() => the.close());

let stores = 0;
type Life = { readonly manifests: Manifests; readonly store: Store; end(): Promise<void> };

/** One life of a process over a store on disk; another may follow in the same folder. */
async function life(dir: string, limits: Partial<ManifestLimits> = {}): Promise<Life> {
  stores += 1;
  const store = await openStore(join(the.folder, dir));
  const cacheDir = join(the.folder, `life-${stores}`);
  const { sources } = the;
  const manifests = createManifests({ cacheDir, sources, tools: the.tools, store, limits });
  return {
    manifests,
    store,
    end: async () => {
      await manifests.close();
      await store.close();
    },
  };
}

const asked = async (
  { manifests }: Pick<Life, 'manifests'>,
  ...[source, more]: Parameters<ManifestsFixture['request']>
) => {
  const { objects, cached, why } = await manifests.generate(the.ctx, the.request(source, more));
  return {
    names: objects.map(({ metadata }) => metadata.name),
    data: objects.map((object) => viewOf<{ data?: object }>(object).data),
    cached,
    why,
  };
};

const unchanged = 'nothing it depends on has changed';

describe('a result that was kept', () => {
  test('serves the next process, until its files change', async () => {
    const first = await life('restarts');
    expect(await asked(first, { path: 'plain' })).toMatchObject({ cached: false });
    await first.end();
    const second = await life('restarts');
    expect(await asked(second, { path: 'plain' })).toMatchObject({
      cached: true,
      why: unchanged,
      names: ['a'],
    });
    await second.end();
    await the.repo.commit({ 'plain/a.yaml': configMap('a', 'x: "2"') });
    const third = await life('restarts');
    expect(await asked(third, { path: 'plain' })).toMatchObject({
      cached: false,
      why: 'plain/a.yaml changed',
    });
    await third.end();
  });

  test('CCH-4: is passed over when anything of it is damaged', async () => {
    for (const table of ['render-bodies', 'render-notes']) {
      const first = await life(`damage-${table}`);
      const { names } = await asked(first, { path: 'plain' });
      await first.manifests.close();
      const notes = first.store.table<{ trace: object }>('render-notes', json());
      const pieces = first.store.table('render-bodies', bytes);
      const changes =
        table === 'render-bodies'
          ? [...pieces.range()].map(([key]) => pieces.put(key, Buffer.from('[]')))
          : [...notes.range()].map(([key, note]) =>
              notes.put(key, { ...note, trace: { ...note.trace, asked: {} } }),
            );
      expect(changes).toHaveLength(1);
      await first.store.write(changes);
      await first.end();
      const second = await life(`damage-${table}`);
      expect(await asked(second, { path: 'plain' })).toMatchObject({ cached: false, names });
      await second.end();
    }
  });

  test('is right for every branch, a force-push and a tag that moved', async () => {
    const one = await life('branches');
    const at = (targetRevision: string) => asked(one, { path: 'plain', targetRevision });
    await the.repo.git('checkout', '--quiet', '-b', 'side');
    await the.repo.commit({ 'plain/a.yaml': configMap('side') });
    await the.repo.git('tag', 'release');
    await the.repo.git('checkout', '--quiet', 'main');
    expect(await at('main')).toMatchObject({ names: ['a'], cached: false });
    expect(await at('side')).toMatchObject({ names: ['side'], cached: false });
    expect(await at('release')).toMatchObject({ names: ['side'], cached: true });
    expect(await at('main')).toMatchObject({ names: ['a'], cached: true });

    await the.repo.git('checkout', '--quiet', 'side');
    await the.repo.git('reset', '--quiet', '--hard', 'main');
    await the.repo.commit({ 'plain/a.yaml': configMap('rewritten') });
    await the.repo.git('tag', '--force', 'release', 'main');
    await the.repo.git('checkout', '--quiet', 'main');
    expect(await at('side')).toMatchObject({ names: ['rewritten'], cached: false });
    expect(await at('release')).toMatchObject({ names: ['a'], cached: true });
    await one.end();
    const two = await life('branches');
    expect(await asked(two, { path: 'plain', targetRevision: 'side' })).toMatchObject({ cached: true });
    expect(await asked(two, { path: 'plain' })).toMatchObject({ cached: true, names: ['a'] });
    await two.end();
  });

  test('serves every application that renders the same, and CCH-5: only those', async () => {
    const one = await life('sharing');
    const other = { app: { name: 'other', project: 'else' }, destinationNamespace: 'else' };
    await asked(one, { path: 'plain' });
    expect(await asked(one, { path: 'plain' }, other)).toMatchObject({ cached: true });

    await asked(one, { path: 'chart' });
    expect(await asked(one, { path: 'chart' }, other)).toMatchObject({ cached: false, names: ['other'] });
    expect(await asked(one, { path: 'chart' }, { destinationNamespace: 'x' })).toMatchObject({
      why: 'namespace changed from shop-ns to x',
    });
    const kube = { version: '1.31.0', apiVersions: [] };
    expect(await asked(one, { path: 'chart' }, { destinationNamespace: 'x', kube })).toMatchObject({
      why: 'kube version changed from v1.33.4+build to 1.31.0',
    });
    const more = { version: '1.31.0', apiVersions: ['example.com/v1'] };
    expect(await asked(one, { path: 'chart' }, { destinationNamespace: 'x', kube: more })).toMatchObject({
      why: 'API versions changed',
    });
    await one.end();
  });

  test('names the parameter that changed, also after a restart, and never its value', async () => {
    const helm = (value: string) => ({ path: 'chart', helm: { parameters: [{ name: 'x', value }] } });
    const one = await life('parameters');
    await asked(one, helm('hunter2'));
    expect(await asked(one, helm('other'))).toMatchObject({
      why: 'source.helm.parameters changed',
      data: [{ x: 'other' }],
    });
    expect(await asked(one, helm('hunter2'))).toMatchObject({ cached: true, data: [{ x: 'hunter2' }] });
    await one.end();
    const two = await life('parameters');
    expect((await asked(two, helm('third'))).why).toBe('source.helm.parameters changed');
    await two.end();
  });

  test('CCH-1: is not used when a hard refresh asks for a render', async () => {
    const one = await life('hard');
    await asked(one, { path: 'plain' });
    expect(await asked(one, { path: 'plain' }, { refresh: 'hard' })).toMatchObject({
      cached: false,
      why: 'a hard refresh was requested',
    });
    await one.end();
  });
});

describe('on disk', () => {
  test('there is room for so much and so many, and the longest unused goes first', async () => {
    const limits = { entries: 6 };
    const one = await life('bounded', limits);
    for (let at = 0; at < 20; at++) await asked(one, { path: 'plain', directory: { exclude: `x${at}` } });
    await one.manifests.close();
    for (const name of ['render-notes', 'render-bodies']) {
      const kept = [...one.store.table(name, json()).range()].length;
      expect(kept).toBeGreaterThan(0);
      expect(kept).toBeLessThanOrEqual(6);
    }
    await one.end();
    const two = await life('bounded', limits);
    expect(await asked(two, { path: 'plain', directory: { exclude: 'x19' } })).toMatchObject({
      cached: true,
    });
    expect(await asked(two, { path: 'plain', directory: { exclude: 'x0' } })).toMatchObject({
      cached: false,
    });
    await two.end();

    const small = await life('small', { disk: 5_000 });
    for (let at = 0; at < 30; at++) await asked(small, { path: 'plain', directory: { exclude: `x${at}` } });
    await small.manifests.close();
    const notes = [...small.store.table<{ bytes: number }>('render-notes', json()).range()];
    expect(notes.reduce((sum, [, note]) => sum + note.bytes, 0)).toBeLessThanOrEqual(5_000);
    await small.end();
  });

  test('no Secret is ever written down', async () => {
    await the.repo.commit({
      'secret/s.yaml':
        'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {p: correct-horse-battery}\n',
    });
    const one = await life('secrets');
    expect(await asked(one, { path: 'secret' })).toMatchObject({ cached: false, names: ['s'] });
    expect(await asked(one, { path: 'secret' })).toMatchObject({ cached: true });
    await asked(one, { path: 'plain' });
    await one.end();
    const dir = join(the.folder, 'secrets');
    const files = await Promise.all((await readdir(dir)).map((name) => readFile(join(dir, name), 'latin1')));
    expect(files.join('')).toContain('plain/a.yaml'); // what is not secret is there
    expect(files.join('')).not.toContain('correct-horse-battery');
    const two = await life('secrets');
    expect(await asked(two, { path: 'secret' })).toMatchObject({ cached: false, names: ['s'] });
    await two.end();
  });
});

test('an engine of another version renders anew, and says so', () => {
  const parts = (version: string) =>
    storedParts(renderKeyOf(['a'], { type: 'Helm', 'helm version': version }));
  expect(changedPart(parts('4.0.1'), parts('4.0.2'))).toBe('helm version changed from 4.0.1 to 4.0.2');
  expect(renderKeyOf(['a'], { 'helm version': '4.0.1' }).key).not.toBe(
    renderKeyOf(['a'], { 'helm version': '4.0.2' }).key,
  );
});

describe('CCH-2: a failure that may pass', () => {
  test('is told again after three in a row, until an hour after the first', async () => {
    const clock = virtualClock({ start: new Date('2026-01-01T00:00:00Z') });
    const ctx = { ...the.ctx, clock };
    const failures = new Failures();
    const fail = () => failures.note(ctx, 'k', new FairleadError('LimitExceeded', 'it took too long'));
    fail();
    fail();
    expect(failures.standing(ctx, 'k')).toBeUndefined();
    await clock.advance(50 * 60_000);
    fail();
    expect(failures.standing(ctx, 'k')).toMatchObject({
      code: 'LimitExceeded',
      message: 'Manifest generation error (cached): it took too long',
    });
    expect(failures.standing(ctx, 'another')).toBeUndefined();
    await clock.advance(10 * 60_000);
    expect(failures.standing(ctx, 'k')).toBeUndefined();
    fail();
    expect(failures.standing(ctx, 'k')).toBeUndefined(); // counted from the beginning
  });

  test('is forgotten by a success', () => {
    const failures = new Failures();
    for (let at = 0; at < 3; at++) failures.note(the.ctx, 'k', new FairleadError('Unavailable', 'down'));
    failures.clear('k');
    expect(failures.standing(the.ctx, 'k')).toBeUndefined();
  });

  test('keeps an engine that takes too long from running again and again', async () => {
    const one = await life('slow', { ms: 1 });
    const fails = (more = {}) =>
      one.manifests.generate(the.ctx, the.request({ path: 'chart' }, more)).catch((e: Error) => e.message);
    for (let at = 0; at < 3; at++)
      expect(await fails()).toMatch(/^`helm template chart` was stopped: it ran longer/);
    expect(await fails()).toMatch(/^Manifest generation error \(cached\): `helm template chart` was stopped/);
    expect(await fails({ refresh: 'hard' })).toMatch(/^`helm template chart` was stopped/);
    await one.end();
  });
});
