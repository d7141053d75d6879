import { expect, test } from 'vitest';
import { readUpConfig } from './config.ts';

const env = { HOME: '/home/me', PATH: '/bin' };

test('without flags everything has a default that works on a laptop', () => {
  expect(readUpConfig({}, env)).toMatchObject({
    port: 8080,
    host: '127.0.0.1',
    cluster: undefined,
    demo: undefined,
    toolsDir: '/home/me/.cache/fairlead',
    namespace: 'argocd',
  });
});

test('a kubeconfig or a context means a cluster of the user, found as kubectl finds it', () => {
  expect(readUpConfig({ kubeconfig: '/x' }, env).cluster).toMatchObject({ files: ['/x'] });
  expect(readUpConfig({ context: 'staging' }, { ...env, KUBECONFIG: '/a:/b' }).cluster).toMatchObject({
    files: ['/a', '/b'],
    context: 'staging',
  });
  expect(readUpConfig({ context: 'staging' }, env).cluster?.files).toEqual(['/home/me/.kube/config']);
});

test('proxies are read in either spelling, and none is no proxy (PRX-1)', () => {
  expect(readUpConfig({}, env).proxy).toEqual({});
  const set = { ...env, https_proxy: 'http://p:1', HTTP_PROXY: 'http://p:2', NO_PROXY: '.corp' };
  expect(readUpConfig({}, set).proxy).toEqual({ https: 'http://p:1', http: 'http://p:2', noProxy: '.corp' });
});

test('signatures are verified unless that is switched off (INT-8)', () => {
  const verifies = (value?: string) =>
    readUpConfig({}, value === undefined ? env : { ...env, ARGOCD_GPG_ENABLED: value }).verifiesSignatures;
  expect([undefined, '', 'true', 'yes', 'x'].map(verifies)).toEqual([true, true, true, true, true]);
  expect(['false', 'no', 'FALSE'].map(verifies)).toEqual([false, false, false]);
});

test('a bad value is named, and nothing starts', () => {
  expect(() => readUpConfig({ port: 'http' }, env)).toThrow('--port http is not a port');
  expect(() => readUpConfig({ port: '70000' }, env)).toThrow('--port 70000');
  expect(() => readUpConfig({ demo: true, kubeconfig: '/x' }, env)).toThrow(
    '--demo is for the embedded cluster only',
  );
});
