import type { SecureContext } from 'node:tls';
import { machineTrust } from '#sources/repositories';
import { readConfig } from './config.ts';

/** The certificates that this machine and the environment of the command trust, as for repositories. */
export async function trustedHere(env: Readonly<Record<string, string | undefined>>): Promise<SecureContext> {
  return (await machineTrust(readConfig({}, env).machine)).context;
}
