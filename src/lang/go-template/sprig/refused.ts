import { fn } from '../functions.ts';
import { GoError, type GoFunction } from '../value.ts';

const keys = [
  'genPrivateKey',
  'genCA',
  'genCAWithKey',
  'genSelfSignedCert',
  'genSelfSignedCertWithKey',
  'genSignedCert',
  'genSignedCertWithKey',
  'buildCustomCert',
];

/**
 * compat sources 4.6, AST-3: what the peer has and we refuse (decision 49). They are there by name, so that the template can be
 * read and the reason stands where they are called.
 */
export const refusedFunctions: [string, GoFunction][] = [
  ...keys.map((name) =>
    refused(
      name,
      'a private key would be new after each evaluation, and readable in the Application; create it once in a Secret',
    ),
  ),
  ...['bcrypt', 'htpasswd'].map((name) =>
    refused(
      name,
      'a salted hash would be another one after each evaluation; hash the password once, and use the result',
    ),
  ),
];

function refused(name: string, why: string): [string, GoFunction] {
  const call = (): never => {
    throw new GoError(`${name} is not available to templates: ${why}`);
  };
  return [name, fn('...any', call)];
}
