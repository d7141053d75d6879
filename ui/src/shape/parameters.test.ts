import { expect, test } from 'vitest';
import type { Source } from '#base/model';
import type { AppDetails } from '#serve/api';
import {
  editableSources,
  imageName,
  parameterProblem,
  parametersOf,
  withoutOverrides,
  withSource,
} from './parameters.ts';
import { sampleApplication } from './sample-application.ts';

const source = (more: Partial<Source> = {}): Source => ({
  repoURL: 'https://git.example/x',
  path: 'p',
  ...more,
});
const chart: AppDetails = {
  type: 'Helm',
  helm: {
    name: 'web',
    valueFiles: ['values.yaml', 'values-prod.yaml'],
    parameters: [
      { name: 'replicas', value: '2' },
      { name: 'image.tag', value: '1.0' },
    ],
  },
};
const kustomization: AppDetails = {
  type: 'Kustomize',
  kustomize: { images: ['reg:5000/web:1', 'redis@sha256:a'] },
};

const tableOf = (at: Source, details: AppDetails | undefined, title: string) => {
  const found = parametersOf(at, details).tables.find((one) => one.title === title);
  if (!found) throw new Error(`no ${title}`);
  return found;
};
const textOf = (at: Source, details: AppDetails | undefined, label: string) => {
  const found = parametersOf(at, details).texts.find((one) => one.label === label);
  if (!found) throw new Error(`no ${label}`);
  return found;
};

test('a chart offers its values, and shows which of them the application sets', () => {
  const at = source({
    helm: {
      parameters: [
        { name: 'replicas', value: '5' },
        { name: 'extra', value: 'x' },
      ],
    },
  });
  expect(tableOf(at, chart, 'Parameters').lines).toEqual([
    { name: 'replicas', value: '5', offered: '2', isSet: true },
    { name: 'image.tag', value: '1.0', offered: '1.0', isSet: false },
    { name: 'extra', value: 'x', isSet: true },
  ]);
  expect(textOf(at, chart, 'Values files').note).toContain('values-prod.yaml');
});

test('a parameter is set, changed with what else it has, and unset; an empty block leaves', () => {
  const set = tableOf(source(), chart, 'Parameters').change('replicas', '3');
  expect(set.helm).toEqual({ parameters: [{ name: 'replicas', value: '3' }] });
  expect(tableOf(set, chart, 'Parameters').change('replicas', undefined)).toEqual(source());
  const text = source({ helm: { parameters: [{ name: 'replicas', value: '3', forceString: true }] } });
  expect(tableOf(text, chart, 'Parameters').change('replicas', '4').helm?.parameters).toEqual([
    { name: 'replicas', value: '4', forceString: true },
  ]);
});

test('values files are lines, the release has a name, and values stay an object where they were one', () => {
  const at = source({ helm: { valuesObject: { a: 1 }, skipCrds: true } });
  expect(textOf(at, chart, 'Values files').change(' a.yaml \n\nb.yaml').helm?.valueFiles).toEqual([
    'a.yaml',
    'b.yaml',
  ]);
  expect(textOf(at, chart, 'Release name').change('x').helm?.releaseName).toBe('x');
  const values = textOf(at, chart, 'Values');
  expect(values.value).toBe('a: 1\n');
  expect(values.change('a: 2').helm).toEqual({ skipCrds: true, valuesObject: { a: 2 } });
  expect(values.change('a: [').helm).toEqual({ skipCrds: true, values: 'a: [' });
  expect(values.change('').helm).toEqual({ skipCrds: true });
  expect(textOf(source(), chart, 'Values').change('a: 2').helm).toEqual({ values: 'a: 2' });
});

test('what is wrong with values or replicas is reported before it is sent', () => {
  expect(parameterProblem(source({ helm: { values: 'a: [' } }))).toMatch(/^Values: /);
  expect(parameterProblem(source({ helm: { values: 'text' } }))).toContain('want fields');
  expect(parameterProblem(source({ helm: { values: 'a: 1' } }))).toBeUndefined();
  const many = tableOf(source(), kustomization, 'Replicas').change('web', 'many');
  expect(parameterProblem(many)).toContain('Replicas of web');
  expect(parameterProblem(tableOf(many, kustomization, 'Replicas').change('web', '3'))).toBeUndefined();
});

test('an image keeps its name in the override, or is replaced by another one', () => {
  const images = tableOf(source(), kustomization, 'Images');
  expect(images.lines.map(({ name }) => name)).toEqual(['reg:5000/web', 'redis']);
  expect(images.change('redis', 'redis:7').kustomize?.images).toEqual(['redis:7']);
  const moved = images.change('redis', 'mirror/redis:7');
  expect(moved.kustomize?.images).toEqual(['redis=mirror/redis:7']);
  expect(tableOf(moved, kustomization, 'Images').lines[1]).toEqual({
    name: 'redis',
    value: 'mirror/redis:7',
    offered: 'redis@sha256:a',
    isSet: true,
  });
  expect(['a', 'a:1', 'h:1/a:2', 'h:1/a', 'a=b:1', 'a@sha256:x'].map(imageName)).toEqual([
    ...['a', 'a', 'h:1/a', 'h:1/a', 'a', 'a'],
  ]);
});

test('a kustomization is read without what the application sets; its prefix and suffix are texts', () => {
  const at = source({
    kustomize: { images: ['a:2'], replicas: [{ name: 'web', count: 2 }], namePrefix: 'x-' },
  });
  expect(withoutOverrides(at).kustomize).toEqual({ namePrefix: 'x-' });
  expect(withoutOverrides(source())).toEqual(source());
  expect(textOf(at, kustomization, 'Name prefix').change('').kustomize?.namePrefix).toBeUndefined();
  expect(tableOf(at, kustomization, 'Replicas').change('web', '4').kustomize?.replicas).toEqual([
    { name: 'web', count: 4 },
  ]);
});

test('Jsonnet variables and those of a plugin are set by name', () => {
  const at = source({ directory: { recurse: true } });
  const set = tableOf(at, undefined, 'Jsonnet variables').change('env', 'prod');
  expect(set.directory).toEqual({ recurse: true, jsonnet: { extVars: [{ name: 'env', value: 'prod' }] } });
  expect(tableOf(set, undefined, 'Jsonnet variables').change('env', undefined)).toEqual(at);
  const plugin = source({ plugin: { name: 'p' } });
  const env = tableOf(plugin, undefined, 'Variables of the plugin').change('A', '1');
  expect(env.plugin).toEqual({ name: 'p', env: [{ name: 'A', value: '1' }] });
});

test('the type of a source that cannot be read is what it names', () => {
  expect(tableOf(source({ chart: 'web' }), undefined, 'Parameters').lines).toEqual([]);
  expect(tableOf(source({ kustomize: {} }), undefined, 'Images').lines).toEqual([]);
});

test('one of several sources is replaced, and the only one as well', () => {
  const one = sampleApplication();
  const [first] = editableSources(one);
  expect(withSource(one, 0, source()).spec.source).toEqual(source());
  const two = sampleApplication({}, { sources: [source(), source({ ref: 'values' })] });
  expect(withSource(two, 1, source({ path: 'q' })).spec.sources).toEqual([source(), source({ path: 'q' })]);
  expect(first?.repoURL).toBeDefined();
});
