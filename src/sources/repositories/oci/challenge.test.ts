import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readChallenges } from './challenge.ts';

const told = (header: string) =>
  readChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)]);

describe('what a server wants to be shown', () => {
  test.each([
    ['Basic realm="x"', [['basic', { realm: 'x' }]]],
    [
      'Bearer realm="https://auth/token",service="reg",scope="repository:a/b:pull,push"',
      [['bearer', { realm: 'https://auth/token', service: 'reg', scope: 'repository:a/b:pull,push' }]],
    ],
    [
      'Negotiate, BEARER realm = plain',
      [
        ['negotiate', {}],
        ['bearer', { realm: 'plain' }],
      ],
    ],
    [
      'Basic realm="a \\"b\\"", Digest nonce="1"',
      [
        ['basic', { realm: 'a "b"' }],
        ['digest', { nonce: '1' }],
      ],
    ],
    ['realm="nobody\'s"', []],
    ['', []],
    ['"', []],
  ])('%s', (header, challenges) => {
    expect(told(header)).toEqual(challenges);
  });

  test('is read from anything without end or error', () => {
    fc.assert(fc.property(fc.string(), (header) => Array.isArray(readChallenges(header))));
  });
});
