import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { companionCookies, companionIn, cookieToken, expiredCookies, tokenCookies } from './cookies.ts';

const client = { address: '', isSecure: true };
const sent = (cookies: readonly string[]): IncomingMessage =>
  ({ headers: { cookie: cookies.map((one) => one.split(';')[0]).join('; ') } }) as IncomingMessage;

test.each([1, 200, 3900, 4093, 4094, 20_000, 70_000])(
  'a token of %i bytes is read from the cookies that hold it, none of which is too long for a browser',
  (length) => {
    const token = Array.from({ length }, (_, i) => 'abc.-_'[i % 6]).join('');
    const cookies = tokenCookies(token, client);
    expect(cookies.every((one) => one.length <= 4093)).toBe(true);
    expect(cookies.every((one) => one.endsWith('; Path=/; SameSite=lax; HttpOnly; Secure'))).toBe(true);
    expect(cookieToken(sent(cookies))).toBe(token);
  },
);

test('server §4.2: the first of several says how many there are', () => {
  const cookies = tokenCookies('x'.repeat(9000), client);
  expect(cookies.map((one) => one.slice(0, 18))).toEqual([
    'argocd.token=3:xxx',
    'argocd.token-1=xxx',
    'argocd.token-2=xxx',
  ]);
});

test.each([1, 4000, 4094, 15_000])(
  'what is sealed beside a token, %i bytes, is read back whole',
  (length) => {
    const sealed = 'x_-'.repeat(length).slice(0, length);
    const cookies = companionCookies(sealed, client);
    expect(cookies.every((one) => one.length <= 4093)).toBe(true);
    expect(companionIn(sent([...tokenCookies('a.b.c', client), ...cookies]).headers.cookie)).toBe(sealed);
  },
);

test('without anything beside the token its cookie is deleted', () => {
  expect(companionCookies(undefined, client)).toEqual([
    expect.stringMatching(/^fairlead\.sso=;.*Max-Age=0$/),
  ]);
});

test('a token that needs more than twenty cookies is refused', () => {
  expect(() => tokenCookies('x'.repeat(90_000), client)).toThrow('fewer groups');
});

test.each([
  ['no cookie', ''],
  ['an empty one', 'argocd.token='],
  ['a part is missing', 'argocd.token=3:a; argocd.token-1=b'],
  ['more parts than there may be', 'argocd.token=99:a'],
])('there is no token: %s', (_what, cookie) => {
  expect(cookieToken({ headers: { cookie } } as IncomingMessage)).toBeUndefined();
});

test('the first cookie of a name counts, and other cookies are left alone', () => {
  const cookie = 'x=argocd.token=no; argocd.token=a.b.c; argocd.token=other';
  expect(cookieToken({ headers: { cookie } } as IncomingMessage)).toBe('a.b.c');
});

test.each(['%', '%zz', 'a=b=c', '"quoted'])('a cookie that is %j is taken as it is written', (value) => {
  const cookie = `%; =; ;; argocd.token=${value}`;
  expect(cookieToken({ headers: { cookie } } as IncomingMessage)).toBe(value);
});

test('a logout deletes every part', () => {
  const names = expiredCookies(
    'a=b; argocd.token=2:x; argocd.token-1=y; argocd.token-x=z; fairlead.sso=2:x; fairlead.sso-1=y',
    client,
  );
  expect(names.map((one) => one.split('=')[0])).toEqual([
    'argocd.token',
    'fairlead.sso',
    'argocd.token-1',
    'fairlead.sso-1',
  ]);
  expect(names.every((one) => one.endsWith('Max-Age=0'))).toBe(true);
});
