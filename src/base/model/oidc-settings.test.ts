import { expect, test } from 'vitest';
import { readOidcSettings } from './oidc-settings.ts';

const read = (more: object) => readOidcSettings({ issuer: 'https://id.example', clientID: 'x', ...more });

test.each([
  [{ azure: { useWorkloadIdentity: true } }, []],
  [{ azure: { tenant: 'x' }, userInfoCacheExpiration: '1h' }, ['azure.tenant']],
  [{ azure: 'x', colour: 'red' }, ['colour', 'azure']],
])('oidc.config with %j: the keys without effect are %j', (more, ignored) => {
  expect(read(more).ignored).toEqual(ignored);
});

test('the workload identity of Azure and the age of groups are read', () => {
  const { azureWorkloadIdentity, userInfoCacheMs } = read({
    azure: { useWorkloadIdentity: true },
    userInfoCacheExpiration: '5m',
  });
  expect([azureWorkloadIdentity, userInfoCacheMs]).toEqual([true, 300_000]);
  expect(read({})).toMatchObject({ azureWorkloadIdentity: false, userInfoCacheMs: 0 });
});
