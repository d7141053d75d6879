import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { print } from '#lang/yaml';

export type UnifiedDiffOptions = {
  /** Lines of agreement around each change; 3 as everywhere. */
  readonly context?: number;
  readonly names?: { readonly live: string; readonly target: string };
};

/** A unified diff of two objects as YAML; empty when they read the same. Null or undefined is an empty file. */
export function unifiedDiff(
  live: unknown,
  target: unknown,
  { context = 3, names = { live: 'live', target: 'target' } }: UnifiedDiffOptions = {},
): string {
  const [before, after] = [written(live), written(target)];
  if (before === after) return '';
  return createTwoFilesPatch(names.live, names.target, before, after, undefined, undefined, {
    context,
    headerOptions: FILE_HEADERS_ONLY,
  });
}

/** Sorted, so that only differences in content show. */
const written = (value: unknown): string =>
  value === null || value === undefined ? '' : print(value, { keys: 'sorted' });

/** A unified diff of two versions of a file, as Git prints it; empty when they are the same. */
export function textDiff(path: string, before: string, after: string): string {
  if (before === after) return '';
  return createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, {
    context: 3,
    headerOptions: FILE_HEADERS_ONLY,
  });
}
