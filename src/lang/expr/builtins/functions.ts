import type { Builtin } from './builtin.ts';
import { listFunctions } from './lists.ts';
import { numberFunctions } from './numbers.ts';
import { textFunctions } from './texts.ts';
import { timeFunctions } from './times.ts';

export const functions: Readonly<Record<string, Builtin>> = {
  ...textFunctions,
  ...numberFunctions,
  ...listFunctions,
  ...timeFunctions,
};
