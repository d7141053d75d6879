import { isIP } from 'node:net';
import { join } from 'node:path';
import { type Ctx, FairleadError } from '#base/std';
import { checkedAddresses, refuseForbidden } from '../egress.ts';
import type { SshRemote } from '../repository-url.ts';
import { proxyFor } from '../web/proxy.ts';
import { throughTunnel } from '../web/tunnel.ts';
import type { GitAccess } from './command.ts';
import { hostKeyAlgorithms, hostName } from './known-hosts.ts';
import { withPrivateFiles } from './private-files.ts';
import type { GitRepository } from './repository.ts';
import type { GitEnvironment, GitRoute } from './route.ts';

/** compat sources CRED-9: the key exchanges Argo CD accepts. */
const keyExchanges = [
  'curve25519-sha256',
  'curve25519-sha256@libssh.org',
  'ecdh-sha2-nistp256',
  'ecdh-sha2-nistp384',
  'ecdh-sha2-nistp521',
  'diffie-hellman-group-exchange-sha256',
  'diffie-hellman-group14-sha256',
  'diffie-hellman-group14-sha1',
];

/** No configuration of the user or the machine, no agent, no prompts, no way to run anything else. */
const fixed: readonly (readonly [string, string])[] = [
  ['BatchMode', 'yes'],
  ['IdentitiesOnly', 'yes'],
  ['IdentityAgent', 'none'],
  ['AddKeysToAgent', 'no'],
  ['PreferredAuthentications', 'publickey'],
  ['PasswordAuthentication', 'no'],
  ['KbdInteractiveAuthentication', 'no'],
  ['GlobalKnownHostsFile', '/dev/null'],
  ['UpdateHostKeys', 'no'],
  ['CheckHostIP', 'no'],
  ['VerifyHostKeyDNS', 'no'],
  ['CanonicalizeHostname', 'no'],
  ['ForwardAgent', 'no'],
  ['ForwardX11', 'no'],
  ['ClearAllForwardings', 'yes'],
  ['PermitLocalCommand', 'no'],
  ['ControlMaster', 'no'],
  ['ControlPath', 'none'],
  ['ConnectTimeout', '15'],
  ['ServerAliveInterval', '15'],
  ['ServerAliveCountMax', '2'],
  ['LogLevel', 'ERROR'],
  ['KexAlgorithms', keyExchanges.join(',')],
];

/** The route over the machine's ssh to a repository: with one key, to a known host, at a checked address. */
export async function sshRoute(
  ctx: Ctx,
  remote: SshRemote,
  repository: GitRepository,
  around: GitEnvironment,
): Promise<GitRoute> {
  const { shown, host, port, location } = remote;
  const key = repository.credentials?.sshPrivateKey;
  if (!key) {
    throw new FairleadError(
      'Auth',
      `repository ${shown} is reached over ssh and has no key: put sshPrivateKey into its Secret`,
    );
  }
  if (isEncrypted(key)) {
    throw new FairleadError(
      'Auth',
      `the sshPrivateKey of repository ${shown} has a passphrase: give it a key without one`, // compat sources CRED-9
    );
  }
  const { knownHosts } = around.trust();
  const checking = hostKeyChecking(remote, repository, knownHosts);
  const run = <Value>(at: SshEndpoint, work: (access: GitAccess) => Promise<Value>): Promise<Value> => {
    const files = (dir: string) => ({
      key: tidyKey(key),
      known_hosts: knownHosts,
      config: configText([...placed(remote, at), ...checking, ...fixed], dir),
    });
    return withPrivateFiles(around.home, files, (dir) => work(accessThrough(join(dir, 'config'))));
  };
  const proxy = proxyFor({ scheme: 'ssh', host, port }, repository, around.proxy);
  if (!proxy) {
    const addresses = await checkedAddresses(ctx, { host, port }, around.reach);
    const address = addresses.find((each) => isIP(each) === 4) ?? addresses[0] ?? host;
    return { location, use: (work) => run({ address, port }, work) };
  }
  await refuseForbidden(ctx, { host, port }, around.reach);
  const way = { proxy, host, port, egress: around.reach, trust: around.trust() };
  return {
    location,
    use: (work) => throughTunnel(ctx, way, (near) => run({ address: '127.0.0.1', port: near }, work)),
  };
}

type SshEndpoint = { readonly address: string; readonly port: number };
type Setting = readonly [name: string, value: string];

/** Whatever address we connect to, the key must be that of the host in the URL. */
function placed({ host, port, user }: SshRemote, at: SshEndpoint): Setting[] {
  return [
    ['HostName', at.address],
    ['Port', String(at.port)],
    ['User', user],
    ['HostKeyAlias', hostName(host, port)],
  ];
}

function hostKeyChecking(remote: SshRemote, repository: GitRepository, knownHosts: string): Setting[] {
  if (repository.insecure || repository.insecureIgnoreHostKey) {
    return [
      ['StrictHostKeyChecking', 'no'],
      ['UserKnownHostsFile', '/dev/null'],
    ];
  }
  const algorithms = hostKeyAlgorithms(knownHosts, remote.host, remote.port);
  if (algorithms.length === 0) throw unknownHost(remote); // compat sources SSH-1
  return [
    ['StrictHostKeyChecking', 'yes'],
    ['HostKeyAlgorithms', algorithms.join(',')],
  ];
}

function unknownHost({ host, port, shown }: SshRemote): FairleadError {
  const scan = port === 22 ? `ssh-keyscan ${host}` : `ssh-keyscan -p ${port} ${host}`;
  return new FairleadError(
    'Auth',
    `the ssh host of repository ${shown} is not known: check the output of "${scan}" with its owner and add it to ssh_known_hosts in ConfigMap argocd-ssh-known-hosts-cm`,
  );
}

/** The files of the private folder, then the settings; ssh uses the first value of a name. */
function configText(settings: readonly Setting[], dir: string): string {
  const files: Setting[] = [
    ['IdentityFile', quoted(join(dir, 'key'))],
    ['UserKnownHostsFile', quoted(join(dir, 'known_hosts'))],
  ];
  const rows = [...settings, ...files].map(([name, value]) => `  ${name} ${value}`);
  return `Host *\n${rows.join('\n')}\n`;
}

/** `%` is special in ssh's paths. */
const quoted = (path: string): string => `"${path.replaceAll('%', '%%')}"`;

function accessThrough(config: string): GitAccess {
  const word = `'${config.replaceAll("'", "'\\''")}'`; // git passes the command to a shell
  return {
    protocols: ['ssh'],
    config: [],
    env: { GIT_SSH_COMMAND: `ssh -F ${word}`, GIT_SSH_VARIANT: 'ssh' },
    sshConfig: config,
  };
}

/** Keys are often copied by hand into a Secret; ssh rejects wrong line ends and a missing last one. */
const tidyKey = (key: string): string => `${key.replace(/\r\n?/g, '\n').trim()}\n`;

/** ssh itself only reports that access was denied. OpenSSH's own format names the cipher at its start. */
function isEncrypted(key: string): boolean {
  if (/ENCRYPTED/.test(key)) return true;
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]*?)-----END/.exec(key)?.[1];
  const start = Buffer.from(body ?? '', 'base64')
    .subarray(0, 64)
    .toString('latin1');
  return start.startsWith('openssh-key-v1\0') && !start.startsWith('openssh-key-v1\0\0\0\0\x04none');
}
