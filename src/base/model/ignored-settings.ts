import { equal } from '#base/std';
import { defaultSettings } from './default-settings.ts';
import type { GivenSetting, IgnoredSetting, Settings, SettingsProblem } from './settings.ts';
import { settingRowFor } from './settings-table.ts';
import { shownSetting } from './shown-setting.ts';

/** The settings before it is known what is wrong with them. */
export type Parsed = Omit<Settings, 'problems' | 'ignored' | 'given'>;
type Maps = Readonly<Record<SettingsProblem['configMap'], Readonly<Record<string, string>>>>;

const configMaps = ['argocd-cm', 'argocd-cmd-params-cm'] as const;

/** The keys that are set. */
export const givenSettings = (maps: Maps): GivenSetting[] =>
  configMaps.flatMap((configMap) =>
    Object.entries(maps[configMap]).flatMap(([key, value]) =>
      value === '' ? [] : [{ configMap, key, value: shownSetting(key, value) }],
    ),
  );

/**
 * The keys that are set and have no effect, by name. A value equal to the fixed behaviour is not one of them.
 */
export function ignoredSettings(maps: Maps, parsed: Parsed): IgnoredSetting[] {
  return givenSettings(maps).flatMap(({ configMap, key }) => {
    const message = ignoredBecause(configMap, key, parsed);
    return message === undefined ? [] : [{ configMap, key, message }];
  });
}

function ignoredBecause(
  configMap: SettingsProblem['configMap'],
  key: string,
  parsed: Parsed,
): string | undefined {
  const row = settingRowFor(configMap, key);
  if (!row) return isOfOthers(key) ? undefined : 'no effect: no setting has this name';
  if (row.support === 'used') return undefined;
  const isDefault = (field: string): boolean => equal(at(parsed, field), at(defaultSettings, field));
  if (row.fields.length > 0 && row.fields.every(isDefault)) return undefined;
  return row.support;
}

/** Keys that other programs or people keep there; a setting of Argo CD has dots or is one of the table. */
const isOfOthers = (key: string): boolean => key.startsWith('_') || key.includes('/');

const at = (settings: object, field: string): unknown =>
  field
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], settings);
