import { hash } from '@node-rs/bcrypt';
import { FairleadError } from '#base/std';

/** The work that a hash costs, as Argo CD's have it. */
const cost = 10;

/** The bcrypt hash of a password, as argocd-secret holds it. Throws InvalidSpec where bcrypt would ignore the end of it. */
export async function hashPassword(password: string): Promise<string> {
  if (Buffer.byteLength(password) > 72)
    throw new FairleadError(
      'InvalidSpec',
      'the password is longer than 72 bytes, which is all that bcrypt reads',
    );
  return hash(password, { cost });
}
