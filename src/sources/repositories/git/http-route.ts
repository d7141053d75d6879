import { mkdir } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Ctx } from '#base/std';
import { bracketed } from '#platform/http';
import { checkedAddresses, refuseForbidden } from '../egress.ts';
import type { Remote } from '../repository-url.ts';
import { type ProxyTarget, proxyFor, targetOf } from '../web/proxy.ts';
import { authoritiesOf, clientCertificate, type SystemTrust } from '../web/trust.ts';
import { authorization } from './authorization.ts';
import type { GitAccess } from './command.ts';
import { withPrivateFiles } from './private-files.ts';
import type { GitRepository } from './repository.ts';
import type { GitEnvironment, GitRoute, WebWay } from './route.ts';
import { cannotPin } from './version.ts';

type Settings = GitAccess['config'];

/** The route of git to an HTTP repository. All credentials are bound to the one host. */
export async function httpRoute(
  ctx: Ctx,
  remote: Remote & { kind: 'http' },
  repository: GitRepository,
  around: GitEnvironment,
): Promise<GitRoute> {
  const { url } = remote;
  const forHost = (name: string): string => `http.${url.origin}/.${name}`;
  const header = await authorization(ctx, repository, remote, around);
  const config: Settings = [
    ...(header ? [[forHost('extraHeader'), `Authorization: ${header}`] as const] : []),
    ...(repository.insecure ? [[forHost('sslVerify'), 'false'] as const] : []),
    ...machineSettings(around.trust().machine),
    ...(await connection(ctx, targetOf(url), repository, around)),
  ];
  const files = filesFor(remote, repository, around);
  const protocols = ['http', 'https'] as const;
  const location = url.href;
  if (Object.keys(files).length === 0) {
    return { location, use: (work) => work({ protocols, config, env: {} }) };
  }
  const use: GitRoute['use'] = (work) =>
    withPrivateFiles(
      around.home,
      () => files,
      async (dir) => {
        await mkdir(join(dir, noAuthority));
        const named = fileSettings(files, dir).map(([name, value]) => [forHost(name), value] as const);
        return work({ protocols, config: [...config, ...named], env: {} });
      },
    );
  return { location, use };
}

/**
 * The same route, with the same terms and credentials, without git. `openWeb` does the checks that are made here for
 * git.
 */
export async function webWay(
  ctx: Ctx,
  remote: Remote & { kind: 'http' },
  repository: GitRepository,
  around: GitEnvironment,
): Promise<WebWay> {
  const { credentials = {}, insecure, proxy, noProxy } = repository;
  return {
    url: remote.url,
    authorization: await authorization(ctx, repository, remote, around),
    outside: { egress: around.reach, trust: around.trust(), proxy: around.proxy },
    terms: { insecure, proxy, noProxy, certificate: clientCertificate(credentials, remote.shown) },
  };
}

/** Git does not inherit our environment: passes on its settings of the machine's list of authorities. */
const machineSettings = ({ file, folder }: SystemTrust = {}): Settings => [
  ...(file === undefined ? [] : [['http.sslCAInfo', file] as const]),
  ...(folder === undefined ? [] : [['http.sslCAPath', folder] as const]),
];

/** An empty folder of authorities: without it git would use the machine's own beside ours (sources TLS-1). */
const noAuthority = 'no-authorities';

type TlsFiles = {
  readonly 'ca.pem'?: string;
  readonly 'client.pem'?: string;
  readonly 'client.key'?: string;
};

function filesFor(
  { url, shown }: Remote & { kind: 'http' },
  { credentials = {} }: GitRepository,
  { trust }: GitEnvironment,
): TlsFiles {
  const authorities = authoritiesOf(trust(), targetOf(url).host);
  const certificate = clientCertificate(credentials, shown);
  return {
    ...(authorities === undefined ? {} : { 'ca.pem': authorities }),
    ...(certificate ? { 'client.pem': certificate.cert, 'client.key': certificate.key } : {}),
  };
}

function fileSettings(files: TlsFiles, dir: string): [string, string][] {
  const settings: [string, string][] = [];
  if (files['ca.pem'])
    settings.push(['sslCAInfo', join(dir, 'ca.pem')], ['sslCAPath', join(dir, noAuthority)]);
  if (files['client.pem']) {
    settings.push(['sslCert', join(dir, 'client.pem')], ['sslKey', join(dir, 'client.key')]);
  }
  return settings;
}

/** Directly to checked addresses, or through a proxy whose address was checked. */
async function connection(
  ctx: Ctx,
  target: ProxyTarget,
  repository: GitRepository,
  around: GitEnvironment,
): Promise<Settings> {
  const proxy = proxyFor(target, repository, around.proxy);
  if (!proxy) return pinned(ctx, target, around);
  await refuseForbidden(ctx, target, around.reach);
  // without it git sends the login only to a proxy that requests it, and not all of them do
  const login: Settings = proxy.login ? [['http.proxyAuthMethod', 'basic']] : [];
  return [['http.proxy', proxy.href], ...login, ...(await pinned(ctx, proxy, around))];
}

/** The connection uses the checked addresses, whatever the name resolves to later. */
async function pinned(
  ctx: Ctx,
  { host, port }: { readonly host: string; readonly port: number },
  { reach, pins }: GitEnvironment,
): Promise<Settings> {
  const addresses = await checkedAddresses(ctx, { host, port }, reach);
  if (isIP(host)) return [];
  if (!pins) throw cannotPin(host);
  return [['http.curloptResolve', `${host}:${port}:${addresses.map(bracketed).join(',')}`]];
}
