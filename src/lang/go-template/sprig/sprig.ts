import type { TemplateFunctions } from '../functions.ts';
import { cipherFunctions } from './ciphers.ts';
import { dateFunctions } from './dates.ts';
import { defaultFunctions } from './defaults.ts';
import { dictFunctions } from './dicts.ts';
import { hashFunctions } from './hashes.ts';
import { listFunctions } from './lists.ts';
import { numberFunctions } from './numbers.ts';
import { pathFunctions } from './paths.ts';
import { randomFunctions } from './random.ts';
import { refusedFunctions } from './refused.ts';
import { regexFunctions } from './regexes.ts';
import { semverFunctions } from './semver.ts';
import { stringFunctions } from './strings.ts';
import { urlFunctions } from './urls.ts';

/** sprig 3.3.0 (compat sources 4.6) without env, expandenv and getHostByName, which read the machine. */
export const sprigFunctions: TemplateFunctions = new Map([
  ...stringFunctions,
  ...numberFunctions,
  ...listFunctions,
  ...dictFunctions,
  ...defaultFunctions,
  ...dateFunctions,
  ...regexFunctions,
  ...pathFunctions,
  ...hashFunctions,
  ...semverFunctions,
  ...urlFunctions,
  ...randomFunctions,
  ...cipherFunctions,
  ...refusedFunctions,
]);
