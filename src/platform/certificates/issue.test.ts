import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { Authority } from './issue.ts';

const now = new Date('2026-03-04T05:06:07Z');
const authority = new Authority(now);
const ca = new X509Certificate(authority.pair.certificate);

test('the authority vouches for itself and for what it issues', () => {
  const admin = authority.issue({ user: 'jane', groups: ['dev', 'ops'] }, { for: 'client' });
  const leaf = new X509Certificate(admin.certificate);
  expect([ca.ca, ca.verify(ca.publicKey)]).toEqual([true, true]);
  expect([leaf.ca, leaf.verify(ca.publicKey), leaf.checkIssued(ca)]).toEqual([false, true, true]);
  expect(leaf.subject.split('\n')).toEqual(['O=dev', 'O=ops', 'CN=jane']);
  expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
});

test('it is good for ten years, from an hour ago', () => {
  expect([ca.validFrom, ca.validTo]).toEqual(['Mar  4 04:06:07 2026 GMT', 'Mar  1 05:06:07 2036 GMT']);
  const late = new X509Certificate(new Authority(new Date('2045-01-01T00:00:00Z')).pair.certificate);
  expect(late.validTo).toContain('2054');
});

test('a server is known by its names and addresses', () => {
  const hosts = ['127.0.0.1', '::1', 'fe80::1:2', 'localhost', 'kubernetes.default.svc'];
  const server = new X509Certificate(authority.issue({ user: 's' }, { for: 'server', hosts }).certificate);
  expect(['127.0.0.1', '::1', 'fe80::1:2'].map((ip) => server.checkIP(ip) !== undefined)).toEqual([
    true,
    true,
    true,
  ]);
  expect(server.checkIP('10.0.0.1')).toBeUndefined();
  expect(server.checkHost('localhost')).toBe('localhost');
  expect(server.checkHost('example.com')).toBeUndefined();
});
