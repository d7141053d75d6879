// The functions of a password worker. Loaded by worker processes alone: one hash is tens of milliseconds of computation.
import { constants, setPriority } from 'node:os';
import { hashSync, verifySync } from '@node-rs/bcrypt';

try {
  // reconciling applications has priority over logins by unauthenticated clients
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
} catch {
  // the platform does not allow it: the number of workers still bounds the cost
}

/** compat server §4.1 */
const cost = 10;

export const functions = {
  hash: (password: string): string => hashSync(password, { cost }),
  /** False for a wrong password, and for an invalid hash. */
  verify(given: string, hash: string): boolean {
    try {
      return verifySync(given, hash);
    } catch {
      return false;
    }
  },
};
