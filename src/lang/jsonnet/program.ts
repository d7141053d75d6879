import { FairleadError } from '#base/std';
import { compileOnFirstUse } from './compile.ts';
import { describePlace, JsonnetError, type SourceText } from './fault.ts';
import { parse } from './parse.ts';
import { type Import, resolve } from './resolve.ts';
import type { JsonnetNode } from './syntax.ts';

/** A text that was read and can be run any number of times. */
export type JsonnetProgram = {
  readonly path: string;
  /** Its imports; every import path is a literal, so they are known before it runs. */
  readonly imports: readonly Import[];
};

const roots = new WeakMap<JsonnetProgram, JsonnetNode>();

/**
 * Reads a program. `path` is its name in messages and imports. Throws RenderFailed with file, line and
 * column, also for undefined names in code that would never run.
 */
export function parseProgram(path: string, text: string): JsonnetProgram {
  const source: SourceText = { path, text };
  try {
    const root = parse(source);
    const program = { path, imports: resolve(root, compileOnFirstUse) };
    roots.set(program, root);
    return program;
  } catch (error) {
    throw asFailure(error, path);
  }
}

/** The expression a program is. */
export function rootOf(program: JsonnetProgram): JsonnetNode {
  const root = roots.get(program);
  if (!root) throw new FairleadError('Internal', 'a program was run that was never parsed');
  return root;
}

/** The error that callers see when a program is wrong, or costs too much. */
export function asFailure(error: unknown, path: string): unknown {
  if (error instanceof JsonnetError) {
    const where = error.place ? describePlace(error.place) : path;
    return new FairleadError('RenderFailed', `${where}: ${error.message}`);
  }
  if (error instanceof RangeError) {
    return new FairleadError(
      'LimitExceeded',
      `${path} needs more stack or memory than there is: look for deep nesting`,
    );
  }
  return error;
}
