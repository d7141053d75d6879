import type { SecureContext } from 'node:tls';
import { machineTrust } from '#sources/repositories';
import { readConfig } from './config.ts';

/** Whom this machine and the environment of the command believe, the same as repositories are judged by. */
export async function trustedHere(env: Readonly<Record<string, string | undefined>>): Promise<SecureContext> {
  return (await machineTrust(readConfig({}, env).machine)).context;
}
