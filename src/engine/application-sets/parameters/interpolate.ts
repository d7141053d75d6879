import type { SetGenerator } from '#base/model';
import { isObject, type JsonObject } from '#base/std';
import type { SetRenderer } from '../template/set-renderer.ts';
import { isEmptySet, type SetParameters } from './set-parameters.ts';

/**
 * compat sources ASM-2, ASM-3: the second child of a matrix with all of its strings rendered by a set of the first. Item
 * selectors and templates stay as they are; `values` are rendered where the first child has all that they name, and are left
 * for the child's own parameters otherwise. An empty set interpolates nothing. Throws RenderFailed.
 */
export function interpolateGenerator(
  item: SetGenerator,
  set: SetParameters,
  renderer: SetRenderer,
): SetGenerator {
  if (isEmptySet(set)) return item;
  return Object.fromEntries(
    Object.entries(item).map(([kind, generator]) => [
      kind,
      kind === 'selector' || !isObject(generator)
        ? generator
        : interpolated(generator, kind, { set, renderer }),
    ]),
  );
}

type Interpolation = { readonly set: SetParameters; readonly renderer: SetRenderer };

function interpolated(generator: JsonObject, kind: string, { set, renderer }: Interpolation): JsonObject {
  const { template, values, generators, ...rest } = generator;
  const isCombining = kind === 'matrix' || kind === 'merge';
  return {
    ...renderer.tree(rest, kind)(set),
    ...(template === undefined ? {} : { template }),
    ...(values === undefined ? {} : { values: lenient(values, { set, renderer }) }),
    ...(generators === undefined
      ? {}
      : { generators: isCombining ? inner(generators, { set, renderer }) : generators }),
  };
}

const inner = (generators: unknown, { set, renderer }: Interpolation): unknown =>
  Array.isArray(generators)
    ? generators.map((child: SetGenerator) => interpolateGenerator(child, set, renderer))
    : generators;

function lenient(values: unknown, { set, renderer }: Interpolation): unknown {
  if (!isObject(values)) return values;
  return Object.fromEntries(
    Object.entries(values).map(([name, text]) => [
      name,
      typeof text === 'string' ? (renderer.textIfKnown(text, set) ?? text) : text,
    ]),
  );
}
