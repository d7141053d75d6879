import { createHmac } from 'node:crypto';
import { compileGlob } from '#base/std';

const certificateOf = (type: string): string => `${type}-cert-v01@openssh.com`;

/** RSA keys are of one type with several signature algorithms; the one with SHA-1 is not accepted. */
const algorithmsOf: Readonly<Record<string, readonly string[]>> = {
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'],
};

/**
 * The host key algorithms to offer, from the known keys of a host (sources CRED-9): offering others would let the host
 * choose one we cannot check. Empty: the host is not known. Reads OpenSSH's format, hashed names, patterns and markers
 * included.
 */
export function hostKeyAlgorithms(knownHosts: string, host: string, port: number): readonly string[] {
  const name = hostName(host, port);
  const rows = knownHosts.split(/\r?\n/).map(parseLine);
  const ours = rows.filter((row) => row !== undefined).filter(({ hosts }) => matchesHosts(hosts, name));
  return [...new Set(ours.flatMap(algorithmsIn))].sort((a, b) => rankOf(a) - rankOf(b));
}

/** Our preference where several are known: the newest kind first, whose keys hosts change least often. */
const ranks = ['ssh-ed25519', 'sk-', 'ecdsa-', 'rsa-'];
const rankOf = (algorithm: string): number =>
  ranks.findIndex((prefix) => algorithm.startsWith(prefix)) + 1 || ranks.length + 1;

function algorithmsIn({ marker, type }: Row): readonly string[] {
  const algorithms = algorithmsOf[type] ?? [type];
  if (marker === '@cert-authority') return algorithms.map(certificateOf);
  return marker === undefined ? algorithms : [];
}

/** The name of a host in the list: a port other than 22 is part of it. */
export const hostName = (host: string, port: number): string => (port === 22 ? host : `[${host}]:${port}`);

type Row = { readonly marker: string | undefined; readonly hosts: string; readonly type: string };

function parseLine(line: string): Row | undefined {
  const words = line.trim().split(/\s+/);
  const marker = words[0]?.startsWith('@') ? words.shift() : undefined;
  const [hosts = '', type = '', key] = words;
  return hosts.startsWith('#') || key === undefined ? undefined : { marker, hosts, type };
}

function matchesHosts(hosts: string, name: string): boolean {
  if (hosts.startsWith('|')) return isHashOf(hosts, name);
  const patterns = hosts.toLowerCase().split(',');
  if (patterns.some((pattern) => pattern.startsWith('!') && fits(pattern.slice(1), name))) return false;
  return patterns.some((pattern) => fits(pattern, name));
}

/** OpenSSH supports only `*` and `?`; brackets are literal. */
function fits(pattern: string, name: string): boolean {
  if (!/[*?]/.test(pattern)) return pattern === name;
  return compileGlob(pattern.replace(/[[\]{}\\!]/g, '\\$&'))?.(name) ?? false;
}

function isHashOf(hashed: string, name: string): boolean {
  const [, version, salt = '', hash] = hashed.split('|');
  if (version !== '1') return false;
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash;
}
