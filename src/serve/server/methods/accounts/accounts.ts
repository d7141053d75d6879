import { type Ctx, FairleadError } from '#base/std';
import { type Action, actionProblem, normalizeQuestion } from '#engine';
import { compileRegex } from '#lang/regex';
import type { AccountView, TokenRequest } from '#serve/api';
import type { AccountStore, LocalAccount } from '../../auth/account-store.ts';
import type { Auth } from '../../auth/open-auth.ts';
import type { MethodCall } from '../../rest/request.ts';
import type { MethodDeps } from '../deps.ts';

export type AccountDeps = Pick<MethodDeps, 'context'> & {
  readonly accounts: AccountStore;
  readonly logins: Auth['logins'];
  readonly hashPassword: Auth['hashPassword'];
};

const onAccount = (action: string, object: string): Action => ({ resource: 'accounts', action, object });

/** compat server §2.8: an account of ours has every right on itself. */
function requireAccount({ user, permissions }: MethodCall, action: string, name: string): void {
  if (isOwn(user, name)) permissions.waive();
  else permissions.require(onAccount(action, name));
}

const isOwn = (user: MethodCall['user'], name: string): boolean =>
  user?.subject.isLocal === true && user.kind !== 'role' && user.username === name;

/** Those that the caller may get, and its own. */
export async function listAccounts(
  _ctx: Ctx,
  { accounts }: AccountDeps,
  { user, permissions }: MethodCall,
): Promise<{ items: readonly AccountView[] }> {
  permissions.waive(); // what the caller may not get is left out
  const isVisible = ({ name }: LocalAccount): boolean =>
    isOwn(user, name) || permissions.may(onAccount('get', name));
  return { items: accounts.list().filter(isVisible).map(viewOf) };
}

export async function getAccount(
  _ctx: Ctx,
  { accounts }: AccountDeps,
  call: MethodCall,
): Promise<AccountView> {
  const { name = '' } = call.params;
  requireAccount(call, 'get', name);
  return viewOf(accounts.get(name));
}

function viewOf({ name, enabled, capabilities, tokens }: LocalAccount): AccountView {
  const shown = tokens.map(({ id, iat, exp }) => ({ id, issuedAt: iat, ...(exp && { expiresAt: exp }) }));
  return { name, enabled, capabilities, ...(shown.length > 0 && { tokens: shown }) };
}

type PasswordRequest = {
  readonly name?: string | undefined;
  readonly currentPassword: string;
  readonly newPassword: string;
};
/** An identity provider has no password that could be checked here: its user must have logged in just now. */
const freshSeconds = 5 * 60;
/** bcrypt reads no more bytes. */
const longestPassword = 72;

/** compat server §4.6: a local caller confirms the change with its own password, whatever account it is for. */
export async function updatePassword(
  ctx: Ctx,
  deps: AccountDeps,
  call: MethodCall<PasswordRequest>,
): Promise<Record<string, never>> {
  const { user, body } = call;
  const caller = user?.username ?? '';
  const name = body.name || caller;
  requireAccount(call, 'update', name);
  await confirmCaller(ctx, deps, call);
  requirePattern(deps, body.newPassword);
  deps.accounts.get(name);
  await deps.accounts.setPassword(ctx, name, await deps.hashPassword(ctx, body.newPassword));
  ctx.log.info('account password updated', { account: name, user: caller });
  return {};
}

async function confirmCaller(
  ctx: Ctx,
  { logins }: AccountDeps,
  call: MethodCall<PasswordRequest>,
): Promise<void> {
  const { user, body, client } = call;
  if (!user || user.kind === 'role')
    throw new FairleadError(
      'InvalidSpec',
      `password can only be changed for local users, not user "${user?.username ?? ''}"`,
    );
  if (!user.subject.isLocal) {
    const age = ctx.clock.now().getTime() / 1000 - user.token.issued;
    if (age > freshSeconds)
      throw new FairleadError('PermissionDenied', 'the session is older than 5 minutes: log in again first');
    return;
  }
  const login = { username: user.username, password: body.currentPassword, address: client.address };
  await logins.confirm(ctx, login).catch((error: unknown) => {
    if (FairleadError.from(error).code !== 'Auth') throw error;
    throw new FairleadError('InvalidSpec', 'current password does not match', error);
  });
}

function requirePattern({ context }: AccountDeps, password: string): void {
  const { passwordPattern } = context.settings().server;
  const pattern = readPattern(passwordPattern);
  if (!pattern.test(password))
    throw new FairleadError(
      'InvalidSpec',
      `new password does not match the following expression: ${passwordPattern}`,
    );
  if (Buffer.byteLength(password) > longestPassword)
    throw new FairleadError('InvalidSpec', `new password is longer than ${longestPassword} bytes`);
}

function readPattern(text: string) {
  try {
    return compileRegex(text);
  } catch (error) {
    const message = `passwordPattern in argocd-cm is not a regular expression: ${(error as Error).message}`;
    throw new FairleadError('InvalidSpec', message, error);
  }
}

/** The token is in this response only. */
export async function createToken(
  ctx: Ctx,
  { accounts }: AccountDeps,
  call: MethodCall<TokenRequest>,
): Promise<{ token: string }> {
  const { name = '' } = call.params;
  requireAccount(call, 'update', name);
  const { id = '', expiresIn = 0 } = call.body;
  const token = await accounts.addToken(ctx, name, { id, expiresIn });
  ctx.log.info('account token created', { account: name, user: call.user?.username });
  return { token };
}

export async function deleteToken(
  ctx: Ctx,
  { accounts }: AccountDeps,
  call: MethodCall,
): Promise<Record<string, never>> {
  const { name = '', id = '' } = call.params;
  requireAccount(call, 'update', name);
  await accounts.removeToken(ctx, name, id);
  ctx.log.info('account token deleted', { account: name, id, user: call.user?.username });
  return {};
}

/** compat server §5.7: what the caller's own token would get. */
export async function canI(
  _ctx: Ctx,
  { context }: AccountDeps,
  { params, permissions }: MethodCall,
): Promise<{ value: 'yes' | 'no' }> {
  const { resource = '', action = '', object = '' } = params;
  const problem = actionProblem(resource, action);
  if (problem) throw new FairleadError('InvalidSpec', problem);
  const { rollbackEnforced } = context.settings().server;
  const requested = normalizeQuestion(
    { resource, action, object },
    { namespace: context.namespace, rollbackEnforced },
  );
  return { value: permissions.may(requested) ? 'yes' : 'no' };
}
