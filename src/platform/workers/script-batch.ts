import type { ErrorCode } from '#base/std';

/** Scripts are referenced by their index in the list, so that a text shared by many jobs is sent once. */
export type ScriptBatch = {
  readonly scripts: readonly { readonly script: string; readonly openLibs: boolean }[];
  readonly jobs: readonly { readonly script: number; readonly globals: Readonly<Record<string, unknown>> }[];
  /** The current time in milliseconds. */
  readonly now: number;
};

/** The result of one job. */
export type ScriptOutcome =
  | { readonly value: unknown }
  | { readonly code: ErrorCode; readonly message: string };

/** A batch ends after this long, and with the first script that exceeded a limit; the rest goes to the next batch. */
export const batchMs = 500;
