import type { SecureContext } from 'node:tls';

/** What the command line touches besides the server: passed in, so that a test can watch it. */
export type Io = {
  out(text: string): void;
  err(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whom this machine believes about servers; left out: whom Node believes. */
  readonly trust?: () => Promise<SecureContext>;
  /** Somebody is looking at the output, and can be asked. */
  readonly isTerminal: boolean;
  /** Asks for a line; `hidden` does not echo it. */
  ask(question: string, options?: { hidden?: boolean }): Promise<string>;
};

/** A command line that cannot be read; the same as for an API or I/O error, since 1 is what app diff has found. */
export const usageExitCode = 20;

/** compat server §8.1: 1 is a finding or a failed operation, 20 an error. */
export class ExitError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
