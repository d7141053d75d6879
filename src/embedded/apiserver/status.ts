import { type ErrorCode, FairleadError, printJson } from '#base/std';

/** The body Kubernetes answers with when there is no object to answer with. */
export type StatusBody = {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly continue?: string };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusBodyDetails;
  readonly code: number;
};

export type StatusBodyDetails = {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
};

export type StatusCause = { readonly reason?: string; readonly message: string; readonly field?: string };

const codes: Record<string, ErrorCode> = {
  NotFound: 'NotFound',
  BadRequest: 'InvalidSpec',
  Invalid: 'InvalidSpec',
  Forbidden: 'PermissionDenied',
  Unauthorized: 'Auth',
  InternalError: 'Internal',
};

/** What a refused request throws; `status` is exactly what a client would read. */
export class StatusError extends FairleadError {
  readonly status: StatusBody;
  /** What the client should be shown beside the refusal. */
  warnings: readonly string[] = [];

  constructor(status: StatusBody) {
    super(codes[status.reason ?? ''] ?? 'Unavailable', status.message ?? status.reason ?? 'refused');
    this.status = status;
  }

  get reason(): string {
    return this.status.reason ?? 'Unknown';
  }
}

/** The resource an error speaks of: `deployments` of group `apps`. */
export type Named = { readonly group: string; readonly plural: string; readonly kind: string };

const dotted = (name: string, group: string): string => (group === '' ? name : `${name}.${group}`);
const resourceName = ({ plural, group }: Named): string => dotted(plural, group);

type Failure = {
  code: number;
  reason?: string;
  message: string;
  details?: StatusBodyDetails;
  continue?: string;
};

function failure({ code, reason, message, details, continue: token }: Failure): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: token === undefined ? {} : { continue: token },
    status: 'Failure',
    message,
    ...(reason !== undefined && { reason }),
    ...(details && { details }),
    code,
  });
}

const detailsOf = (of: Named, name: string, more: StatusBodyDetails = {}): StatusBodyDetails => ({
  ...(name !== '' && { name }),
  ...(of.group !== '' && { group: of.group }),
  kind: of.plural,
  ...more,
});

export const badRequest = (message: string): StatusError =>
  failure({ code: 400, reason: 'BadRequest', message });

