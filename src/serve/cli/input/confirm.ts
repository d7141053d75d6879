import type { Io } from '../io.ts';

/** compat server §8.1: prompts only at a terminal; elsewhere it continues, after one line of warning. */
export async function isConfirmed(io: Io, what: string): Promise<boolean> {
  if (!io.isTerminal) {
    io.err(`warning: deleting ${what} without a prompt, as this is no terminal\n`);
    return true;
  }
  return /^y(es)?$/i.test((await io.ask(`Delete ${what}? [y/n] `)).trim());
}
