import { commaList, parseBool } from './annotations.ts';
import type { Account, KustomizeVersion } from './settings.ts';
import type { SettingsReader } from './settings-reader.ts';

/*
 * Families of keys whose names carry data: accounts.NAME, kustomize.path.VERSION and their kin.
 */

type Capability = Account['capabilities'][number];

/** Local accounts by name, admin first. An account whose `enabled` cannot be read is off: it fails closed. */
export function readAccounts(cm: SettingsReader, adminEnabled: boolean): readonly Account[] {
  const accounts = new Map<string, Account>([
    ['admin', { name: 'admin', enabled: adminEnabled, capabilities: ['login'] }],
  ]);
  for (const [key, value] of Object.entries(cm.data)) {
    if (!key.startsWith('accounts.')) continue;
    const [name = '', suffix = '', ...more] = key.slice('accounts.'.length).split('.');
    if (name === '' || more.length > 0 || (suffix !== '' && suffix !== 'enabled')) {
      cm.problem(
        'error',
        key,
        'an account key is accounts.NAME or accounts.NAME.enabled, and NAME has no dots',
      );
      continue;
    }
    const account = accounts.get(name) ?? { name, enabled: true, capabilities: [] };
    accounts.set(
      name,
      suffix === '' ? withCapabilities(cm, key, account) : { ...account, enabled: isOn(cm, key, value) },
    );
  }
  return [...accounts.values()];
}

function withCapabilities(cm: SettingsReader, key: string, account: Account): Account {
  const words = commaList(cm.data[key]);
  const known = words.filter((word): word is Capability => word === 'apiKey' || word === 'login');
  const unknown = words.filter((word) => word !== 'apiKey' && word !== 'login');
  if (unknown.length > 0) {
    cm.problem('warning', key, `unknown capability ${unknown.join(', ')}; use apiKey, login or both`);
  }
  return { ...account, capabilities: [...new Set([...account.capabilities, ...known])] };
}

function isOn(cm: SettingsReader, key: string, value: string): boolean {
  const enabled = parseBool(value.trim());
  if (enabled === undefined)
    cm.problem('error', key, `"${value}" is not "true" or "false"; the account stays off`);
  return enabled ?? false;
}

/** Named Kustomize versions: their binaries and their build options. */
export function readKustomizeVersions(cm: SettingsReader): readonly KustomizeVersion[] {
  const versions = new Map<string, KustomizeVersion>();
  const add = (version: string, fields: Partial<KustomizeVersion>): void => {
    versions.set(version, { version, ...versions.get(version), ...fields });
  };
  for (const [key, value] of Object.entries(cm.data)) {
    const [, kind, version = ''] = /^kustomize\.(path|version|buildOptions)\.(.+)$/.exec(key) ?? [];
    if (kind === undefined) continue;
    if (kind === 'buildOptions') add(version, { buildOptions: value });
    else if (versions.get(version)?.path === undefined) add(version, { path: value });
    else
      cm.problem(
        'error',
        key,
        `version ${version} already has a path; keep one of kustomize.path and kustomize.version`,
      );
  }
  return [...versions.values()];
}

/** All values under `prefix` and `prefix.NAME`, by NAME. */
export function suffixes(reader: SettingsReader, prefix: string): Readonly<Record<string, string>> {
  const found = Object.entries(reader.data).filter(([key]) => key === prefix || key.startsWith(`${prefix}.`));
  return Object.fromEntries(found.map(([key, value]) => [key.slice(prefix.length + 1), value]));
}
