import type { User } from '../authorize.ts';
import type { Core } from '../core.ts';
import type { Resource } from '../kinds.ts';
import type { ResourcePath } from '../path.ts';
import type { ApiRequest } from '../request.ts';

/** One request to a known place, with everything about it that has been read so far. */
export type Call = {
  readonly core: Core;
  readonly request: ApiRequest;
  readonly user: User;
  readonly resource: Resource;
  readonly path: ResourcePath;
  readonly query: URLSearchParams;
  /** What the client should be shown beside the answer, whatever it is. */
  readonly warnings: string[];
};

/** As what a Scale is printed, whatever it belongs to. */
export const scaleResource = (resource: Resource): Resource => {
  const { custom: _custom, ...rest } = resource;
  return { ...rest, group: 'autoscaling', version: 'v1', kind: 'Scale' };
};
