import { expect, test } from 'vitest';
import type { ClusterView } from '#serve/api';
import {
  changedFields,
  clusterFormOf,
  clusterInput,
  emptyCluster,
  needsToken,
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
    config: { bearerToken: 'secret', tlsClientConfig: { insecure: false, caData: btoa(`${pem}\n`) } },
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
  expect(clusterInput(form, view.config).config).toEqual({ ...config, bearerToken: 'another' });
});

test('a stored token is needed again where it would be sent to a server that is checked another way', () => {
  const stored = { ...edge, token: '' };
  const needed = (changes: object) => needsToken(stored, { ...stored, ...changes });
  expect([needed({ authority: pem }), needed({ isInsecure: true })]).toEqual([true, true]);
  expect([needed({ name: 'other' }), needed({ authority: pem, token: 'secret' })]).toEqual([false, false]);
  expect(needsToken({ ...stored, isInsecure: true }, { ...stored, isInsecure: true })).toBe(false);
});

test.each([
  [{ ...edge, server: 'edge' }, 'address'],
  [{ ...edge, token: '' }, 'token'],
  [{ ...edge, authority: pem, isInsecure: true }, 'Either'],
  [{ ...edge, authority: 'AAAA' }, 'no PEM'],
  [{ ...edge, labels: 'env' }, 'label env'],
])('what is missing is named: %#', (form, words) => {
  expect(whyNotCluster(form, true)).toContain(words);
});
