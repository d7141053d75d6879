import { constant } from '../filter.ts';
import { JqError } from '../run.ts';
import { collectionFunctions } from './collections.ts';
import { dateFunctions } from './dates.ts';
import { mathFunctions } from './math.ts';
import { type JqBuiltin, type Natives, nothing, ofInput } from './native.ts';
import { patternFunctions } from './patterns.ts';
import { select, streamFunctions } from './streams.ts';
import { stringFunctions } from './strings.ts';
import { structureFunctions } from './structure.ts';

const rare = 'gamma/0 lgamma/0 tgamma/0 erf/0 erfc/0 j0/0 j1/0 y0/0 y1/0 jn/2 yn/2'.split(' ');

// dev engine D-12: `now` and rare mathematics fail where they are used, so one rule is skipped and no application is lost
const missing = (signature: string, reason: string): Natives => ({
  [signature]: ofInput(() => {
    throw new JqError(`${signature} is not available: ${reason}`);
  }),
});

const natives: Natives = {
  ...structureFunctions,
  ...streamFunctions,
  ...collectionFunctions,
  ...stringFunctions,
  ...patternFunctions,
  ...mathFunctions,
  ...dateFunctions,
  'finites/0': () => select(mathFunctions['isfinite/0']?.([]) ?? nothing),
  'normals/0': () => select(mathFunctions['isnormal/0']?.([]) ?? nothing),
  ...missing('now/0', 'it would make results depend on the time'),
  ...missing('modulemeta/0', 'there are no modules'),
  ...Object.assign({}, ...rare.map((signature) => missing(signature, 'it is not implemented'))),
  'builtins/0': () => constant(Object.keys(natives).sort()),
};

/** A function of the language, by name and number of arguments. */
export const findNative = (name: string, arity: number): JqBuiltin | undefined => {
  const signature = `${name}/${arity}`;
  return Object.hasOwn(natives, signature) ? natives[signature] : undefined;
};

const outside = 'is not available: an expression sees its input and nothing else';

/** Functions that other programs offer and gojq as a library does not, with the reason. */
export const refusals: ReadonlyMap<string, string> = new Map(
  ['input', 'inputs', 'debug', 'stderr', 'input_filename', 'input_line_number', 'get_search_list'].map(
    (name) => [name, outside],
  ),
);
