import { expect, test } from 'vitest';
import { seal, unseal } from './seal.ts';

const key = Buffer.alloc(32, 1);
const value = { state: 'aaaaaaaaaaaaaaaa', returnUrl: '/applications' };

test('what was sealed is read with the same key, for the same purpose, and by no other', () => {
  const sealed = seal(key, 'login', value);
  expect(unseal(key, 'login', sealed)).toEqual(value);
  expect(unseal(Buffer.alloc(32, 2), 'login', sealed)).toBeUndefined();
  expect(unseal(key, 'companion', sealed)).toBeUndefined();
});

test('what was sealed and then changed in any byte, cut or lengthened is not read', () => {
  const bytes = Buffer.from(seal(key, 'login', value), 'base64url');
  const changed = Array.from(bytes, (_byte, at) => {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  });
  const others = [
    bytes.subarray(0, -1),
    bytes.subarray(0, 20),
    Buffer.concat([bytes, bytes]),
    Buffer.alloc(0),
  ];
  for (const one of [...changed, ...others])
    expect(unseal(key, 'login', one.toString('base64url'))).toBeUndefined();
});
