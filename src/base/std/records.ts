import type { Ctx } from './ctx.ts';

/** Facts that a process leaves for the one that starts after it. A lost one costs work, never correctness. */
export type Records<Value> = {
  /** Undefined when there is none, or it is too old. */
  get(ctx: Ctx, key: string): Value | undefined;
  /** Returns at once; written in the background. */
  put(ctx: Ctx, key: string, value: Value): void;
  delete(ctx: Ctx, key: string): void;
};
