import { expect, test } from 'vitest';
import { clusterFrom } from '#base/model';
import type { ClusterInput } from '#serve/api';
import { clusterSecret, limitedTo } from './cluster-secret.ts';

const server = 'https://cluster.example';
const config = {
  bearerToken: 'token',
  proxyUrl: 'http://joe:secret@proxy.example:3128',
  disableCompression: true,
  tlsClientConfig: { caData: 'Q0E=', serverName: 'kubernetes' },
};
const before = clusterSecret({ server, name: 'far', config }, 'argocd');
const updated = (input: Partial<ClusterInput>) =>
  clusterFrom(clusterSecret({ server, name: 'far', ...input }, 'argocd', before));

test('a cluster without a config in the request keeps all of its own', () => {
  expect(updated({ labels: { env: 'prod' } })).toMatchObject({ labels: { env: 'prod' }, config });
});

test('an update that is limited to other fields keeps the config', () => {
  const given = { server, labels: { env: 'prod' }, config: { proxyUrl: 'http://evil.example' } };
  expect(updated(limitedTo(['labels'], given, clusterFrom(before)))).toMatchObject({
    labels: { env: 'prod' },
    config,
  });
});

test('a config as it is shown, without secrets, keeps them and the user of the proxy', () => {
  const shown = { ...config, bearerToken: undefined, proxyUrl: 'http://proxy.example:3128' };
  expect(updated({ config: shown }).config).toEqual(config);
});

test('a token that stays is not sent another way, and one that is given is', () => {
  const moved = { ...config, bearerToken: undefined, proxyUrl: 'http://evil.example' };
  expect(() => updated({ config: moved })).toThrow(
    'proxyUrl would send the stored bearerToken another way: give it again, or null to remove it',
  );
  expect(updated({ config: { ...moved, bearerToken: 'new' } }).config).toMatchObject({
    bearerToken: 'new',
    proxyUrl: 'http://evil.example',
  });
  expect(updated({ config: { ...moved, bearerToken: null } }).config.bearerToken).toBeUndefined();
});
