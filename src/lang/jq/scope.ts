import type { Filter } from './filter.ts';
import type { JqNode } from './syntax.ts';

/** A function of the expression's own. Its body is missing only while it is being compiled: a recursive call. */
export type JqFunction = { readonly params: readonly string[]; body: Filter | undefined };

type Entry =
  | { readonly is: 'slot'; readonly name: string }
  | { readonly is: 'function'; readonly name: string; readonly definition: JqFunction };

/**
 * The names in scope at one position of an expression, innermost first. Only slots have a counterpart at run
 * time.
 */
export type JqScope = { readonly entry: Entry; readonly outer: JqScope; readonly depth: number } | undefined;

export type Compile = (node: JqNode, scope: JqScope) => Filter;

const depthOf = (scope: JqScope): number => scope?.depth ?? 0;

/** A variable is bound as `$name`, a filter given as an argument as `name`, a label as `*name`. */
export const withSlot = (outer: JqScope, name: string): JqScope => ({
  entry: { is: 'slot', name },
  outer,
  depth: depthOf(outer) + 1,
});

export const withFunction = (outer: JqScope, name: string, definition: JqFunction): JqScope => ({
  entry: { is: 'function', name, definition },
  outer,
  depth: depthOf(outer),
});

/** How many bindings lie between here and the one named, or undefined. */
export function distanceTo(scope: JqScope, name: string): number | undefined {
  for (let here = scope; here; here = here.outer) {
    if (here.entry.is === 'slot' && here.entry.name === name) return depthOf(scope) - here.depth;
  }
  return undefined;
}

export type JqName =
  | { readonly is: 'argument'; readonly distance: number }
  | { readonly is: 'function'; readonly definition: JqFunction; readonly distance: number };

/** The target of a call: a filter passed as an argument, or a function and how far outside it was defined. */
export function findFunction(scope: JqScope, name: string, arity: number): JqName | undefined {
  for (let here = scope; here; here = here.outer) {
    const { entry } = here;
    if (entry.name !== name) continue;
    const distance = depthOf(scope) - here.depth;
    if (entry.is === 'slot') {
      if (arity === 0) return { is: 'argument', distance };
    } else if (entry.definition.params.length === arity) {
      return { is: 'function', definition: entry.definition, distance };
    }
  }
  return undefined;
}
