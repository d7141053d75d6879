/**
 * The user of a request. Over the network it is authenticated; in process it is the insider unless the request
 * names another.
 */
export type RequestUser = {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
};

/** The user of in-process requests: code that holds the cluster itself. */
export const insider: RequestUser = {
  name: 'system:admin',
  groups: ['system:masters', 'system:authenticated'],
};

/** May do everything, whatever the roles grant. */
export const isMaster = ({ groups }: RequestUser): boolean => groups.includes('system:masters');

/** The attributes of a request for authorization: a resource, or a path that is none. */
export type RequestAttributes = ResourceAttributes | PathAttributes;

export type ResourceAttributes = {
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

export type PathAttributes = { readonly verb: string; readonly path: string };

/** The decision about the attributes; `reason` names the binding that allowed it, or the error. */
export type AccessDecision = { readonly allowed: boolean; readonly reason: string };

/** `pods/log`, as rules and messages write it. */
export const fullResource = ({ resource, subresource }: ResourceAttributes): string =>
  subresource === '' ? resource : `${resource}/${subresource}`;
