import { FairleadError } from '#base/std';

/** compat sources 4.1: everything after X.Y.Z is dropped. Throws InvalidSpec when there is no X.Y. */
export function plainVersion(version: string): string {
  const [, major, minor, patch = '0'] = /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  if (major === undefined) {
    throw new FairleadError('InvalidSpec', `"${version}" is no Kubernetes version: write it like 1.33.4`);
  }
  return `${major}.${minor}.${patch}`;
}
