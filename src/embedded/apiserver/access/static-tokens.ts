import { FairleadError } from '#base/std';
import type { RequestUser } from '../authorize.ts';

/**
 * Reads a Kubernetes token file: `token,user,uid[,"group,group"]` on each line. Throws InvalidSpec with the number
 * of an invalid line; never with its content.
 */
export function parseTokens(text: string): ReadonlyMap<string, RequestUser> {
  const tokens = new Map<string, RequestUser>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [token, name, uid, groups = ''] = fieldsOf(line);
    if (!token || !name || uid === undefined) {
      const shape = 'token,user,uid or token,user,uid,"group,group"';
      throw new FairleadError('InvalidSpec', `line ${index + 1} of the token file is not ${shape}`);
    }
    const own = groups.split(',').map((group) => group.trim());
    tokens.set(token, {
      name,
      groups: [...own.filter((group) => group !== ''), 'system:authenticated'],
      ...(uid !== '' && { uid }),
    });
  }
  return tokens;
}

/** Fields between commas; one in double quotes may contain commas. */
function fieldsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '').trim() : quoted.replaceAll('""', '"'),
  );
}
