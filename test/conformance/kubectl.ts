import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { realClock, silent } from '#base/std';
import { findTool, run, type ToolName } from '#platform/exec';

type Said = { readonly code: number; readonly out: string; readonly err: string };

/** A real command-line tool pointed at one kubeconfig. */
export type Shell = {
  /** Runs it, whatever comes of it. `input` becomes its standard input, as JSON unless it is text. */
  try(line: string, input?: unknown): Promise<Said>;
  /** Runs it, expects success and no complaints, and answers what it printed. */
  run(line: string, input?: unknown): Promise<string>;
  /** Starts it and lets it go on; `over` is its end. */
  start(line: string): { readonly over: Promise<Said> };
  close(): Promise<void>;
};

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

/** Finds the tool (the bundled one, so that its version is known) and gives it a home of its own. */
export async function shell(tool: ToolName, kubeconfig: string): Promise<Shell> {
  const home = await mkdtemp(join(tmpdir(), `fairlead-${tool}-`));
  // git is there, diff may not be
  await writeFile(join(home, 'differ'), '#!/bin/sh\nexec git diff --no-index "$@"\n', { mode: 0o755 });
  const cacheDir = join(tmpdir(), 'fairlead-test-bin');
  const { command } = await findTool(ctx, tool, { searchPath: '', cacheDir });
  const attempt = async (line: string, input?: unknown): Promise<Said> => {
    const outcome = await run(ctx, {
      program: command,
      args: line.split(' '),
      cwd: home,
      env: {
        HOME: home,
        PATH: `${home}:${process.env.PATH ?? ''}`,
        KUBECONFIG: kubeconfig,
        KUBECTL_EXTERNAL_DIFF: 'differ',
      },
      limits: { ms: 60_000, stdoutBytes: 2 ** 24, stderrBytes: 2 ** 20 },
      ...(input !== undefined && { stdin: typeof input === 'string' ? input : JSON.stringify(input) }),
    });
    return { code: outcome.code, out: new TextDecoder().decode(outcome.stdout), err: outcome.stderr };
  };
  return {
    try: attempt,
    async run(line, input) {
      const said = await attempt(line, input);
      expect({ line, code: said.code, err: said.err }).toEqual({ line, code: 0, err: '' });
      return said.out;
    },
    start: (line) => ({ over: attempt(line) }),
    close: () => rm(home, { recursive: true, force: true }),
  };
}
