import { expect, test } from 'vitest';
import { defaultSettings } from '#base/model';
import { cipherChoice } from './cipher-suites.ts';
import { type ListenerFlags, listenerOptionsOf } from './listener-options.ts';

const { server } = defaultSettings;
const of = (flags: ListenerFlags, isLoopback: boolean, insecure = false) =>
  listenerOptionsOf({ flags, isLoopback, server: { ...server, insecure } }).isTls;

test('server §2.1: TLS beyond this machine, plain HTTP on it, and what an operator says', () => {
  expect([of({}, false), of({}, true)]).toEqual([true, false]);
  expect([of({}, false, true), of({ insecure: true }, false)]).toEqual([false, false]);
  expect([of({ tls: true }, true), of({ insecure: false }, false, true)]).toEqual([true, true]);
});

test.each([
  ['', '/', ['', '/', '/']],
  ['/argo-cd/', '/', ['/argo-cd', '/argo-cd/', '/argo-cd']],
  ['', 'gitops', ['', '/gitops/', '/gitops']],
  ['a/../"><script>', '/', ['/a/script', '/a/script/', '/a/script']],
])('root path %o and base href %o', (rootPath, baseHref, paths) => {
  const options = listenerOptionsOf({ flags: { rootPath, baseHref }, isLoopback: true, server });
  expect([options.rootPath, options.basePath, options.cookiePath]).toEqual(paths);
});

test('suites have the names of Go; unknown ones are named, and nothing is left of them', () => {
  expect(cipherChoice(['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'TLS_RSA_WITH_RC4_128_SHA'])).toEqual({
    ciphers: 'ECDHE-RSA-AES256-GCM-SHA384',
    unknown: ['TLS_RSA_WITH_RC4_128_SHA'],
  });
  expect(cipherChoice([]).ciphers).toBeUndefined();
});
