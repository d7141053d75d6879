import { describe, expect, test } from 'vitest';
import { memoryTree, type Source } from '#base/model';
import { detectType, sourcePath } from './detect.ts';

const on = { helmEnabled: true, kustomizeEnabled: true };
const source = (more: Partial<Source> = {}): Source => ({ repoURL: 'https://h/r', path: 'a', ...more });
const typeOf = (files: string[], more: Partial<Source> = {}, switches = on) => {
  const tree = memoryTree(Object.fromEntries(files.map((file) => [`a/${file}`, ''])));
  return detectType(tree, 'a', source(more), switches).type;
};

describe('what a source is (1.11)', () => {
  test.each([
    [['x.yaml'], 'Directory'],
    [['Chart.yaml', 'values.yaml'], 'Helm'],
    [['kustomization.yaml'], 'Kustomize'],
    [['kustomization.yml'], 'Kustomize'],
    [['Kustomization'], 'Kustomize'],
    [['Chart.yaml', 'Kustomization'], 'Kustomize'],
    [['sub/Chart.yaml'], 'Directory'],
    [['Chart.yaml/x'], 'Directory'],
  ])('%j is %s', (files, type) => {
    expect(typeOf(files)).toBe(type);
  });

  test('what it says it is comes first', () => {
    expect(typeOf(['Chart.yaml'], { directory: { recurse: true } })).toBe('Directory');
    expect(typeOf(['x.yaml'], { kustomize: { namePrefix: 'x' } })).toBe('Kustomize');
    expect(() => typeOf([], { kustomize: {}, helm: {} })).toThrow(
      'multiple application sources defined: Kustomize,Helm',
    );
  });

  test('an engine that is off makes it plain files (DET-1)', () => {
    expect(typeOf(['Chart.yaml'], {}, { ...on, helmEnabled: false })).toBe('Directory');
    expect(typeOf(['Chart.yaml', 'Kustomization'], {}, { ...on, kustomizeEnabled: false })).toBe('Helm');
    expect(typeOf(['x'], { helm: { releaseName: 'x' } }, { ...on, helmEnabled: false })).toBe('Directory');
  });

  test('a name that only ends like a chart is told about (DET-3, DEV-11)', () => {
    const tree = memoryTree({ 'MyChart.yaml': '' });
    expect(detectType(tree, '', source(), on)).toEqual({
      type: 'Directory',
      warnings: ['MyChart.yaml is not taken for a chart: name it Chart.yaml, or set source.helm'],
    });
  });
});

describe('the folder of a source (PATH-1)', () => {
  const tree = memoryTree({ 'a/b/x.yaml': '', link: { symlink: 'a/b' }, file: '' });

  test.each([
    ['a/b', 'a/b'],
    ['./a/./b/', 'a/b'],
    ['a/../a', 'a'],
    ['.', ''],
    ['', ''],
    ['link', 'a/b'],
  ])('%s is %s', (path, expected) => {
    expect(sourcePath(tree, path)).toBe(expected);
  });

  test.each([
    ['/a', 'InvalidSpec', '/a: app path is absolute'],
    ['../x', 'InvalidSpec', '../x: app path outside root'],
    ['a/../../x', 'InvalidSpec', 'a/../../x: app path outside root'],
    ['nope', 'NotFound', 'nope: app path does not exist'],
    ['file', 'NotFound', 'file: app path is not a directory'],
    ['a\0', 'InvalidSpec', 'app path does not exist'],
  ])('%j is refused', (path, code, message) => {
    expect(() => sourcePath(tree, path)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });
});
