type Hide = (value: unknown) => unknown;
type IsSecret = (name: string) => boolean;

const entry = /^(\s*(?:- +)*)(["']?)([^\s"':#][^"':]*)\2(\s*:)(\s+)?(.*)$/;

/** Whether a text of Helm values has a key that looks secret. */
export const isMaskedYaml = (text: string, isSecret: IsSecret): boolean =>
  text.split('\n').some((line) => {
    const [, , , key = '', , , value = ''] = entry.exec(line) ?? [];
    return isSecret(key) || hasSecretKey(value, isSecret);
  });

/**
 * Hides the values of keys that look secret in a text of Helm values, line by line: the rest of the text
 * stays as its author wrote it. Everything below such a key is hidden with it, block scalars and nested maps
 * included; a flow map that contains such a key is hidden whole.
 */
export function maskYaml(text: string, isSecret: IsSecret, hide: Hide): string {
  const shown: string[] = [];
  let inside = Number.POSITIVE_INFINITY;
  for (const line of text.split('\n')) {
    const indent = line.search(/\S/);
    if (indent >= 0 && indent <= inside) inside = Number.POSITIVE_INFINITY;
    if (indent > inside) {
      hide(unquoted(line.replace(/^\s*(?:- +)*(?:[^\s:]+:\s+)?/, '')));
      continue;
    }
    const [, lead = '', quote = '', key = '', colon = '', gap = '', value = ''] = entry.exec(line) ?? [];
    if (key === '' || !(isSecret(key) || hasSecretKey(value, isSecret))) {
      shown.push(line);
      continue;
    }
    inside = lead.length;
    shown.push(`${lead}${quote}${key}${quote}${colon}${gap || ' '}${shownOf(value, hide)}`);
  }
  return shown.join('\n');
}

const hasSecretKey = (value: string, isSecret: IsSecret): boolean =>
  /^[{[]/.test(value) && [...value.matchAll(/([\w.-]+)["']?\s*:/g)].some(([, key = '']) => isSecret(key));

const mask = '++++++++';

/** The value below the key, or in a flow map, is hidden as one. */
function shownOf(value: string, hide: Hide): string {
  if (value === '' || /^[|>{[&!#]/.test(value)) {
    for (const [, one = ''] of value.matchAll(/:\s*["']?([^\s"',}\]]+)/g)) hide(one);
    return mask;
  }
  return String(hide(unquoted(value.replace(/\s+#.*$/, ''))) ? mask : value);
}

const unquoted = (text: string): string => text.trim().replace(/^(["'])(.*)\1$/, '$2');
