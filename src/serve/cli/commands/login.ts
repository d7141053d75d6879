import type { Command } from 'commander';
import { FairleadError } from '#base/std';
import { call, session } from '#serve/api';
import { configPath, type ServerEntry, writeLogin } from '../config-file.ts';
import { ExitError, type Io } from '../io.ts';
import { isPlainServer, isUntrusted, sendTo } from '../send.ts';
import { type GlobalFlags, pinnedIn } from '../session.ts';

type LoginFlags = GlobalFlags & { username?: string; password?: string; name?: string };

export function addLogin(program: Command, io: Io): void {
  program
    .command('login <server>')
    .description('sign in to a server, for example localhost:8080, and keep the login')
    .option('--username <name>', 'the account; prompted for when missing')
    .option('--password <password>', 'its password; prompted for when missing')
    .option('--name <context>', 'keep the login under this name')
    .action(async (given: string, own: LoginFlags, command: Command) => {
      const flags = { ...command.optsWithGlobals<LoginFlags>(), ...own };
      const [server = '', ...path] = given
        .replace(/^https?:\/\//, '')
        .split('/')
        .filter(Boolean);
      const entry = await reach(io, {
        server,
        'plain-text': isPlain(given, flags),
        insecure: flags.insecure === true,
        ...(path.length > 0 && { 'grpc-web-root-path': path.join('/') }),
        ...(await pinnedIn(flags)),
      });
      const username = flags.username ?? (await io.ask('Username: '));
      const password = flags.password ?? (await io.ask('Password: ', { hidden: true }));
      const { token } = await call(sendTo(entry, undefined, io), session.create, {
        body: { username, password },
      });
      const name = flags.name ?? server;
      await writeLogin(flags.config ?? configPath(io.env), { ...entry, name, token });
      io.out(`'${username}:login' logged in successfully\nContext '${name}' updated\n`);
    });
}

const isPlain = (given: string, { plaintext }: LoginFlags): boolean =>
  plaintext === true || given.startsWith('http://');

/**
 * A server on this machine that uses plain HTTP is accepted; any other requires the flag. A certificate that is not trusted is
 * accepted by the user at the terminal, as the peer's command does, or by the flag.
 */
async function reach(io: Io, entry: ServerEntry): Promise<ServerEntry> {
  try {
    await call(sendTo(entry, undefined, io), session.version);
    return entry;
  } catch (error) {
    if (isUntrusted(error) && io.isTerminal && (await accepts(io, error)))
      return { ...entry, insecure: true };
    if (!isPlainServer(error)) throw error;
    const host = entry.server.replace(/:\d+$/, '');
    if (!['localhost', '127.0.0.1', '[::1]'].includes(host)) {
      throw new ExitError(
        20,
        `${entry.server} does not speak TLS: pass --plaintext to send your password in the clear`,
      );
    }
    io.err(`${entry.server} speaks plain HTTP, which is fine on this machine\n`);
    return { ...entry, 'plain-text': true };
  }
}

async function accepts(io: Io, error: unknown): Promise<boolean> {
  const answer = await io.ask(`${FairleadError.from(error).message}\nProceed insecurely (y/n)? `);
  return /^y(es)?$/i.test(answer.trim());
}
