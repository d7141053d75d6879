import type { Command } from 'commander';
import { parseDurationOrDays } from '#base/model';
import { type AccountView, accounts, call, session as sessions } from '#serve/api';
import type { CliDeps, Open } from '../cli-deps.ts';
import { examples, exampleTable } from '../input/examples.ts';
import { ExitError, type Io } from '../io.ts';
import { printAs } from '../output/print.ts';
import { facts, table } from '../output/table.ts';
import { configPath, readLogin, replaceTokens } from '../session/config-file.ts';
import { sendTo } from '../session/send.ts';
import { sendingOf } from '../session/session.ts';

type Output = { readonly output?: string };
type TokenFlags = { readonly account?: string; readonly expiresIn?: string; readonly id?: string };
type PasswordFlags = {
  readonly account?: string;
  readonly currentPassword?: string;
  readonly newPassword?: string;
};

/** compat server §8.3: local accounts, their tokens, and what the caller may do. */
export function addAccount(account: Command, deps: CliDeps): void {
  const { open, io, flags } = deps;
  for (const add of [addReading, addOne, addCanI, addTokens]) add(account, open);
  addPassword(account, deps);
  addSessionToken(account, { io, flags });
  addBcrypt(account, deps);
  exampleTable(account, {
    list: ['fairlead account list'],
    'get-user-info': ['fairlead account get-user-info'],
    'can-i': ['fairlead account can-i sync applications shop/web', 'fairlead account can-i create projects'],
    'generate-token': ['fairlead account generate-token --account ci --expires-in 30d'],
    'delete-token': ['fairlead account delete-token --account ci <id>'],
    'update-password': [
      'fairlead account update-password',
      'fairlead account update-password --account ci --new-password <password>',
    ],
  });
}

function addReading(account: Command, open: Open): void {
  account
    .command('list')
    .description('list the accounts that you may see')
    .option('-o, --output <format>', 'json, yaml or name')
    .action(async ({ output }: Output) => {
      const { io, session } = await open();
      const { items } = await session.call(accounts.list);
      if (output === 'name') io.out(items.map(({ name }) => `${name}\n`).join(''));
      else if (output) io.out(printAs(output, items));
      else io.out(table(['NAME', 'ENABLED', 'CAPABILITIES'], items.map(rowOf)));
    });
  account
    .command('get-user-info')
    .description('report who you are logged in as')
    .option('-o, --output <format>', 'json or yaml')
    .action(async ({ output }: Output) => {
      const { io, session } = await open();
      const found = await session.call(sessions.user);
      if (output) return io.out(printAs(output, found));
      const { loggedIn, username = '', iss = '', groups = [] } = found;
      io.out(`Logged In: ${loggedIn}\n`);
      if (loggedIn) io.out(`Username: ${username}\nIssuer: ${iss}\nGroups: ${groups.join(',')}\n`);
    });
}

const rowOf = ({ name, enabled, capabilities }: AccountView): string[] => [
  name,
  String(enabled),
  capabilities.join(', '),
];

function addCanI(account: Command, open: Open): void {
  account
    .command('can-i <action> <resource> [object]')
    .description(
      'report yes or no: whether you may do something, for example can-i sync applications shop/web',
    )
    .action(async (action: string, resource: string, object = '') => {
      const { io, session } = await open();
      const { value } = await session.call(accounts.canI, { params: { action, resource, object } });
      io.out(`${value}\n`);
    });
}

function addTokens(account: Command, open: Open): void {
  const named = (command: Command): Command =>
    command.option('-a, --account <name>', 'the account; your own when missing');
  named(account.command('generate-token'))
    .description('create a token for an account, and print it: it is shown only once')
    .option(
      '-e, --expires-in <duration>',
      'how long it is valid, for example 24h or 30d; never ends when missing',
    )
    .option('--id <id>', 'its id; a random one when missing')
    .action(async (flags: TokenFlags) => {
      const expiresIn = flags.expiresIn === undefined ? 0 : secondsOf(flags.expiresIn);
      const { io, session } = await open();
      const name = flags.account ?? (await session.call(sessions.user)).username ?? '';
      const body = { expiresIn, ...(flags.id !== undefined && { id: flags.id }) };
      const { token } = await session.call(accounts.createToken, { params: { name }, body });
      io.out(`${token}\n`);
    });
  named(account.command('delete-token <id>'))
    .description('delete a token: it is no longer valid')
    .action(async (id: string, flags: TokenFlags) => {
      const { session } = await open();
      const name = flags.account ?? (await session.call(sessions.user)).username ?? '';
      await session.call(accounts.deleteToken, { params: { name, id } });
    });
}

function secondsOf(text: string): number {
  return Math.floor(parseDurationOrDays(text) / 1000);
}