export const unauthorized = (): StatusError =>
  failure({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' });

export const notFound = (of: Named, name: string): StatusError =>
  failure({
    code: 404,
    reason: 'NotFound',
    message: `${resourceName(of)} "${name}" not found`,
    details: detailsOf(of, name),
  });

/** compat 2.9: what a path below a known group version answers when no resource is served there. */
export const noSuchResource = (): StatusError =>
  failure({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });

export const alreadyExists = (of: Named, name: string): StatusError =>
  failure({
    code: 409,
    reason: 'AlreadyExists',
    message: `${resourceName(of)} "${name}" already exists`,
    details: detailsOf(of, name),
  });

/** `why` undefined: the usual sentence about an object that has been modified. */
export const conflict = (of: Named, name: string, why?: string): StatusError =>
  failure({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${resourceName(of)} "${name}": ${
      why ?? 'the object has been modified; please apply your changes to the latest version and try again'
    }`,
    details: detailsOf(of, name),
  });

/** A server-side apply that others' ownership stopped; message and causes come from the patch algebra. */
export const applyConflict = (message: string, causes: readonly StatusCause[]): StatusError =>
  failure({ code: 409, reason: 'Conflict', message, details: { causes } });

export const forbidden = (
  of: Named,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): StatusError =>
  failure({
    code: 403,
    reason: 'Forbidden',
    message: `${resourceName(of)} ${name === '' ? '' : `"${name}" `}is forbidden: ${why}`,
    details: detailsOf(of, name, causes && { causes }),
  });

/** compat 3.15: a validating admission policy's refusal says `forbidden`, whatever the policy's own reason is. */
export function policyDenied(of: Named, name: string, why: string, reason: string): StatusError {
  const code = { Forbidden: 403, RequestEntityTooLarge: 413 }[reason] ?? 422;
  const { status } = forbidden(of, name === '' ? 'Unknown' : name, why, [{ message: why }]);
  return new StatusError({ ...status, reason, code });
}

/** compat 3.17: a webhook's refusal is its own, except that it must be one. */
export function webhookDenied(
  webhook: string,
  own: Readonly<Record<string, unknown>>,
  warnings: readonly string[],
): StatusError {
  const denied = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const { message, reason, details, code } = own as Partial<Failure>;
  const why = message || reason;
  const error = failure({
    code: typeof code === 'number' && code >= 400 && code < 600 ? code : 400,
    message: why ? `${denied}: ${why}` : `${denied} without explanation`,
    ...(reason && { reason: String(reason) }),
    ...(details && { details }),
  });
  error.warnings = warnings;
  return error;
}

/** The refusal of something that is no resource. */
export const forbiddenPath = (why: string): StatusError =>
  failure({ code: 403, reason: 'Forbidden', message: `forbidden: ${why}`, details: {} });

/** A verb this resource does not have. */
export const methodNotAllowed = (): StatusError =>
  failure({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });

export const notSupportedNow = (of: Named, why: string): StatusError =>
  failure({ code: 405, reason: 'MethodNotAllowed', message: why, details: detailsOf(of, '') });

export const expired = (message: string, token?: string): StatusError =>
  failure({ code: 410, reason: 'Expired', message, ...(token !== undefined && { continue: token }) });

export const tooLarge = (limit: number): StatusError =>
  failure({
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${limit}`,
  });

export const notAcceptable = (accepted: readonly string[]): StatusError =>
  failure({
    code: 406,
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${accepted.join(', ')}`,
  });

/** compat 3.19: metadata alone was asked for in the shape of something else. */
export const otherShape = (asked: string, what: string, type: string): StatusError =>
  failure({
    code: 406,
    reason: 'NotAcceptable',
    message: `you requested ${asked}, but the requested object is ${what} (${type})`,
  });

/** compat 3.17: not one of the media types asked for is spoken here. */
export const noRepresentation = (accepted: readonly string[]): StatusError =>
  failure({
    code: 406,
    reason: 'NotAcceptable',
    message: `406: Not Acceptable\n\nAvailable representations: ${accepted.join(', ')}`,
    details: {},
  });

export const unsupportedMediaType = (accepted: readonly string[]): StatusError =>
  failure({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  });

/** compat 3.6: a patch in a language nobody reads, or one that only this kind does not. */
export const unsupportedPatchType = (accepted: readonly string[] | undefined): StatusError =>
  accepted
    ? unsupportedMediaType(accepted)
    : failure({
        code: 415,
        reason: 'UnsupportedMediaType',
        message: '415: Unsupported Media Type',
        details: {},
      });

export const internalError = (message: string): StatusError =>
  failure({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });

/** A failure Kubernetes has no reason for; its message stands alone. */
export const plainFailure = (message: string): StatusError => failure({ code: 500, message });

/** compat 3.3: a list or watch that asks for a future the cluster has not reached. */
export const tooLargeResourceVersion = (asked: number, current: number): StatusError =>
  failure({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });

const injectedReasons: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** A failure that somebody asked for (contract 5.8), in the words of a real one. */
export function injected(code: number, message?: string, retryAfterSeconds?: number): StatusError {
  const reason = injectedReasons[code] ?? (code < 500 ? 'BadRequest' : 'InternalError');
  const wait = retryAfterSeconds ?? (code === 429 ? 1 : undefined);
  return failure({
    code,
    reason,
    message: message ?? injectedMessages[code] ?? 'an injected fault',
    ...(wait !== undefined && { details: { retryAfterSeconds: wait } }),
  });
}

const injectedMessages: Readonly<Record<number, string>> = {
  429: 'Too many requests, please try again later.',
  500: 'Internal error occurred: an injected fault',
  503: 'the server is currently unable to handle the request',
  504: 'Timeout: request did not complete within the allotted timeout',
};

/** compat 3.7: an eviction that a disruption budget does not allow now. */
export const tooManyDisruptions = (why: string): StatusError =>
  failure({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message: why }] },
  });

/** What this server knows of and does not do; it must never look like an answer. */
export const notSupportedYet = (what: string): StatusError =>
  failure({ code: 501, reason: 'NotImplemented', message: `not supported yet: ${what}` });

/** What is wrong with one field, in Kubernetes' own words. */
export type FieldError = {
  readonly type: keyof typeof fieldReasons;
  readonly field: string;
  /** Printed as JSON unless the type is about absence. */
  readonly value?: unknown;
  readonly detail?: string;
  /** The value is too big to show. */
  readonly valueless?: boolean;
  /** The cause's reason, when it is not the one that goes with the type. */
  readonly reason?: string;
};

const fieldReasons = {
  'Required value': 'FieldValueRequired',
  'Invalid value': 'FieldValueInvalid',
  'Duplicate value': 'FieldValueDuplicate',
  'Unsupported value': 'FieldValueNotSupported',
  'Not found': 'FieldValueNotFound',
  Forbidden: 'FieldValueForbidden',
  'Too long': 'FieldValueTooLong',
  'Too many': 'FieldValueTooMany',
  'Internal error': 'InternalError',
} as const;

const withoutValue = new Set(['Required value', 'Forbidden', 'Too long', 'Internal error']);

function fieldMessage({ type, value, detail, valueless }: FieldError): string {
  const shown = valueless || withoutValue.has(type) ? '' : `: ${printed(value)}`;
  return `${type}${shown}${detail === undefined || detail === '' ? '' : `: ${detail}`}`;
}

/** compat 3.13: texts are quoted; the rest is as Go prints JSON, which keeps it from looking like HTML. */
const printed = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : htmlSafe(value);

const htmlSafe = (value: unknown): string =>
  printJson(value ?? null).replaceAll(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);

/** 422: the kind here is the Kind, not the resource, and every field error is a cause. */
export function invalid(
  of: Pick<Named, 'group' | 'kind'>,
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const messages = errors.map((error) => ({ error, message: fieldMessage(error) }));
  const unique = [...new Set(messages.map(({ error, message }) => `${error.field}: ${message}`))];
  const list = unique.length === 1 ? unique[0] : `[${unique.join(', ')}]`;
  return failure({
    code: 422,
    reason: 'Invalid',
    message: `${dotted(of.kind, of.group)} "${name}" is invalid: ${list}`,
    details: {
      ...(name !== '' && { name }),
      ...(of.group !== '' && { group: of.group }),
      ...(of.kind !== '' && { kind: of.kind }),
      causes: messages.map(({ error, message }) => ({
        reason: error.reason ?? fieldReasons[error.type],
        message,
        field: error.field,
      })),
    },
  });
}

/** compat 3.6: a JSON patch whose operation failed; which one, and why, stays unsaid. */
export const patchRejected = (): StatusError =>
  failure({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    details: {},
  });

/** The answer to a delete that left nothing behind. */
export const deleted = (of: Named, name: string, uid: string): StatusBody => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: detailsOf(of, name, uid === '' ? {} : { uid }),
  code: 200,
});
