import type { CliDeps } from '../cli-deps.ts';
import { configPath, readConfig } from '../session/config-file.ts';

type Deps = Pick<CliDeps, 'io' | 'flags'>;

/** Whether the user wants something deleted. */
export const isConfirmed = (deps: Deps, what: string): Promise<boolean> =>
  mayProceed(deps, { question: `Delete ${what}? [y/n] `, doing: `deleting ${what}` });

/**
 * compat server §8.1: prompts only at a terminal; elsewhere it continues, after one line of warning. Where prompts are disabled it
 * continues without one.
 */
export async function mayProceed(
  deps: Deps,
  { question, doing }: { readonly question: string; readonly doing: string },
): Promise<boolean> {
  const { io } = deps;
  if (!(await arePromptsEnabled(deps))) return true;
  if (!io.isTerminal) {
    io.err(`warning: ${doing} without a prompt, as this is no terminal\n`);
    return true;
  }
  return isAgreed(await io.prompt(question));
}

/**
 * dev server §8.1: the flag, else what `fairlead configure` has stored; the peer's own `prompts-enabled: false` has no effect.
 * The peer writes it into every file, and prompts before it deletes all the same.
 */
export async function arePromptsEnabled({ io, flags }: Deps): Promise<boolean> {
  const { promptsEnabled, config } = flags();
  if (promptsEnabled !== undefined) return promptsEnabled;
  return (await readConfig(config ?? configPath(io.env)))['fairlead-prompts-enabled'] !== false;
}

export const isAgreed = (answer: string): boolean => /^y(es)?$/i.test(answer.trim());
