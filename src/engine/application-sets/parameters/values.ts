import type { SetRenderer } from '../template/set-renderer.ts';
import type { SetParameters } from './set-parameters.ts';

/**
 * compat sources AS-9: the set with the generator's `values`, all of which are rendered with the generator's own parameters
 * alone; a value never refers to another, so that none can grow by doubling.
 */
export function withValues(
  set: SetParameters,
  values: Readonly<Record<string, string>> | undefined,
  renderer: SetRenderer,
): SetParameters {
  const rendered = Object.entries(values ?? {}).map(
    ([name, text]) => [name, renderer.text(text, set)] as const,
  );
  if (rendered.length === 0) return set;
  if (renderer.mode === 'go') return { ...set, values: Object.fromEntries(rendered) };
  return { ...set, ...Object.fromEntries(rendered.map(([name, text]) => [`values.${name}`, text])) };
}
