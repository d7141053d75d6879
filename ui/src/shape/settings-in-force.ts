import { defaultSettings, settingsTable } from '#base/model';
import type { ServerSettings, SettingsView } from '#serve/api';
import { counted, type Span, say } from './span.ts';
import { duration } from './time.ts';

/** One key of the settings. */
export type SettingLine = {
  readonly configMap: string;
  readonly key: string;
  /** What it is about, for the keys that have such words. */
  readonly label?: string;
  /** Undefined: it is set, and the server does not show this caller to what. */
  readonly value: string | undefined;
  /** Why it has no effect, or what is wrong with it; undefined: it is used. */
  readonly trouble?: string;
};

export type SettingsInForce = {
  readonly set: readonly SettingLine[];
  /** Every other key, with what holds as long as it is not set. */
  readonly defaults: readonly SettingLine[];
};

/** Every key that is set, and every other one that there is, with the value that is in force. */
export function settingsInForce(view: ServerSettings & SettingsView): SettingsInForce {
  const given = view.settingKeys ?? [];
  const isGiven = (configMap: string, key: string): boolean =>
    given.some((one) => one.configMap === configMap && isFor(key, one.key));
  const set = given.map(({ configMap, key, value, ignored, problem }): SettingLine => {
    const trouble = ignored ?? problem;
    return { configMap, key, ...labelOf(key), value, ...(trouble !== undefined && { trouble }) };
  });
  const defaults = settingsTable
    .filter(({ configMap, key }) => !isGiven(configMap, key))
    .map(({ configMap, key, fields, support }): SettingLine => {
      const value = fields.map(defaultOf).find((one) => one !== '') ?? '';
      return { configMap, key, ...labelOf(key), value, ...(support !== 'used' && { trouble: support }) };
    });
  return { set, defaults };
}

/** The lines that have a text in their key, words, value or trouble. */
export const settingsWith = (lines: readonly SettingLine[], text: string): readonly SettingLine[] => {
  const wanted = text.trim().toLowerCase();
  return lines.filter(({ key, label = '', value = '', trouble = '' }) =>
    `${key} ${label} ${value} ${trouble}`.toLowerCase().includes(wanted),
  );
};

/** How much is set, and what of it has no effect. */
export function settingsSentence({ set }: Pick<SettingsInForce, 'set'>): Span[] {
  if (set.length === 0) return [say('No setting is changed: each has its default.')];
  const idle = set.filter(({ trouble }) => trouble !== undefined);
  const amount = {
    text: `${counted(set.length, 'setting')} ${set.length === 1 ? 'is' : 'are'} set`,
    isStrong: true,
  };
  if (idle.length === 0)
    return [amount, say(set.length === 1 ? ', and it has its effect.' : ', and each has its effect.')];
  const names = idle.slice(0, 3).map(({ key }) => key);
  const more = idle.length > names.length ? ` and ${idle.length - names.length} more` : '';
  return [
    amount,
    say('; '),
    { text: names.join(', '), isCode: true },
    say(`${more} ${idle.length === 1 ? 'does' : 'do'} not take effect as written.`),
  ];
}

/** A key of the table that ends with a star stands for all that begin like it. */
const isFor = (row: string, key: string): boolean =>
  row.endsWith('*') ? key.startsWith(row.slice(0, -1)) : row === key;

/** The default of a field in words; empty: it is not set. */
function defaultOf(field: string): string {
  const value = field
    .split('.')
    .reduce<unknown>(
      (inner, name) => (inner as Record<string, unknown> | undefined)?.[name],
      defaultSettings,
    );
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number')
    return field.endsWith('Ms') ? (value === 0 ? 'off' : duration(value)) : String(value);
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join(', ') : '';
}

const labels: readonly (readonly [key: string, label: string])[] = [
  ['url', 'Address of this installation'],
  ['additionalUrls', 'More addresses'],
  ['application.resourceTrackingMethod', 'Tracking of resources'],
  ['application.instanceLabelKey', 'Label of tracked resources'],
  ['installationID', 'Installation id'],
  ['application.namespaces', 'Applications in any namespace'],
  ['application.sync.impersonation.enabled', 'Impersonation'],
  ['hydrator.enabled', 'Hydrator'],
  ['exec.enabled', 'Terminal'],
  ['server.sync.replace.allowed', 'Sync with replace'],
  ['oidc.config', 'Single sign-on'],
  ['admin.enabled', 'Account admin'],
  ['accounts.*', 'Local account'],
  ['passwordPattern', 'Pattern of passwords'],
  ['statusbadge.enabled', 'Status badge'],
  ['statusbadge.url', 'Address of the badge'],
  ['ui.bannercontent', 'Banner'],
  ['help.chatUrl', 'Chat'],
  ['help.download.*', 'Download'],
  ['kustomize.version.*', 'Kustomize version'],
  ['resource.customizations.*', 'Kind with rules of its own'],
  ['resource.exclusions', 'Kinds that are left out'],
  ['timeout.reconciliation', 'Time between refreshes'],
];

function labelOf(key: string): { label?: string } {
  const found = labels.find(([row]) => isFor(row, key));
  return found ? { label: found[1] } : {};
}
