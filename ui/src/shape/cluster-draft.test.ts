import { expect, test } from 'vitest';
import type { ClusterView } from '#serve/api';
import {
  changedFields,
  clusterFormOf,
  clusterInput,
  emptyCluster,
  redirectedBy,
  whyNotCluster,
} from './cluster-draft.ts';

const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';
const edge = { ...emptyCluster, server: 'https://edge.example', token: 'secret' };

test('a cluster is sent with its certificate as base64, its lists and its labels', () => {
  const form = {
    ...edge,
    authority: pem,
    namespaces: 'a, b',
    labels: 'env=prod, team=shop',
    project: 'shop',
  };
  expect(whyNotCluster(form, true)).toBeUndefined();
  expect(clusterInput(form)).toEqual({
    server: 'https://edge.example',
    name: 'https://edge.example',
    config: {
      bearerToken: 'secret',
      username: null,
      password: null,
      tlsClientConfig: { insecure: false, caData: btoa(`${pem}\n`) },
    },
    namespaces: ['a', 'b'],
    clusterResources: false,
    project: 'shop',
    labels: { env: 'prod', team: 'shop' },
  });
});

test('an edit begins with what is stored, and replaces the connection only where something of it is given', () => {
  const view = {
    server: 'https://edge.example',
    name: 'edge',
    config: { tlsClientConfig: { insecure: true } },
    namespaces: ['a'],
    labels: { env: 'prod' },
  } as unknown as ClusterView;
  const before = clusterFormOf(view);
  expect(before).toMatchObject({
    name: 'edge',
    isInsecure: true,
    namespaces: 'a',
    labels: 'env=prod',
    token: '',
  });
  expect(changedFields(before, { ...before, name: 'other' })).not.toContain('config');
  expect(changedFields(before, { ...before, isInsecure: false })).toContain('config');
  expect(clusterInput(before).config).toEqual({ tlsClientConfig: { insecure: true } });
  expect(whyNotCluster(before, false)).toBeUndefined();
});

test('an edit of the connection keeps the proxy, the name in the certificate and the compression', () => {
  const config = {
    tlsClientConfig: { insecure: false, serverName: 'api.edge.example' },
    proxyUrl: 'http://proxy.example:3128',
    disableCompression: true,
  };
  const view = { server: 'https://edge.example', name: 'edge', config } as unknown as ClusterView;
  const form = { ...clusterFormOf(view), token: 'another' };
  expect(clusterInput(form, view.config).config).toEqual({
    ...config,
    bearerToken: 'another',
    username: null,
    password: null,
  });
});

test('a user with a password replaces a token, and a token replaces both', () => {
  const sent = (changes: object) => clusterInput({ ...edge, token: '', ...changes }).config;
  expect(sent({ username: ' eve ', password: ' p w ' })).toMatchObject({
    ...{ bearerToken: null, username: 'eve', password: ' p w ' },
  });
  expect(sent({ token: 'other' })).toMatchObject({ bearerToken: 'other', username: null, password: null });
  expect(sent({})).toEqual({ tlsClientConfig: { insecure: false } });
});

test('a proxy is sent as it stands in the form, and is removed where that is emptied', () => {
  const view = {
    server: 'https://edge.example',
    name: 'edge',
    config: { tlsClientConfig: { insecure: false }, proxyUrl: 'http://proxy.example:3128' },
  } as unknown as ClusterView;
  const before = clusterFormOf(view);
  const none = { ...before, proxy: '' };
  expect(clusterInput(before, view.config).config?.proxyUrl).toBe('http://proxy.example:3128');
  expect(clusterInput(none, view.config).config?.proxyUrl).toBeUndefined();
  expect(
    [changedFields(before, before), changedFields(before, none)].map((one) => one.includes('config')),
  ).toEqual([false, true]);
});

test('stored credentials are needed again where they would be sent another way, and what does it is named', () => {
  const stored = { ...edge, token: '', proxy: 'http://proxy.example:3128' };
  const by = (changes: object) => redirectedBy(stored, { ...stored, ...changes });
  const proxy = 'http://other.example:3128';
  expect(by({ authority: pem })).toEqual(['authority']);
  expect(by({ isInsecure: true, proxy })).toEqual(['proxy', 'isInsecure']);
  expect(by({ proxy, token: 'secret' })).toEqual([]);
  expect(by({ proxy, password: 'secret' })).toEqual([]);
  expect(by({ proxy, username: 'eve' })).toEqual(['proxy']);
  expect([by({ name: 'other' }), by({ proxy: '' })]).toEqual([[], []]);
  expect(redirectedBy({ ...stored, isInsecure: true }, { ...stored, isInsecure: true })).toEqual([]);
});

test.each([
  [{ ...edge, server: 'edge' }, 'address'],
  [{ ...edge, token: '' }, 'token'],
  [{ ...edge, username: 'eve' }, 'Either a token'],
  [{ ...edge, token: '', username: 'eve' }, 'belong together'],
  [{ ...edge, token: '', password: 'pw' }, 'belong together'],
  [{ ...edge, proxy: 'proxy:3128' }, 'The proxy'],
  [{ ...edge, authority: pem, isInsecure: true }, 'Either'],
  [{ ...edge, authority: 'AAAA' }, 'no PEM'],
  [{ ...edge, labels: 'env' }, 'label env'],
])('what is missing is named: %#', (form, words) => {
  expect(whyNotCluster(form, true)).toContain(words);
});
