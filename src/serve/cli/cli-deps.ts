import type { Command } from 'commander';
import type { Io } from './io.ts';
import type { OpenCore } from './open-core.ts';
import type { OpenManifests } from './open-manifests.ts';
import type { GlobalFlags } from './session/global-flags.ts';
import type { Session } from './session/session.ts';

/** Opened by a command when it runs, not when the program starts: `--help` needs no server. */
export type Open = () => Promise<{ io: Io; session: Session; signal: AbortSignal }>;

/** What a command may use. */
export type CliDeps = {
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly version: string;
  /** The words of the command line: commands that they do not name need not be loaded. */
  readonly args: readonly string[];
  /** Every command, for commands about commands. */
  readonly program: Command;
  readonly openManifests: OpenManifests;
  /** Left out: there is no --core. */
  readonly openCore?: OpenCore | undefined;
  /** The bcrypt hash of a password; left out: there is none. */
  readonly hashPassword?: ((password: string) => Promise<string>) | undefined;
  readonly open: Open;
  /** The flags of every command, from the command line and the environment. */
  flags(): GlobalFlags;
};

/** Adds a command, or several, to its group. */
export type AddCommand = (command: Command, deps: CliDeps) => void;
