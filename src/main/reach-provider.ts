import { readFile } from 'node:fs/promises';
import { type Ctx, FairleadError } from '#base/std';
import type { SsoReach } from '#serve/server';
import { fetchWeb, type Outside } from '#sources/repositories';
import type { Config } from './config.ts';
import { type SharedCaches, trustIn } from './shared-caches.ts';

/** Answers of an identity provider are small; a list of keys is a few kilobytes. */
const most = 1024 * 1024;
const ms = 15_000;

/** The identity provider is reached by the rules for repositories (decision 29): the same addresses, authorities and proxies. */
export const reachProvider =
  (ctx: Ctx, config: Config, { settings }: Pick<SharedCaches, 'settings'>): SsoReach =>
  (terms) =>
  (request) => {
    const { reach: egress, proxy } = config;
    const outside: Outside = { egress, trust: trustIn(config, settings)(), proxy };
    return fetchWeb(ctx, outside, { ...request, terms, most, ms });
  };

/** The token of the workload identity, which Azure replaces in its file every hour. */
export const azureTokenIn =
  ({ tokenFile }: NonNullable<Config['azure']>) =>
  async (): Promise<string> => {
    const token = (await readFile(tokenFile, 'utf8').catch(() => '')).trim();
    if (!token)
      throw new FairleadError('Auth', 'the workload identity has no token in AZURE_FEDERATED_TOKEN_FILE');
    return token;
  };
