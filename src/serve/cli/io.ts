import type { SecureContext } from 'node:tls';
import type { OidcRequest } from '#serve/oidc';

/** What the command line touches besides the server: injected, so that a test can observe it. */
export type Io = {
  out(text: string): void;
  err(text: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The TLS authorities that this machine trusts; left out: those of Node. */
  readonly trust?: () => Promise<SecureContext>;
  /** Requests to an identity provider; left out: there is no single sign-on. */
  readonly request?: (terms: { readonly insecure: boolean; readonly authorities: string }) => OidcRequest;
  /** Opens an address in the user's browser; left out: there is none. */
  openBrowser?(url: string): void;
  /** Runs a program on this terminal, such as an editor, and returns its exit code; left out: there are none. */
  interact?(command: string, args: readonly string[]): Promise<number>;
  /** The size of the terminal. */
  size?(): { readonly columns: number; readonly rows: number };
  /** The output is a terminal, and the user can be prompted. */
  readonly isTerminal: boolean;
  /** Prompts for a line; `hidden` does not echo it. */
  prompt(question: string, options?: { hidden?: boolean }): Promise<string>;
};

/** An invalid command line; the same as for an API or I/O error, since 1 means that app diff found a difference. */
export const usageExitCode = 20;

/** compat server §8.1: 1 is a finding or a failed operation, 20 an error. */
export class ExitError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}
