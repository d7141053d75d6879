import type { CliDeps } from '../cli-deps.ts';

/** compat server §8.1: prompts only at a terminal; elsewhere it continues, after one line of warning. */
export async function isConfirmed(
  { io, flags }: Pick<CliDeps, 'io' | 'flags'>,
  what: string,
): Promise<boolean> {
  if (flags().promptsEnabled === false) return true;
  if (!io.isTerminal) {
    io.err(`warning: deleting ${what} without a prompt, as this is no terminal\n`);
    return true;
  }
  return isAgreed(await io.prompt(`Delete ${what}? [y/n] `));
}

export const isAgreed = (answer: string): boolean => /^y(es)?$/i.test(answer.trim());