function addPassword(account: Command, deps: CliDeps): void {
  account
    .command('update-password')
    .description('change the password of an account; your own password confirms it')
    .option('--account <name>', 'the account; your own when missing')
    .option('--current-password <password>', 'your own password; prompted for when missing')
    .option('--new-password <password>', 'the new one; prompted for when missing')
    .action(async (flags: PasswordFlags) => {
      const { io, session } = await deps.open();
      const own = await session.call(sessions.user);
      const currentPassword =
        flags.currentPassword ?? (await io.prompt('Your current password: ', { hidden: true }));
      const newPassword = flags.newPassword ?? (await promptForNew(io));
      const name = flags.account;
      await session.call(accounts.updatePassword, {
        body: { currentPassword, newPassword, ...(name !== undefined && { name }) },
      });
      io.out('Password updated; the sessions and tokens of the account have ended\n');
      if (own.iss === 'argocd' && (name ?? own.username) === own.username)
        await renewLogin(deps, own.username ?? '', newPassword);
    });
}

/** Typed twice at a terminal, where the user cannot see it. */
async function promptForNew(io: Io): Promise<string> {
  const typed = await io.prompt('The new password: ', { hidden: true });
  if (io.isTerminal && typed !== (await io.prompt('The new password again: ', { hidden: true })))
    throw new ExitError(20, 'the two passwords differ: nothing was changed');
  return typed;
}

/** compat server §3.5: the login that the new password has ended takes the token of a new one. A given token is no login. */
async function renewLogin(
  { io, flags: globals }: CliDeps,
  username: string,
  password: string,
): Promise<void> {
  const flags = globals();
  const path = flags.config ?? configPath(io.env);
  const saved = await readLogin(path, flags.argocdContext);
  if (!saved?.token || flags.authToken || flags.core || (flags.server ?? saved.server) !== saved.server)
    return;
  const body = { username, password };
  const { token } = await call(sendTo(saved, undefined, io, sendingOf(flags)), sessions.create, { body });
  await replaceTokens(path, saved.name, { token });
  io.out(`Context '${saved.name}' updated\n`);
}

function addOne(account: Command, open: Open): void {
  const get = account
    .command('get')
    .description('show one account, with the ids of its tokens')
    .option('-a, --account <name>', 'the account; your own when missing')
    .option('-o, --output <format>', 'wide, name, json or yaml', 'wide')
    .action(async ({ account: given, output }: { account?: string; output: string }) => {
      const { io, session } = await open();
      const name = given ?? (await session.call(sessions.user)).username ?? '';
      const found = await session.call(accounts.get, { params: { name } });
      if (output === 'name') io.out(`${found.name}\n`);
      else io.out(output === 'wide' ? accountText(found) : printAs(output, found));
    });
  examples(get, 'fairlead account get', 'fairlead account get --account ci -o yaml');
}

function accountText({ name, enabled, capabilities, tokens = [] }: AccountView): string {
  const time = (seconds: number | undefined): string =>
    seconds ? new Date(seconds * 1000).toISOString().replace('.000', '') : 'never';
  const head = facts([
    ['Name', name],
    ['Enabled', String(enabled)],
    ['Capabilities', capabilities.join(', ')],
  ]);
  const rows = tokens.map(({ id, issuedAt, expiresAt }) => [id, time(issuedAt), time(expiresAt)]);
  return `${head}\nTokens:\n${rows.length === 0 ? 'NONE\n' : table(['ID', 'ISSUED AT', 'EXPIRING AT'], rows)}`;
}

/** compat server §8.3: the hash of a password, as argocd-secret holds it; no server is needed. */
function addBcrypt(account: Command, { io, hashPassword }: Pick<CliDeps, 'io' | 'hashPassword'>): void {
  const bcrypt = account
    .command('bcrypt')
    .description('print the hash of a password, for argocd-secret')
    .option('--password <password>', 'the password; prompted for when missing')
    .action(async (given: { password?: string }) => {
      if (!hashPassword) throw new ExitError(20, 'this program cannot hash passwords');
      const password = given.password ?? (await io.prompt('Password: ', { hidden: true }));
      io.out(`${await hashPassword(password)}\n`);
    });
  examples(bcrypt, 'fairlead account bcrypt --password <password>');
}

/** compat server §8.3: the token of the login, for scripts that call the API; it is what the user requests, and nothing else prints one. */
function addSessionToken(account: Command, { io, flags }: Pick<CliDeps, 'io' | 'flags'>): void {
  const token = account
    .command('session-token')
    .description('print the token of the current login, for scripts that call the API')
    .option('-o, --output <format>', 'json or yaml')
    .action(async ({ output }: Output) => {
      const { config, argocdContext, authToken } = flags();
      const saved = await readLogin(config ?? configPath(io.env), argocdContext);
      const found = authToken ?? saved?.token;
      if (!found) throw new ExitError(20, 'there is no login yet: run fairlead login <host:port>');
      io.out(output ? printAs(output, { token: found }) : `${found}\n`);
    });
  examples(
    token,
    'curl -H "Authorization: Bearer $(fairlead account session-token)" http://localhost:8080/api/v1/applications',
  );
}
