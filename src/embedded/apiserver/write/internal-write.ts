import { insider } from '../authorize.ts';
import type { Core } from '../core.ts';
import type { Item } from '../item.ts';
import type { ServedResource } from '../kinds.ts';
import { noSuchResource } from '../status.ts';
import type { DeleteRequest, ServedWriteOptions } from './options.ts';
import type { Writing } from './writing.ts';

type Target = { readonly namespace?: string | undefined; readonly subresource?: string | undefined };

/** A write without a request: by the cluster itself, or by a controller in the same process. */
export function internalWrite(
  core: Core,
  resource: ServedResource,
  manager: string,
  target: Target = {},
): Writing {
  const options: ServedWriteOptions = {
    manager,
    dryRun: false,
    fieldValidation: 'Strict',
    user: insider,
    warn: () => {},
  };
  const { namespace = '', subresource = '' } = target;
  return { core, resource, namespace: resource.namespaced ? namespace : '', subresource, options };
}

/** The resource of a stored object, in its storage version; throws NotFound when it is no longer served. */
export function resourceFor(
  core: Core,
  { apiVersion, kind }: Pick<Item, 'apiVersion' | 'kind'>,
): ServedResource {
  const resource = core.kinds.findKind(apiVersion, kind);
  if (!resource) throw noSuchResource();
  return resource;
}

/** A delete without conditions. */
export const plainDelete: DeleteRequest = {
  propagationPolicy: undefined,
  gracePeriodSeconds: undefined,
  preconditions: {},
  dryRun: false,
};
