import type { Item } from '../item.ts';
import { badRequest } from '../status.ts';
import type { Writing } from './writing.ts';

/** Throws BadRequest unless the object has the name and the namespace of the URL. */
export function checkIdentity({ metadata }: Item, name: string, { namespace, resource }: Writing): void {
  const own = metadata.name ?? '';
  if (own === '') {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (own !== name) {
    throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
  }
  if (resource.namespaced && (metadata.namespace ?? namespace) !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}
