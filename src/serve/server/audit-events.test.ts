import { expect, test } from 'vitest';
import { auditEventOf } from './audit-events.ts';
import type { AuditRecord } from './rest/audit.ts';

const record = (method: string, route: string, more: Partial<AuditRecord> = {}): AuditRecord => ({
  stage: 'ResponseComplete',
  id: '1',
  time: '2026-01-01T00:00:00Z',
  user: 'jane',
  address: '127.0.0.1',
  method,
  route,
  params: {},
  status: 200,
  ...more,
});

test.each([
  [
    record('PUT', '/api/v1/account/password', { content: { name: 'bob' } }),
    'Secret argocd-secret ResourceUpdated: jane changed the password of account bob',
  ],
  [
    record('DELETE', '/api/v1/account/:name/token/:id', { params: { name: 'ci', id: 'x' } }),
    'Secret argocd-secret ResourceDeleted: jane deleted a token of account ci',
  ],
  [
    record('POST', '/api/v1/repositories', { content: { repo: 'https://git.example/x' } }),
    'ConfigMap argocd-cm ResourceCreated: jane created repository https://git.example/x',
  ],
  [
    record('DELETE', '/api/v1/clusters/:id', { params: { id: 'https://c.example' }, user: '' }),
    'ConfigMap argocd-cm ResourceDeleted: Unknown user deleted cluster https://c.example',
  ],
  [
    record('DELETE', '/api/v1/certificates', { query: { hostNamePattern: '*.example' } }),
    'ConfigMap argocd-tls-certs-cm ResourceDeleted: jane deleted host keys or certificates of *.example',
  ],
])('server §7.5: a change is an Event: %#', (given, text) => {
  const { about, event } = auditEventOf(given, 'argocd') ?? {};
  expect(about?.metadata.namespace).toBe('argocd');
  expect(`${about?.kind} ${about?.metadata.name} ${event?.reason}: ${event?.message}`).toBe(text);
});

test.each([
  ['a request that is not complete', record('POST', '/api/v1/clusters', { stage: 'RequestReceived' })],
  ['a refused one', record('POST', '/api/v1/clusters', { status: 403 })],
  ['a read', record('GET', '/api/v1/clusters')],
  ['a change with an Event of its own', record('POST', '/api/v1/projects')],
])('%s is none', (_about, given) => {
  expect(auditEventOf(given, 'argocd')).toBeUndefined();
});
