import { describe, expect, test } from 'vitest';
import { memoryTree } from '#base/model';
import type { JsonObject } from '#base/std';
import { cases } from '../../../test/cases.ts';
import { dependencies } from './helm-dependencies.ts';
import { checkLock, readLock } from './helm-lock.ts';

type Verdict = 'fits' | 'out of sync';

describe('a lock (HDP-3)', () => {
  test.each(cases<Verdict>(new URL('./testdata/locks/', import.meta.url)))('$name', (one) => {
    const [chart, content] = one.input as [{ dependencies: JsonObject[] }, unknown];
    const lock = readLock('Chart.lock', content);
    const check = (): void => {
      if (lock) checkLock(lock, chart.dependencies, (repository) => repository);
    };
    expect(lock).toBeDefined();
    if (one.expect === 'fits') expect(check).not.toThrow();
    else expect(check).toThrow('Chart.lock is out of sync with the dependencies that Chart.yaml declares');
  });

  test('that names a repository by its URL fits wishes that name it by its name', () => {
    const wish = { name: 'web', version: '1.x', repository: '@ours' };
    const url = 'https://charts.example.com';
    // sha256 of [[{wish at its URL}],[{what was chosen}]], as helm prints it
    const lock = readLock('Chart.lock', {
      dependencies: [{ name: 'web', repository: url, version: '1.2.3' }],
      digest: 'sha256:0f041306862229d833ee48dd491e2d0d8a374493f1b72e37d8335831b4feeed7',
    });
    if (!lock) throw new Error('no lock');
    expect(() => checkLock(lock, [wish], () => url)).not.toThrow();
    expect(() => checkLock(lock, [wish], () => 'https://other.example.com')).toThrow('out of sync');
  });

  test('that is no lock is none', () => {
    expect(readLock('Chart.lock', 'words')).toBeUndefined();
    expect(readLock('Chart.lock', {})).toEqual({ file: 'Chart.lock', digest: '', dependencies: [] });
  });

  test('gives the versions of what is missing, and only of what the chart itself declares', async () => {
    const chart = JSON.stringify({
      dependencies: [
        { name: 'a', version: '^1', repository: 'https://x' },
        { name: 'b', version: '^2', repository: 'file://../b' },
        { version: 'nameless' },
      ],
    });
    const lock = JSON.stringify({ digest: 'x', dependencies: [{ name: 'a', version: '1.9.0' }] });
    const tree = memoryTree({
      'c/Chart.yaml': chart,
      'c/Chart.lock': lock,
      'b/Chart.yaml': JSON.stringify({ dependencies: [{ name: 'deep', repository: 'https://y' }] }),
    });
    const { missing, folders } = await dependencies(tree, 'c');
    expect(missing).toEqual([
      { name: 'a', version: '1.9.0', repository: 'https://x' },
      { name: 'b', version: '^2', repository: 'file://../b' },
    ]);
    expect(folders).toEqual(['b', 'c']);
  });
});
