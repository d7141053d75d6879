import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isObject } from '#base/std';
import { defaultSettings } from './default-settings.ts';
import { parseSettings } from './parse-settings.ts';
import { settingRowFor, settingsTable } from './settings-table.ts';

const src = join(import.meta.dirname, '../..');
const rooms = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('base/model/'))
  .map((file) => readFileSync(join(src, file), 'utf8'))
  .join('\n');
const { problems, ignored, given, ...parsed } = defaultSettings;
/** Maps by name and lists are values, not groups of settings. */
const values = new Set(['resources.overrides', 'server.extensions', 'ui.downloads']);

const leaves = (value: object, path: readonly string[] = []): string[] =>
  Object.entries(value).flatMap(([name, inner]) => {
    const field = [...path, name].join('.');
    return isObject(inner) && !values.has(field) ? leaves(inner, [...path, name]) : [field];
  });
const namesOf = (field: string): [parent: string, leaf: string] => {
  const [leaf = '', parent = ''] = field.split('.').reverse();
  return [parent, leaf];
};
const fieldsOf = (isUsed: boolean): string[] => [
  ...new Set(
    settingsTable.filter(({ support }) => (support === 'used') === isUsed).flatMap((row) => row.fields),
  ),
];

test('every field of the settings stands in the table, and every field of the table in the settings', () => {
  const fields = new Set(settingsTable.flatMap((row) => row.fields));
  expect([...fields].sort()).toEqual(leaves(parsed).sort());
});

test('every key that the parser reads has a row of its own', () => {
  const keys = new Set<string>();
  const recording = (configMap: 'argocd-cm' | 'argocd-cmd-params-cm') =>
    new Proxy<Record<string, string>>(
      {},
      {
        get: (_target, key) => {
          if (typeof key === 'string') keys.add(`${configMap} ${key}`);
          return undefined;
        },
      },
    );
  parseSettings({ cm: recording('argocd-cm'), params: recording('argocd-cmd-params-cm') }, () => undefined);
  const rows = new Set(settingsTable.map(({ configMap, key }) => `${configMap} ${key}`));
  expect([...keys].filter((key) => !rows.has(key))).toEqual([]);
  expect(keys.size).toBeGreaterThan(100);
});

test('what is said to be ignored is read nowhere: whoever reads it corrects the table', () => {
  const used = new Set(fieldsOf(true));
  const read = fieldsOf(false).filter((field) => {
    const [parent, leaf] = namesOf(field);
    return !used.has(field) && parent !== '' && new RegExp(`\\b${parent}\\??\\.${leaf}\\b`).test(rooms);
  });
  expect(read).toEqual([]);
});

const reported = (cm: Record<string, string>, params: Record<string, string> = {}): string[] =>
  parseSettings({ cm, params }, (text) => JSON.parse(text)).ignored.map(
    ({ key, message }) => `${key}: ${message}`,
  );

test('a setting without effect is reported by its name', () => {
  const dex =
    'no effect: there is no Dex here; put issuer, clientID and clientSecret of your identity provider, or of a Dex of your own, into oidc.config';
  expect(
    reported(
      {
        'dex.config': 'connectors: []',
        'exec.enabled': 'true',
        'aplication.instanceLabelKey': 'x',
      },
      {
        'metrics.application-resource.labels': 'team',
        'applicationsetcontroller.policy': 'create-only',
        'applicationsetcontroller.log.level': 'debug',
        'redis.server': 'redis:6379',
      },
    ),
  ).toEqual([
    `dex.config: ${dex}`,
    'aplication.instanceLabelKey: no effect: no setting has this name',
    'metrics.application-resource.labels: no effect: Argo CD has no such setting; labels of applications are controller.metrics.application.labels',
    'applicationsetcontroller.log.level: not supported yet: the controller of ApplicationSets does not read it',
    'redis.server: no effect: Fairlead has no such separate component',
  ]);
});

test('what takes effect, or says what holds anyway, is not reported', () => {
  const used = { 'admin.enabled': 'false', 'users.session.duration': '1h', url: 'https://x.example' };
  const asItIs = { 'exec.enabled': 'false', 'statusbadge.enabled': 'false', 'oidc.config': '' };
  expect(reported({ ...used, ...asItIs }, { 'controller.status.processors': '20' })).toEqual([]);
});

test('an exact key wins over a family', () => {
  expect(settingRowFor('argocd-cmd-params-cm', 'controller.diff.server.side')?.support).toBe('used');
  expect(settingRowFor('argocd-cmd-params-cm', 'controller.log.level')?.key).toBe('controller.*');
});
