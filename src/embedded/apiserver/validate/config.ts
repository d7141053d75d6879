import { configKeyProblems } from '#base/model';
import { equal } from '#base/std';
import { syntaxError } from '../write/go-json.ts';
import type { FieldCheck } from './check.ts';

const limit = 1024 * 1024;

export function checkConfigMap(object: FieldCheck): void {
  const [data, binary] = [object.field('data'), object.field('binaryData')];
  const size = checkKeys(data, (value) => Buffer.byteLength(value)) + checkKeys(binary, decodedLength);
  for (const key of Object.keys(data.object)) {
    if (Object.hasOwn(binary.object, key))
      data.key(key).invalid('duplicate of key present in binaryData', key);
  }
  if (size > limit) {
    object.add({ type: 'Too long', field: '[]', detail: `may not be more than ${limit} bytes` });
  }
}

/** The size of a map's values, whose keys are checked on the way. */
function checkKeys(map: FieldCheck, weigh: (value: string) => number): number {
  let size = 0;
  for (const [key, value] of Object.entries(map.object)) {
    for (const problem of configKeyProblems(key)) map.key(key).invalid(problem, key);
    size += weigh(String(value ?? ''));
  }
  return size;
}

const decodedLength = (text: string): number => Buffer.byteLength(text, 'base64');

export function checkSecret(secret: FieldCheck): void {
  const data = secret.field('data');
  const size = checkKeys(data, decodedLength);
  if (size > limit)
    data.add({ type: 'Too long', field: data.path, detail: `may not be more than ${limit} bytes` });
  typeChecks[secret.field('type').text]?.(secret);
}

/** compat cluster 3.13: the required keys of some types of secrets. */
const typeChecks: Readonly<Record<string, (secret: FieldCheck) => void>> = {
  'kubernetes.io/service-account-token': (secret) => {
    const name = secret.field('metadata').field('annotations').key('kubernetes.io/service-account.name');
    if (!name.isSet) name.lacking();
  },
  'kubernetes.io/dockercfg': (secret) => checkJson(secret, '.dockercfg'),
  'kubernetes.io/dockerconfigjson': (secret) => checkJson(secret, '.dockerconfigjson'),
  'kubernetes.io/basic-auth': (secret) => {
    const keys = ['username', 'password'];
    if (keys.every((key) => !has(secret, key)))
      for (const key of keys) secret.field('data').key(key).lacking();
  },
  'kubernetes.io/ssh-auth': (secret) => demand(secret, 'ssh-privatekey'),
  'kubernetes.io/tls': (secret) => {
    for (const key of ['tls.crt', 'tls.key']) demand(secret, key);
  },
};

const has = (secret: FieldCheck, key: string): boolean => Object.hasOwn(secret.field('data').object, key);

function demand(secret: FieldCheck, key: string): void {
  if (!has(secret, key)) secret.field('data').key(key).lacking();
}

function checkJson(secret: FieldCheck, key: string): void {
  const value = secret.field('data').key(key);
  if (!has(secret, key)) {
    value.lacking();
    return;
  }
  const problem = syntaxError(Buffer.from(value.text, 'base64').toString());
  if (problem !== undefined) value.invalid(problem, '<secret contents redacted>');
}

/** compat cluster 3.13 */
export function keepImmutableData(next: FieldCheck, live: FieldCheck): void {
  if (live.field('immutable').value !== true) return;
  if (next.field('immutable').value !== true)
    next.field('immutable').forbidden('field is immutable when `immutable` is set');
  for (const field of ['data', 'binaryData']) {
    if (!equal(next.field(field).value, live.field(field).value)) {
      next.field(field).forbidden('field is immutable when `immutable` is set');
    }
  }
}

export function keepSecret(next: FieldCheck, live: FieldCheck): void {
  next.field('type').immutable(live.field('type').value);
  keepImmutableData(next, live);
}
