import { FairleadError } from '#base/std';

type Version = readonly [major: number, minor: number];

/** Older ones cannot be given credentials in a way that nobody else sees. */
const oldest: Version = [2, 31];

/** Older ones look a host up themselves and may connect to another address than the one that was checked. */
const oldestPinning: Version = [2, 37];

/** What a git can do. A version that nobody knows counts as new. Throws InvalidSpec for one too old for anything. */
export function abilitiesOf(version: string | undefined): { readonly pins: boolean } {
  if (version === undefined) return { pins: true };
  if (!isAtLeast(version, oldest)) {
    throw new FairleadError('InvalidSpec', `git ${version} is too old: install git ${told(oldest)} or later`);
  }
  return { pins: isAtLeast(version, oldestPinning) };
}

/** For a repository of the web whose host is a name, with a git that does not keep to a checked address. */
export const cannotPin = (host: string): FairleadError =>
  new FairleadError(
    'InvalidSpec',
    `git on this machine cannot be kept to the address of ${host} that was checked: install git ${told(oldestPinning)} or later, or use an ssh URL`,
  );

const told = (version: Version): string => version.join('.');

function isAtLeast(version: string, [major, minor]: Version): boolean {
  const [own = 0, ownMinor = 0] = version.split('.').map(Number);
  return own > major || (own === major && ownMinor >= minor);
}
