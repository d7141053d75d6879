import { join } from 'node:path';
import { isObject, printJson } from '#base/std';
import { parseAll } from '#lang/yaml';
import { run, type Tool } from '#platform/exec';
import type { ManifestsFixture } from '../manifests.ts';
import { errorClass, placesIn } from './error-class.ts';

/** Objects, or the words of a failure. */
export type Result = { readonly objects: readonly unknown[] } | { readonly failure: string };

/** Runs Helm or Kustomize in a folder as a person would, and reads what it prints. */
export async function realEngine(
  fixture: ManifestsFixture,
  tool: Tool,
  args: readonly string[],
  cwd: string,
): Promise<Result> {
  const { code, stdout, stderr } = await run(fixture.ctx, {
    program: tool.command,
    args: [...tool.prefixArgs, ...args],
    cwd,
    // kustomize looks for helm on the path
    env: { HOME: fixture.folder, PATH: join(fixture.helm.command, '..') },
    limits: { ms: 60_000, stdoutBytes: 16 * 1024 * 1024, stderrBytes: 1024 * 1024 },
  });
  if (code !== 0) return { failure: stderr };
  const documents = parseAll(new TextDecoder().decode(stdout), { name: tool.command });
  return { objects: documents.flatMap(({ value }) => opened(value)) };
}

/** POST-1: nothing for null, its items for a list. */
function opened(value: unknown): unknown[] {
  if (value === null) return [];
  return isObject(value) && Array.isArray(value.items) ? value.items : [value];
}

/** T0: the objects in whatever order they came. T3: the kind of failure and its place, in whatever words. */
export function comparable(result: Result): object {
  if ('failure' in result) return { fails: errorClass(result.failure), at: placesIn(result.failure) };
  return { objects: result.objects.map(ordered).sort(byText) };
}

const byText = (a: unknown, b: unknown): number => (printJson(a) < printJson(b) ? -1 : 1);

/** Keys in order, so that equal objects print alike. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([key, field]) => [key, ordered(field)]));
}
