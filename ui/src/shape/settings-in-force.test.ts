import { expect, test } from 'vitest';
import { settingsTable } from '#base/model';
import { settingsInForce, settingsSentence, settingsWith } from './settings-in-force.ts';
import { textOf } from './span.ts';

const cm = 'argocd-cm';
const foreign = 'no effect: the page loads nothing from other hosts';
const view = {
  settingKeys: [
    { configMap: cm, key: 'timeout.reconciliation', value: '180s' },
    { configMap: cm, key: 'resource.exclusions', value: '- kinds: [Event]' },
    { configMap: cm, key: 'ga.trackingid', value: 'UA-1', ignored: foreign },
    { configMap: cm, key: 'users.session.duration', value: 'long', problem: 'want a duration' },
    { configMap: cm, key: 'oidc.config' },
  ],
};
const { set, defaults } = settingsInForce(view);

test('every key that is set stands there with its value, and with why it has no effect', () => {
  expect(set.map(({ key, value, trouble }) => [key, value, trouble])).toEqual([
    ['timeout.reconciliation', '180s', undefined],
    ['resource.exclusions', '- kinds: [Event]', undefined],
    ['ga.trackingid', 'UA-1', foreign],
    ['users.session.duration', 'long', 'want a duration'],
    ['oidc.config', undefined, undefined],
  ]);
  expect(set.at(-1)?.label).toBe('Single sign-on');
});

test('every other key of the table stands with its default', () => {
  const keys = new Set(set.map(({ configMap, key }) => `${configMap} ${key}`));
  expect(defaults.map(({ configMap, key }) => `${configMap} ${key}`)).toEqual(
    settingsTable.map(({ configMap, key }) => `${configMap} ${key}`).filter((one) => !keys.has(one)),
  );
  const find = (key: string) => defaults.find((one) => one.key === key);
  expect(find('timeout.hard.reconciliation')?.value).toBe('off');
  expect(find('application.resourceTrackingMethod')?.value).toBe('annotation');
  expect(find('helm.valuesFileSchemes')?.value).toBe('https, http');
  expect(find('controller.self.heal.backoff.timeout.seconds')?.value).toBe('2 s');
  expect(find('statusbadge.enabled')?.value).toBe('off');
  expect(find('hydrator.enabled')?.trouble).toContain('not supported yet');
});

test('a setting is found by its key, its words and its value', () => {
  expect(settingsWith(set, 'TIMEOUT').map(({ key }) => key)).toEqual(['timeout.reconciliation']);
  expect(settingsWith(set, 'event').map(({ key }) => key)).toEqual(['resource.exclusions']);
  expect(settingsWith(set, 'sign-on').map(({ key }) => key)).toEqual(['oidc.config']);
  expect(settingsWith(set, ' ')).toEqual(set);
});

test('the page opens with how much is set, and with what of it has no effect', () => {
  expect(textOf(settingsSentence({ set }))).toBe(
    '5 settings are set; ga.trackingid, users.session.duration do not take effect as written.',
  );
  expect(textOf(settingsSentence({ set: set.slice(0, 1) }))).toBe('1 setting is set, and it has its effect.');
  expect(textOf(settingsSentence({ set: [] }))).toBe('No setting is changed: each has its default.');
});
