import { expect, test } from 'vitest';
import { type ClusterAccess, checkAccess } from './cluster-access.ts';
import { registeredAccess } from './registered-cluster.ts';

const access: ClusterAccess = { server: 'https://x', namespace: 'default', tls: {}, user: {} };
const ca = { pem: 'x' };

const contradictions: [Partial<ClusterAccess>, string][] = [
  [{ server: 'not a url' }, 'the server of a cluster is not a URL'],
  [{ server: 'ftp://x' }, 'must be an http or https URL'],
  [{ server: 'https://me:pw@x' }, 'must not hold a user name or a password'],
  [{ tls: { ca, insecure: true } }, 'exclude each other'],
  [{ user: { certificate: { pem: 'x' } } }, 'belong together'],
  [{ user: { token: 'a', username: 'b' } }, 'a bearer token and a user name exclude each other'],
  [{ proxyUrl: 'socks5://x' }, 'socks5 proxies are not supported'],
];
test.each(contradictions)('refuses %j', (more, message) => {
  expect(() => checkAccess({ ...access, ...more })).toThrow(message);
});

const pem = '-----BEGIN CERTIFICATE-----\n…';
const data = Buffer.from(pem).toString('base64');

test('a registered cluster gives its static credentials, its plugin, or its AWS identity', () => {
  const server = 'https://prod';
  const tlsClientConfig = { caData: data, certData: data, keyData: data, serverName: 'api' };
  expect(
    registeredAccess({ server, config: { bearerToken: 't', tlsClientConfig, proxyUrl: 'http://p' } }),
  ).toEqual({
    server,
    namespace: 'default',
    tls: { ca: { pem }, serverName: 'api' },
    proxyUrl: 'http://p',
    user: { certificate: { pem }, key: { pem }, token: 't' },
  });
  const execProviderConfig = {
    command: 'login',
    args: ['x'],
    env: { A: 'b' },
    provideClusterInfo: true,
    config: { c: 1 },
  };
  expect(
    registeredAccess({ server, config: { username: 'u', password: 'p', execProviderConfig } }).user,
  ).toEqual({
    exec: {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      command: 'login',
      args: ['x'],
      env: { A: 'b' },
      clusterInfo: { config: { c: 1 } },
    },
  });
  const awsAuthConfig = { clusterName: 'prod', roleARN: 'arn:aws:iam::1:role/r' };
  expect(registeredAccess({ server, config: { awsAuthConfig, execProviderConfig } }).user.exec).toEqual({
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    command: 'argocd-k8s-auth',
    args: ['aws', '--cluster-name', 'prod', '--role-arn', 'arn:aws:iam::1:role/r'],
    env: {},
  });
});

test('a registered cluster that contradicts itself is refused, as client-go does', () => {
  const server = 'https://prod';
  const both = { tlsClientConfig: { insecure: true, caData: data } };
  expect(() => registeredAccess({ server, config: both })).toThrow('exclude each other');
  const notPem = { tlsClientConfig: { caData: btoa('hello') } };
  expect(() => registeredAccess({ server, config: notPem })).toThrow(
    'tlsClientConfig.caData of the cluster is not base64 of a PEM text',
  );
});
