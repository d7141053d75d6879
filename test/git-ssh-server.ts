import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { AuthContext, Connection, ParsedKey, ServerChannel } from 'ssh2';

// the package is CommonJS and builds its exports as it goes
const { Server, utils } = createRequire(import.meta.url)('ssh2') as typeof import('ssh2');

export type KeyPair = { readonly private: string; readonly public: string };

/** A key pair in OpenSSH's own format. */
export function sshKeys(passphrase?: string): KeyPair {
  const pair = utils.generateKeyPairSync(
    'ed25519',
    passphrase === undefined ? {} : { passphrase, cipher: 'aes256-cbc', rounds: 4 },
  );
  // one in some 300 begins with a zero, which the package leaves out, and then ssh cannot read it
  const [, blob = ''] = pair.public.split(' ');
  return Buffer.from(blob, 'base64').length === wholeKey ? pair : sshKeys(passphrase);
}

/** The name of the algorithm and 32 bytes, each with its length before it. */
const wholeKey = 4 + 'ssh-ed25519'.length + 4 + 32;

export type GitSshServer = {
  readonly port: number;
  /** The line of a known-hosts file, for this name. */
  knownAs(host: string): string;
  /** Who came and what was asked: `user: command`. */
  readonly commands: string[];
  close(): Promise<void>;
};

/** Git's own `upload-pack` behind a real ssh server that lets one key in. `other` answers what is not for git. */
export async function gitSshServer(
  root: string,
  allowed: KeyPair,
  other: (command: string) => string | undefined = () => undefined,
): Promise<GitSshServer> {
  const host = sshKeys();
  const commands: string[] = [];
  const key = utils.parseKey(allowed.public) as ParsedKey;
  const connections = new Set<Connection>();
  const server = new Server({ hostKeys: [host.private] }, (client) => {
    connections.add(client);
    let user = '';
    client.on('authentication', (login: AuthContext) => {
      user = login.username;
      if (isAllowed(login, key)) login.accept();
      else login.reject(['publickey']);
    });
    client.on('session', (accept) => {
      const session = accept();
      let protocol = '';
      session.on('env', (answer, _reject, info) => {
        if (info.key === 'GIT_PROTOCOL') protocol = info.val;
        answer?.();
      });
      session.on('exec', (open, _reject, { command }) => {
        commands.push(`${user}: ${command}`);
        const answer = other(command);
        const channel = open();
        if (answer === undefined) uploadPack(root, command, protocol, channel);
        else {
          channel.write(answer);
          channel.exit(0);
          channel.end();
        }
      });
    });
    client.on('error', () => {});
    client.on('close', () => connections.delete(client));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    commands,
    knownAs: (name) => `[${name}]:${port} ${host.public}`,
    close: () =>
      new Promise((resolve) => {
        for (const client of connections) client.end();
        server.close(() => resolve());
      }),
  };
}

function isAllowed(login: AuthContext, key: ParsedKey): boolean {
  if (login.method !== 'publickey' || !login.key.data.equals(key.getPublicSSH())) return false;
  if (!login.signature || !login.blob) return true; // only asks whether the key would do
  return key.verify(login.blob, login.signature, login.hashAlgo) === true;
}

function uploadPack(root: string, command: string, protocol: string, channel: ServerChannel): void {
  const path = /^git-upload-pack '\/?([\w./-]+)'$/.exec(command)?.[1];
  if (path === undefined) {
    channel.exit(127);
    channel.end();
    return;
  }
  const child = spawn('git', ['upload-pack', `${root}/${path}`], {
    env: {
      PATH: process.env.PATH ?? '',
      GIT_PROTOCOL: protocol,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
    },
  });
  channel.pipe(child.stdin);
  child.stdin.on('error', () => {});
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  child.on('close', (code) => {
    channel.exit(code ?? 1);
    channel.end();
  });
}
