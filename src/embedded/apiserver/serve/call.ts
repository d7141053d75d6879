import type { RequestUser } from '../authorize.ts';
import type { Core } from '../core.ts';
import type { ServedResource } from '../kinds.ts';
import type { ResourcePath } from '../path.ts';
import type { ServedRequest } from '../request.ts';

/** One request to a known resource, with everything parsed so far. */
export type ServedCall = {
  readonly core: Core;
  readonly request: ServedRequest;
  readonly user: RequestUser;
  readonly resource: ServedResource;
  readonly path: ResourcePath;
  readonly query: URLSearchParams;
  /** The warnings of the response, whatever its status. */
  readonly warnings: string[];
};

/** The resource of a Scale for tables, whatever it belongs to. */
export const scaleResource = (resource: ServedResource): ServedResource => {
  const { custom: _custom, ...rest } = resource;
  return { ...rest, group: 'autoscaling', version: 'v1', kind: 'Scale' };
};
