import type { SecureContext } from 'node:tls';
import type { Ctx } from '#base/std';
import { fetchWeb, machineTrust, type WebAnswer, type WebRequest } from '#sources/repositories';
import { readConfig } from './config.ts';

/** The certificates that this machine and the environment of the command trust, as for repositories. */
export async function trustedHere(env: Readonly<Record<string, string | undefined>>): Promise<SecureContext> {
  return (await machineTrust(readConfig({}, env).machine)).context;
}

/** A request of the user at this machine: any address, and the same trusted certificates. */
export async function requestHere(
  ctx: Ctx,
  env: Readonly<Record<string, string | undefined>>,
  request: Omit<WebRequest, 'most' | 'ms'>,
): Promise<WebAnswer> {
  const { machine, proxy } = readConfig({}, env);
  const trust = { certificates: {}, knownHosts: '', machine };
  return fetchWeb(
    ctx,
    { egress: { loopback: true }, trust, proxy },
    { ...request, most: 1024 * 1024, ms: 30_000 },
  );
}
