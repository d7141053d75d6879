import { type Ctx, FairleadError } from '#base/std';
import { glob } from '#engine';
import type { CertificateInput, CertificateList, TrustedCertificate } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import { changeData, dataOf, type TrustDeps } from './config-map.ts';
import {
  fingerprintOf,
  type HostKey,
  keysIn,
  printHostKey,
  requireHostKey,
  withoutHosts,
} from './known-hosts.ts';
import { certificatesIn } from './tls-certificates.ts';

const hostsMap = 'argocd-ssh-known-hosts-cm';
const tlsMap = 'argocd-tls-certs-cm';
const hostsKey = 'ssh_known_hosts';
const onCertificates = (action: string) => ({ resource: 'certificates', action, object: '' });
const invalid = (message: string): FairleadError => new FairleadError('InvalidSpec', message);

type Filter = (certificate: TrustedCertificate) => boolean;

function filterOf(query: URLSearchParams): Filter {
  const [host, type, subType] = ['hostNamePattern', 'certType', 'certSubType'].map(
    (name) => query.get(name) || '*',
  );
  return ({ serverName, certType, certSubType }) =>
    glob(host ?? '*', serverName) && glob(type ?? '*', certType) && glob(subType ?? '*', certSubType);
}

const shownKey = (key: HostKey): TrustedCertificate => ({
  serverName: key.host,
  certType: 'ssh',
  certSubType: key.type,
  certInfo: fingerprintOf(key),
});

/** compat server §2.8: sorted by host; what cannot be read is not shown. */
function shownTls([serverName, text]: readonly [string, string]): TrustedCertificate[] {
  try {
    return certificatesIn(text, serverName).map(({ subType, subject }) => ({
      ...{ serverName, certType: 'https', certSubType: subType, certInfo: subject },
    }));
  } catch {
    return [{ serverName, certType: 'https', certSubType: '', certInfo: 'cannot be read' }];
  }
}

const byHost = (a: TrustedCertificate, b: TrustedCertificate): number =>
  a.serverName < b.serverName ? -1 : 1;

export async function list(
  ctx: Ctx,
  deps: TrustDeps,
  { query, permissions }: MethodCall,
): Promise<CertificateList> {
  permissions.require(onCertificates('get'));
  const known = (await dataOf(ctx, deps, hostsMap))[hostsKey] ?? '';
  const tls = await dataOf(ctx, deps, tlsMap);
  const all = [
    ...known.split('\n').flatMap(keysIn).map(shownKey),
    ...Object.entries(tls).flatMap((entry) => shownTls(entry)),
  ];
  return { items: all.filter(filterOf(query)).sort(byHost) };
}

/** compat server §2.8: what a host has already is replaced only with `upsert`; the same again is accepted. */
export async function create(
  ctx: Ctx,
  deps: TrustDeps,
  { body, query, permissions }: MethodCall<CertificateInput>,
): Promise<CertificateList> {
  permissions.require(onCertificates('create'));
  const upsert = query.get('upsert') === 'true';
  const decoded = body.items.map((item) => ({
    ...item,
    text: Buffer.from(item.certData, 'base64').toString('utf8'),
  }));
  const keys = decoded
    .filter(({ certType }) => certType === 'ssh')
    .map(({ serverName, certSubType, text }) => ({ host: serverName, type: certSubType, key: text.trim() }));
  keys.forEach(requireHostKey);
  const tls = decoded.filter(({ certType }) => certType === 'https');
  for (const { serverName, text } of tls) {
    requireName(serverName);
    certificatesIn(text, serverName);
  }
  if (keys.length > 0) await addKeys(ctx, deps, keys, upsert);
  if (tls.length > 0)
    await changeData(ctx, deps, tlsMap, (data) => {
      const taken = tls.find(({ serverName, text }) => (data[serverName] ?? text) !== text);
      if (taken && !upsert)
        throw invalid(
          `TLS certificate for server '${taken.serverName}' already exist, and upsert was not specified`,
        );
      const added = Object.fromEntries(tls.map(({ serverName, text }) => [serverName, text]));
      return { data: { ...data, ...added }, result: undefined };
    });
  return {
    items: [...keys.map(shownKey), ...tls.flatMap(({ serverName, text }) => shownTls([serverName, text]))],
  };
}

/** A key of a ConfigMap is a host here. */
function requireName(host: string): void {
  if (!/^[A-Za-z0-9][-A-Za-z0-9_.]*$/.test(host))
    throw invalid(
      `serverName ${JSON.stringify(host)} is no host: give a name or an IPv4 address without a port`,
    );
}

function addKeys(ctx: Ctx, deps: TrustDeps, keys: readonly HostKey[], upsert: boolean): Promise<void> {
  return changeData(ctx, deps, hostsMap, (data) => {
    const lines = (data[hostsKey] ?? '').split('\n');
    const present = lines.flatMap(keysIn);
    const isOther = (one: HostKey): boolean =>
      keys.some(({ host, type, key }) => one.host === host && one.type === type && one.key !== key);
    const taken = present.find(isOther);
    if (taken && !upsert)
      throw invalid(
        `Key for '${taken.host}' (subtype: '${taken.type}') already exist and upsert was not specified.`,
      );
    const kept = lines.flatMap((line) => withoutHosts(line, isOther) ?? []);
    const printed = new Set(present.filter((key) => !isOther(key)).map(printHostKey));
    const added = keys.map(printHostKey).filter((line) => !printed.has(line));
    const body = kept.join('\n').replace(/\n+$/, '');
    const text = [...(body === '' ? [] : [body]), ...new Set(added), ''].join('\n');
    return { data: { ...data, [hostsKey]: text }, result: undefined };
  });
}

/** Returns what it deleted. A host must be named: an empty pattern would delete all of them. */
export async function remove(
  ctx: Ctx,
  deps: TrustDeps,
  { query, permissions }: MethodCall,
): Promise<CertificateList> {
  permissions.require(onCertificates('delete'));
  if (!query.get('hostNamePattern'))
    throw invalid('hostNamePattern is missing: name the hosts, or * for all');
  const isGone = filterOf(query);
  const keys = await changeData(ctx, deps, hostsMap, (data) => {
    const lines = (data[hostsKey] ?? '').split('\n');
    const removed = lines.flatMap(keysIn).filter((key) => isGone(shownKey(key)));
    const left = lines.flatMap((line) => withoutHosts(line, (key) => isGone(shownKey(key))) ?? []);
    return { data: { ...data, [hostsKey]: left.join('\n') }, result: removed.map(shownKey) };
  });
  const tls = await changeData(ctx, deps, tlsMap, (data) => {
    const entries = Object.entries(data);
    const isRemoved = (entry: readonly [string, string]): boolean => shownTls(entry).some(isGone);
    const left = Object.fromEntries(entries.filter((entry) => !isRemoved(entry)));
    return { data: left, result: entries.filter(isRemoved).flatMap((entry) => shownTls(entry)) };
  });
  return { items: [...keys, ...tls].sort(byHost) };
}
