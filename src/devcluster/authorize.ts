import { badRequest } from './status.ts';

/** Who asks. Everybody may do everything for now; the name is what objects and reviews show. */
export type User = { readonly name: string; readonly groups: readonly string[] };

/** Whoever holds the cluster itself. */
export const insider: User = { name: 'system:admin', groups: ['system:masters', 'system:authenticated'] };

/** How the listener tells the core whom it has recognised; it takes these headers off everything that comes in. */
export const userHeader = 'x-remote-user';
export const groupHeader = 'x-remote-group';

/** The user of a request, after impersonation; in process there is no user but the insider. */
export function identify(headers: Readonly<Record<string, string>>): User {
  const name = headers[userHeader];
  const user = name === undefined ? insider : { name, groups: split(headers[groupHeader]) };
  const other = headers['impersonate-user'];
  if (other === undefined) {
    if (headers['impersonate-group'] !== undefined) {
      throw badRequest('requested [{Group}] without impersonating a user');
    }
    return user;
  }
  return { name: other, groups: [...split(headers['impersonate-group']), 'system:authenticated'] };
}

const split = (list: string | undefined): string[] =>
  (list ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
