import { functions } from './functions.ts';
import { predicateNames } from './predicates.ts';

/** Every name that is a function of the language when it is called. */
export const builtinNames: ReadonlySet<string> = new Set([...predicateNames, ...Object.keys(functions)]);
