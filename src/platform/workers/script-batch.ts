import type { ErrorCode } from '#base/std';

/** Scripts are named by their place in the list, so that a text shared by many jobs crosses once. */
export type ScriptBatch = {
  readonly scripts: readonly { readonly script: string; readonly openLibs: boolean }[];
  readonly jobs: readonly { readonly script: number; readonly globals: Readonly<Record<string, unknown>> }[];
  /** What time it is, in milliseconds. */
  readonly now: number;
};

/** What came of one job. */
export type ScriptOutcome =
  | { readonly value: unknown }
  | { readonly code: ErrorCode; readonly message: string };

/** A batch ends after this long, and with the first script that met a limit; the rest is for the next. */
export const batchMs = 500;
