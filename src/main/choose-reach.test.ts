import { expect, test } from 'vitest';
import { readConfig, readRoleConfig } from './config.ts';

const env = { HOME: '/home/me', PATH: '/bin' };
const real = { kubeconfig: '/x', dataDir: '/data' };

test('on the embedded cluster folders of this machine and loopback may be used, and of the data folder only the demo', () => {
  expect(readConfig({ dataDir: '/data' }, env).reach).toEqual({
    local: 'any',
    never: ['/data'],
    except: ['/data/demo'],
    loopback: true,
    hosts: [],
  });
});

test('on any other cluster neither may', () => {
  const nothing = { local: [], except: [], loopback: false, hosts: [] };
  expect(readConfig(real, env).reach).toEqual({ ...nothing, never: ['/data'] });
  for (const role of ['controller', 'server'] as const) {
    expect(readRoleConfig(role, { dataDir: '/data' }, env).reach).toEqual({ ...nothing, never: ['/data'] });
  }
});

test('an operator lists folders and hosts by flags, or else in the environment', () => {
  const flags = {
    localRepositories: '/srv/git, /srv/more',
    allowHosts: 'git.internal,127.0.0.1:8080,[::1]:80,::1',
  };
  expect(readConfig({ ...real, ...flags }, env).reach).toMatchObject({
    local: ['/srv/git', '/srv/more'],
    loopback: false,
    hosts: ['git.internal', '127.0.0.1:8080', '[::1]:80', '::1'],
  });
  const set = { ...env, FAIRLEAD_LOCAL_REPOSITORIES: '/srv/git', FAIRLEAD_ALLOW_HOSTS: 'git.internal' };
  expect(readRoleConfig('controller', {}, set).reach).toMatchObject({
    local: ['/srv/git'],
    hosts: ['git.internal'],
  });
});

test('on the embedded cluster a list of folders narrows what may be used', () => {
  const flags = { dataDir: '/data', localRepositories: '/srv/git' };
  expect(readConfig(flags, env).reach.local).toEqual(['/srv/git', '/data/demo']);
});

test.each(['http://127.0.0.1', '*.internal', 'a b', '127.0.0.1/8', 'host:port', 'a@b'])(
  '%j is not a host',
  (allowHosts) => {
    expect(() => readConfig({ ...real, allowHosts }, env)).toThrow(
      `--allow-hosts ${allowHosts} is not a host`,
    );
  },
);
