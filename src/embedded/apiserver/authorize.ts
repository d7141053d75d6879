/** Who asks. Over the wire that is proven; in process it is the insider unless the request says otherwise. */
export type RequestUser = {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
};

/** Whoever holds the cluster itself. */
export const insider: RequestUser = {
  name: 'system:admin',
  groups: ['system:masters', 'system:authenticated'],
};

/** May do everything, whatever the roles say. */
export const isMaster = ({ groups }: RequestUser): boolean => groups.includes('system:masters');

/** What somebody wants to do: to a resource, or to a path that is none. */
export type Deed = ResourceDeed | PathDeed;

export type ResourceDeed = {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** '' for the object itself. */
  readonly subresource: string;
  /** '' for the whole cluster. */
  readonly namespace: string;
  /** '' for a collection. */
  readonly name: string;
};

export type PathDeed = { readonly verb: string; readonly path: string };

/** The answer to a deed; `reason` says who allowed it, or what stood in the way of finding out. */
export type AccessDecision = { readonly allowed: boolean; readonly reason: string };

/** `pods/log`, as rules and messages write it. */
export const fullResource = ({ resource, subresource }: ResourceDeed): string =>
  subresource === '' ? resource : `${resource}/${subresource}`;
