import { describe, expect, test } from 'vitest';
import { memoryTree } from '#base/model';
import { parse } from '#lang/yaml';
import { hasMatch, namedPlugin, pluginEnv, readPlugin } from './plugin.ts';

const read = (spec: string, name = 'cdk') =>
  readPlugin(parse(`kind: ConfigManagementPlugin\nmetadata: {name: ${name}}\nspec: ${spec}\n`), 'cdk.yaml');

describe('plugin.yaml (CMP-2)', () => {
  test('says what to run; its version is part of its name (CMP-3)', () => {
    expect(
      read('{version: v1, init: {command: [npm, ci]}, generate: {command: [sh, -c], args: [run]}}'),
    ).toEqual({
      name: 'cdk-v1',
      init: ['npm', 'ci'],
      generate: ['sh', '-c', 'run'],
    });
    expect(read('{generate: {command: [x]}}').name).toBe('cdk');
  });

  test('finds its files by name, else by pattern, else by a program (CMP-4)', () => {
    const discover = (text: string) => read(`{generate: {command: [x]}, discover: ${text}}`).discover;
    expect(discover('{fileName: a.ts, find: {glob: b}}')).toEqual({ glob: 'a.ts' });
    expect(discover('{find: {glob: "**/b.ts", command: [c]}}')).toEqual({ glob: '**/b.ts' });
    expect(discover('{find: {command: [c], args: [d]}}')).toEqual({ command: ['c', 'd'] });
    expect(discover('{}')).toBeUndefined();
  });

  test.each([
    ['kind: Other', 'cdk.yaml: expected a ConfigManagementPlugin with a spec'],
    ['kind: ConfigManagementPlugin\nspec: {}', 'cdk.yaml: metadata.name is missing'],
    [
      'kind: ConfigManagementPlugin\nmetadata: {name: x}\nspec: {generate: {args: [x]}}',
      'cdk.yaml: spec.generate.command is missing',
    ],
  ])('%j is refused', (text, message) => {
    expect(() => readPlugin(parse(text), 'cdk.yaml')).toThrow(message);
  });
});

test('a pattern is looked for below the folder of the source (CMP-4)', () => {
  const tree = memoryTree({ 'app/main.ts': '', 'app/deep/er/x.cdk': '', 'other/y.cdk': '' });
  expect(hasMatch(tree, 'app', 'main.ts')).toBe(true);
  expect(hasMatch(tree, 'app', './main.*')).toBe(true);
  expect(hasMatch(tree, 'app', '*.cdk')).toBe(false);
  expect(hasMatch(tree, 'app', '**/*.cdk')).toBe(true);
  expect(hasMatch(tree, '', 'other/*.cdk')).toBe(true);
  expect(hasMatch(tree, 'app', '../other/y.cdk')).toBe(false);
});

test('a plugin is named by its full name (CMP-3)', () => {
  const plugins = [read('{version: v1, generate: {command: [x]}}')];
  const source = (name?: string) => ({ repoURL: '', plugin: name === undefined ? {} : { name } });
  expect(namedPlugin(plugins, source('cdk-v1'))?.name).toBe('cdk-v1');
  expect(namedPlugin(plugins, source())).toBeUndefined();
  expect(() => namedPlugin(plugins, source('cdk'))).toThrow(
    'no config management plugin cdk: known are cdk-v1',
  );
});

test('what a plugin is told (CMP-5)', () => {
  const unknown = new Set<string>();
  const env = pluginEnv(
    {
      env: [
        { name: 'TAG', value: '$ARGOCD_APP_REVISION_SHORT-$NOPE' },
        { name: 'PATH', value: '/evil' },
      ],
      parameters: [
        { name: 'image-tag', string: 'v1' },
        { name: 'hosts', array: ['a', 'b'] },
        { name: 'labels', map: { 'team.name': 'x' } },
      ],
    },
    { ARGOCD_APP_NAME: 'shop', ARGOCD_APP_REVISION_SHORT: 'abc1234' },
    { version: 'v1.33.4-gke.1', apiVersions: ['v1', 'apps/v1'] },
    unknown,
  );
  expect(env).toEqual({
    ARGOCD_APP_NAME: 'shop',
    ARGOCD_APP_REVISION_SHORT: 'abc1234',
    KUBE_VERSION: '1.33.4',
    KUBE_API_VERSIONS: 'v1,apps/v1',
    ARGOCD_ENV_TAG: 'abc1234-',
    ARGOCD_ENV_PATH: '/evil',
    ARGOCD_APP_PARAMETERS:
      '[{"name":"image-tag","string":"v1"},{"name":"hosts","array":["a","b"]},{"name":"labels","map":{"team.name":"x"}}]',
    PARAM_IMAGE_TAG: 'v1',
    PARAM_HOSTS_0: 'a',
    PARAM_HOSTS_1: 'b',
    PARAM_LABELS_TEAM_NAME: 'x',
  });
  expect([...unknown]).toEqual(['NOPE']);
});
