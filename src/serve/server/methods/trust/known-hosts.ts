import { createHash } from 'node:crypto';
import { FairleadError } from '#base/std';

/** One key of one host in OpenSSH's list; lines of any other form are kept and not shown. */
export type HostKey = { readonly host: string; readonly type: string; readonly key: string };

const row = /^([^\s@#|][^\s]*)\s+([a-z0-9@.-]+)\s+([A-Za-z0-9+/=]+)(?:\s.*)?$/;

/** The keys of one line, one for each host that it names. */
export function keysIn(line: string): HostKey[] {
  const [, hosts = '', type = '', key = ''] = row.exec(line.trim()) ?? [];
  return hosts
    .split(',')
    .filter((host) => host !== '')
    .map((host) => ({ host, type, key }));
}

export const printHostKey = ({ host, type, key }: HostKey): string => `${host} ${type} ${key}`;

/** The line without some of its hosts; undefined when none is left. */
export function withoutHosts(line: string, isGone: (key: HostKey) => boolean): string | undefined {
  const keys = keysIn(line);
  const left = keys.filter((key) => !isGone(key));
  if (left.length === keys.length) return line;
  const [first] = left;
  return first && `${left.map(({ host }) => host).join(',')} ${first.type} ${first.key}`;
}

/** As `ssh-keygen -l` prints it. */
export const fingerprintOf = ({ key }: HostKey): string =>
  `SHA256:${createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64').replace(/=+$/, '')}`;

/** A key begins with its own type; throws InvalidSpec for one that does not, or a host that is none. */
export function requireHostKey(given: HostKey): void {
  const bytes = Buffer.from(given.key, 'base64');
  const length = bytes.length > 4 ? bytes.readUInt32BE(0) : 0;
  const type = bytes.subarray(4, 4 + length).toString('latin1');
  const isHost = /^(?:\[[\w.:*?-]+\]:\d{1,5}|[\w.:*?-]+)$/.test(given.host);
  if (!isHost) throw new FairleadError('InvalidSpec', `serverName ${JSON.stringify(given.host)} is no host`);
  if (type === '' || type !== given.type)
    throw new FairleadError(
      'InvalidSpec',
      `certData of ${given.host} is no key of type ${given.type || '""'}: it is the third word of a line of ssh-keyscan`,
    );
}
