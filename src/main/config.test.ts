import { expect, test } from 'vitest';
import { readConfig, readRoleConfig } from './config.ts';

const env = { HOME: '/home/me', PATH: '/bin' };

test('without flags everything has a default that works on a laptop', () => {
  expect(readConfig({}, env)).toMatchObject({
    port: 8080,
    host: '127.0.0.1',
    cluster: undefined,
    demo: undefined,
    toolsDir: '/home/me/.cache/fairlead',
    namespace: 'argocd',
  });
});

test('a kubeconfig or a context means a cluster of the user, found as kubectl finds it', () => {
  expect(readConfig({ kubeconfig: '/x' }, env).cluster).toMatchObject({ files: ['/x'] });
  expect(readConfig({ context: 'staging' }, { ...env, KUBECONFIG: '/a:/b' }).cluster).toMatchObject({
    files: ['/a', '/b'],
    context: 'staging',
  });
  expect(readConfig({ context: 'staging' }, env).cluster).toMatchObject({
    kind: 'kubeconfig',
    files: ['/home/me/.kube/config'],
  });
});

test('whom programs are told to believe is read (TLS-1)', () => {
  expect(readConfig({}, env).machine).toEqual({});
  const set = { ...env, SSL_CERT_FILE: '/a.pem', SSL_CERT_DIR: '/b:/c', NODE_EXTRA_CA_CERTS: '/d.pem' };
  expect(readConfig({}, set).machine).toEqual({ file: '/a.pem', folder: '/b:/c', extra: '/d.pem' });
});

test('an instance id of Rollouts is a part of names, and is refused where it cannot be one (RC-5)', () => {
  expect(readConfig({ rolloutsInstanceId: 'blue-1' }, env).rollouts.instanceId).toBe('blue-1');
  for (const rolloutsInstanceId of ['Blue', 'a b', '-a', 'a'.repeat(33)])
    expect(() => readConfig({ rolloutsInstanceId }, env)).toThrow(
      `--rollouts-instance-id ${rolloutsInstanceId}`,
    );
});

test('proxies are read in either spelling, and none is no proxy (PRX-1)', () => {
  expect(readConfig({}, env).proxy).toEqual({});
  const set = { ...env, https_proxy: 'http://p:1', HTTP_PROXY: 'http://p:2', NO_PROXY: '.corp' };
  expect(readConfig({}, set).proxy).toEqual({ https: 'http://p:1', http: 'http://p:2', noProxy: '.corp' });
});

test('signatures are verified unless that is switched off (INT-8)', () => {
  const verifies = (value?: string) =>
    readConfig({}, value === undefined ? env : { ...env, ARGOCD_GPG_ENABLED: value }).verifiesSignatures;
  expect([undefined, '', 'true', 'yes', 'x'].map(verifies)).toEqual([true, true, true, true, true]);
  expect(['false', 'no', 'FALSE'].map(verifies)).toEqual([false, false, false]);
});

test('a bad value is named, and nothing starts', () => {
  expect(() => readConfig({ port: 'http' }, env)).toThrow('--port http is not a port');
  expect(() => readConfig({ port: '70000' }, env)).toThrow('--port 70000');
  expect(() => readConfig({ demo: true, kubeconfig: '/x' }, env)).toThrow(
    '--demo is for the embedded cluster only',
  );
});

test('the embedded cluster alone listens where it is told, and everybody may do everything unless roles are asked', () => {
  expect(readConfig({}, env).embedded).toEqual({
    alone: false,
    authorization: 'allow-all',
    tokensFile: undefined,
    faultsFile: undefined,
    port: undefined,
  });
  const flags = { clusterOnly: true, port: '6443', authorization: 'rbac', tokens: '/t', faults: '/f' };
  expect(readConfig(flags, env).embedded).toEqual({
    alone: true,
    authorization: 'rbac',
    tokensFile: '/t',
    faultsFile: '/f',
    port: 6443,
  });
  expect(() => readConfig({ authorization: 'abac' }, env)).toThrow('use allow-all or rbac');
  expect(() => readConfig({ faults: '/f', kubeconfig: '/x' }, env)).toThrow(
    '--faults is for the embedded cluster only',
  );
});

test('one role alone works on the cluster that is named, else on that of its pod, else on that of kubectl', () => {
  const pod = { ...env, KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
  expect(readRoleConfig('controller', {}, pod).cluster).toMatchObject({
    kind: 'pod',
    host: '10.0.0.1',
    port: '443',
  });
  expect(readRoleConfig('controller', { context: 'x' }, pod).cluster).toMatchObject({
    kind: 'kubeconfig',
    context: 'x',
  });
  expect(readRoleConfig('server', {}, env).cluster).toMatchObject({ files: ['/home/me/.kube/config'] });
  const [one, other] = (['controller', 'server'] as const).map((role) => readRoleConfig(role, {}, env));
  expect(one?.dataDir).not.toBe(other?.dataDir);
});

test('metrics have a port of their own only when it is asked for, and then on this machine alone', () => {
  expect(readConfig({}, env).metrics).toBeUndefined();
  expect(readConfig({ metricsPort: '8082' }, env).metrics).toEqual({ host: '127.0.0.1', port: 8082 });
  expect(readConfig({ metricsPort: '0', metricsAddress: '0.0.0.0' }, env).metrics).toEqual({
    host: '0.0.0.0',
    port: 0,
  });
  expect(() => readConfig({ metricsPort: 'x' }, env)).toThrow('--metrics-port x is not a port');
});
