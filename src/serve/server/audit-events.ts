import type { KubeObject } from '#base/model';
import type { AuditRecord } from './rest/audit.ts';

/** An Event, and the object that it stands beside. */
export type AuditEvent = {
  readonly about: KubeObject;
  readonly event: {
    readonly type: 'Normal';
    readonly reason: 'ResourceCreated' | 'ResourceUpdated' | 'ResourceDeleted';
    readonly message: string;
  };
};

const reasons = {
  POST: 'ResourceCreated',
  PUT: 'ResourceUpdated',
  PATCH: 'ResourceUpdated',
  DELETE: 'ResourceDeleted',
} as const;

/** The object that holds what a route changes, and what was done. Applications and projects have Events of their own. */
const routes: Readonly<Record<string, readonly [object: string, done: string]>> = {
  'PUT /api/v1/account/password': ['Secret/argocd-secret', 'changed the password of account'],
  'POST /api/v1/account/:name/token': ['Secret/argocd-secret', 'created a token of account'],
  'DELETE /api/v1/account/:name/token/:id': ['Secret/argocd-secret', 'deleted a token of account'],
  'POST /api/v1/repositories': ['ConfigMap/argocd-cm', 'created repository'],
  'PUT /api/v1/repositories/:repo': ['ConfigMap/argocd-cm', 'updated repository'],
  'DELETE /api/v1/repositories/:repo': ['ConfigMap/argocd-cm', 'deleted repository'],
  'POST /api/v1/repocreds': ['ConfigMap/argocd-cm', 'created credentials for'],
  'PUT /api/v1/repocreds/:url': ['ConfigMap/argocd-cm', 'updated credentials for'],
  'DELETE /api/v1/repocreds/:url': ['ConfigMap/argocd-cm', 'deleted credentials for'],
  'POST /api/v1/clusters': ['ConfigMap/argocd-cm', 'created cluster'],
  'PUT /api/v1/clusters/:id': ['ConfigMap/argocd-cm', 'updated cluster'],
  'DELETE /api/v1/clusters/:id': ['ConfigMap/argocd-cm', 'deleted cluster'],
  'POST /api/v1/clusters/:id/rotate-auth': ['ConfigMap/argocd-cm', 'replaced the token of cluster'],
  'POST /api/v1/certificates': ['ConfigMap/argocd-tls-certs-cm', 'added host keys or certificates'],
  'DELETE /api/v1/certificates': ['ConfigMap/argocd-tls-certs-cm', 'deleted host keys or certificates of'],
  'POST /api/v1/gpgkeys': ['ConfigMap/argocd-gpg-keys-cm', 'added signing keys'],
  'DELETE /api/v1/gpgkeys': ['ConfigMap/argocd-gpg-keys-cm', 'deleted signing key'],
};

/** The parameters that name what was changed. */
const names = ['name', 'repo', 'url', 'id', 'server', 'hostNamePattern', 'keyID'];

/** server §7.5: the Event of a request that changed accounts, repositories, clusters or trust; undefined for any other. */
export function auditEventOf(record: AuditRecord, namespace: string): AuditEvent | undefined {
  const { method, route, status = 0, user } = record;
  const [object, done] = routes[`${method} ${route}`] ?? [];
  if (!object || record.stage !== 'ResponseComplete' || status >= 300) return undefined;
  const [kind = '', name = ''] = object.split('/');
  const given: Readonly<Record<string, unknown>> = { ...record.query, ...record.content, ...record.params };
  const named = names.map((key) => given[key]).find((value) => typeof value === 'string' && value !== '');
  const message = [user || 'Unknown user', done, named].filter(Boolean).join(' ');
  const reason = reasons[method as keyof typeof reasons];
  return {
    about: { apiVersion: 'v1', kind, metadata: { name, namespace } },
    event: { type: 'Normal', reason, message },
  };
}
