import { FairleadError } from '#base/std';

type Version = readonly [major: number, minor: number];

/** Older ones cannot receive credentials without other users seeing them. */
const oldest: Version = [2, 31];

/** Older ones resolve a host themselves and may connect to another address than the checked one. */
const oldestPinning: Version = [2, 37];

/** The abilities of a git version. An unknown version counts as new. Throws InvalidSpec for one that is too old. */
export function abilitiesOf(version: string | undefined): { readonly pins: boolean } {
  if (version === undefined) return { pins: true };
  if (!isAtLeast(version, oldest)) {
    throw new FairleadError(
      'InvalidSpec',
      `git ${version} is too old: install git ${described(oldest)} or later`,
    );
  }
  return { pins: isAtLeast(version, oldestPinning) };
}

/** For an HTTP repository whose host is a name, with a git that does not support pinning a checked address. */
export const cannotPin = (host: string): FairleadError =>
  new FairleadError(
    'InvalidSpec',
    `git on this machine cannot be kept to the address of ${host} that was checked: install git ${described(oldestPinning)} or later, or use an ssh URL`,
  );

const described = (version: Version): string => version.join('.');

function isAtLeast(version: string, [major, minor]: Version): boolean {
  const [own = 0, ownMinor = 0] = version.split('.').map(Number);
  return own > major || (own === major && ownMinor >= minor);
}
