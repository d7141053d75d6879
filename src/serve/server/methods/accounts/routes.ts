import { accounts } from '#serve/api';
import { one, type RestRoute } from '../../rest/routes.ts';
import * as account from './accounts.ts';

export const accountRoutes = (deps: account.AccountDeps): RestRoute[] => [
  one(accounts.list, (ctx, call) => account.listAccounts(ctx, deps, call)),
  one(accounts.updatePassword, (ctx, call) => account.updatePassword(ctx, deps, call)),
  one(accounts.canI, (ctx, call) => account.canI(ctx, deps, call)),
  one(accounts.get, (ctx, call) => account.getAccount(ctx, deps, call)),
  one(accounts.createToken, (ctx, call) => account.createToken(ctx, deps, call)),
  one(accounts.deleteToken, (ctx, call) => account.deleteToken(ctx, deps, call)),
];
