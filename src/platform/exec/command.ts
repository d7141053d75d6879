/** What to start. `env` is complete: a child inherits nothing that is not listed here. */
export type Command = {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * Address space limit of the program and of each of its descendants: what the kernel counts, used or not. Left out: 5 GB.
   */
  readonly memoryMb?: number;
};
