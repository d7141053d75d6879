import type { IncomingMessage } from 'node:http';
import type { Refusal } from '../errors.ts';
import { pathOf } from './request.ts';

/** compat server §2: the services of Argo CD. The error for a method that is absent here names it. */
const services = new Set([
  'account',
  'applications',
  'applicationsets',
  'certificates',
  'clusters',
  'gpgkeys',
  'notifications',
  'projects',
  'repocreds',
  'repositories',
  'session',
  'settings',
  'stream',
  'version',
  'write-repocreds',
  'write-repositories',
]);

/** Of the calls of Argo CD; HEAD and OPTIONS are not among them. */
const verbs = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

const unimplemented = 12;
const notFound = 5;

/** The response to a request that no route serves, in the error envelope; `status` is the router's. */
export function unknownRoute({ method = '', url = '/' }: IncomingMessage, status: 404 | 405): Refusal {
  const path = pathOf(url);
  const [, , version, service = ''] = path.split('/');
  if (version === 'v1' && services.has(service) && verbs.has(method)) {
    const message = `not supported yet: ${method} ${path}`;
    return { status: 501, body: { error: message, code: unimplemented, message } };
  }
  const message = status === 404 ? `no such path: ${path}` : `${path} does not take ${method}`;
  return { status, body: { error: message, code: status === 404 ? notFound : unimplemented, message } };
}
