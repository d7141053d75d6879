import { isSecretName, secretMask } from './mask.ts';
import { maskYaml } from './mask-yaml.ts';
import { settingRowFor } from './settings-table.ts';

/**
 * The value of a setting with its secrets hidden. Settings hold none by design, but users write them there: where the text might
 * have one that is not found line by line, all of it is hidden. A reference to a Secret (`$name:key`) is shown.
 */
export function shownSetting(key: string, value: string): string {
  const isKnown = configMaps.some((configMap) => settingRowFor(configMap, key)?.support === 'used');
  if (key.startsWith('extension.config') || (!isKnown && isSecretName(key))) return secretMask;
  const text = maskYaml(value.trimEnd(), isSecretName, (one) => !String(one).startsWith('$'));
  if (mayHoldMore(text)) return secretMask;
  return text.replace(userInfo, (_whole, scheme: string, user: string, password?: string) =>
    password === undefined ? `${scheme}${secretMask}@` : `${scheme}${user}:${secretMask}@`,
  );
}

const configMaps = ['argocd-cm', 'argocd-cmd-params-cm'] as const;
const userInfo = /([a-z][a-z0-9+.-]*:\/\/)([^/\s:@?#'"]+)(?::([^/\s@?#'"]*))?@/gi;
const pair = /["']?([\w.-]+)["']?\s*:\s*([^\s,}\]]+)/g;

/** A secret in a flow map over several lines; a name with escapes, a name on a line of its own, or a value under an anchor. */
const mayHoldMore = (text: string): boolean =>
  /\\[ux]|^\s*\?\s|(?:^|\s)&\w/m.test(text) ||
  [...text.matchAll(pair)].some(
    ([, name = '', value = '']) => isSecretName(name) && value !== secretMask && !/^["']?\$/.test(value),
  );
