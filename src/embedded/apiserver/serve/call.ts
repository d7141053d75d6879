import type { RequestUser } from '../authorize.ts';
import type { Core } from '../core.ts';
import type { ServedResource } from '../kinds.ts';
import type { ResourcePath } from '../path.ts';
import type { ServedRequest } from '../request.ts';

/** One request to a known place, with everything about it that has been read so far. */
export type ServedCall = {
  readonly core: Core;
  readonly request: ServedRequest;
  readonly user: RequestUser;
  readonly resource: ServedResource;
  readonly path: ResourcePath;
  readonly query: URLSearchParams;
  /** What the client should be shown beside the answer, whatever it is. */
  readonly warnings: string[];
};

/** As what a Scale is printed, whatever it belongs to. */
export const scaleResource = (resource: ServedResource): ServedResource => {
  const { custom: _custom, ...rest } = resource;
  return { ...rest, group: 'autoscaling', version: 'v1', kind: 'Scale' };
};
