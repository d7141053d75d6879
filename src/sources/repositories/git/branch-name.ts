import { FairleadError } from '#base/std';

const plain = /^[A-Za-z0-9][A-Za-z0-9._/+-]{0,199}$/;

/** The full name of the ref of a branch that a user names. Throws InvalidSpec for a name that Git, or a host, may not accept. */
export function branchRef(name: string): string {
  const isOdd = /\.\.|\/\/|\/\.|\.\/|[./]$|\.lock(\/|$)/.test(name);
  // a full hash, or a name such as refs/heads/x, is read as something else by some commands
  const isMistakable = /^[0-9a-f]{40}$/i.test(name) || name.startsWith('refs/') || name === 'HEAD';
  if (!plain.test(name) || isOdd || isMistakable) {
    throw new FairleadError(
      'InvalidSpec',
      `${JSON.stringify(name.slice(0, 100))} is no usable name of a branch: use letters, digits, - and /`,
    );
  }
  return `refs/heads/${name}`;
}
