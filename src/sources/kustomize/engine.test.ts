import { describe, expect, test } from 'vitest';
import { memoryTree, recordingTree } from '#base/model';
import { cpuNow } from '../../../test/cpu-time.ts';
import { type BuildInput, buildKustomization } from './index.ts';

const configMap = (name: string, more = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${more}`;

const build = (files: Record<string, string | Uint8Array>, more: Partial<BuildInput> = {}) =>
  buildKustomization({ tree: memoryTree(files), path: 'app', ...more });

const names = async (built: ReturnType<typeof build>): Promise<unknown> => {
  const found = await built;
  return 'objects' in found ? found.objects.map((object) => object.metadata.name) : found;
};

describe('a build', () => {
  const files = { 'app/kustomization.yaml': 'resources: [c.yaml]\n', 'app/c.yaml': configMap('c') };

  test('takes an edited kustomization instead of the one in the tree', async () => {
    const edited = { path: 'app/kustomization.yaml', text: '{"resources": ["c.yaml"], "namePrefix": "x-"}' };
    expect(await names(build(files, { edited }))).toEqual(['x-c']);
  });

  test('takes files beside the kustomization only when it may (KL-2)', async () => {
    const beside = { 'app/kustomization.yaml': 'resources: [../c.yaml]\n', 'c.yaml': configMap('c') };
    expect(await build(beside)).toEqual({ declined: 'a file beside its kustomization' });
    expect(await names(build(beside, { isFree: true }))).toEqual(['c']);
  });

  test('asks its tree for everything that decides the result', async () => {
    const recording = recordingTree(memoryTree({ ...files, 'unrelated.txt': 'x' }));
    await buildKustomization({ tree: recording.tree, path: 'app' });
    const asked = recording.trace().map(({ question: ask, path }) => `${ask} ${path}`);
    expect(asked).toEqual(
      expect.arrayContaining([
        'content app/kustomization.yaml',
        'content app/c.yaml',
        'has app/kustomization.yml',
        'has app/Kustomization',
      ]),
    );
    expect(asked.filter((one) => one.includes('unrelated'))).toEqual([]);
  });

  test('does not hand out objects that a second build could change', async () => {
    const tree = memoryTree(files);
    const first = await buildKustomization({ tree, path: 'app' });
    if ('objects' in first) Object.assign(first.objects[0]?.metadata ?? {}, { name: 'changed' });
    expect(await names(buildKustomization({ tree, path: 'app' }))).toEqual(['c']);
  });

  test('lets others use the thread', async () => {
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses += 1;
    };
    await build(files, { pause });
    expect(pauses).toBeGreaterThan(1);
  });
});

describe('what is hostile is declined, soon', () => {
  const declined = async (files: Record<string, string | Uint8Array>): Promise<string> => {
    const built = await build(files);
    return 'declined' in built ? built.declined : 'built';
  };
  const one = (text: string | Uint8Array): Record<string, string | Uint8Array> => ({
    'app/kustomization.yaml': 'resources: [c.yaml]\n',
    'app/c.yaml': text,
  });

  test.each<[string, Record<string, string | Uint8Array>, string]>([
    ['aliases of aliases', one('a: &a [x]\nb: &b [*a, *a]\n'), 'a text with an anchor'],
    [
      'a value nested deeply',
      one(`${configMap('c')}data: ${'['.repeat(200)}${']'.repeat(200)}\n`),
      'nested deeper than 60',
    ],
    [
      'a large file',
      one(configMap('c', `data: {x: "${'y'.repeat(2_100_000)}"}\n`)),
      'more than 2000000 bytes',
    ],
    [
      'very many objects',
      one(Array.from({ length: 2_001 }, (_, at) => configMap(`c${at}`)).join('---\n')),
      'more than 2000 objects',
    ],
    ['bytes that are no text', one(Uint8Array.of(0x61, 0xff, 0xfe)), 'a file that is no UTF-8'],
    ['a key that is a prototype', one(configMap('c', 'data: {__proto__: {x: y}}\n')), '__proto__'],
    ['a folder that names itself', { 'app/kustomization.yaml': 'resources: [.]\n' }, 'a cycle'],
    [
      'a name that climbs out of the tree',
      { 'app/kustomization.yaml': 'resources: [../../../etc/passwd]\n' },
      'leaves the root',
    ],
    ['no text but line breaks', one('\n'.repeat(1_000_000)), 'no objects at all'],
    [
      'a pattern that takes forever',
      {
        ...one(configMap('a'.repeat(200))),
        'app/kustomization.yaml':
          'resources: [c.yaml]\npatches: [{target: {name: "(a*)*b"}, patch: "- {op: add, path: /data, value: {a: b}}"}]\n',
      },
      'a target with an odd pattern',
    ],
  ])('%s', async (_name, files, reason) => {
    const started = cpuNow();
    expect(await declined(files)).toContain(reason);
    expect(cpuNow() - started).toBeLessThan(5_000);
  });

  test('a patch for very many objects, very many times', async () => {
    const objects = Array.from({ length: 1_900 }, (_, at) => configMap(`c${at}`)).join('---\n');
    const patch = `{target: {kind: ConfigMap}, patch: "${'{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {a: b}}'}"}`;
    const patches = Array.from({ length: 300 }, () => patch).join(', ');
    const files = {
      'app/kustomization.yaml': `resources: [c.yaml]\npatches: [${patches}]\n`,
      'app/c.yaml': objects,
    };
    expect(await declined(files)).toContain('steps');
  });
});
