import { type ErrorCode, FairleadError, printJson } from '#base/std';

/** The response body of Kubernetes for errors and for results without an object. */
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

/** The error of a refused request; `status` is exactly the body that a client receives. */
export class StatusError extends FairleadError {
  readonly status: StatusBody;
  /** The warnings that are sent with the error. */
  warnings: readonly string[] = [];

  constructor(status: StatusBody) {
    super(codes[status.reason ?? ''] ?? 'Unavailable', status.message ?? status.reason ?? 'refused');
    this.status = status;
  }

  get reason(): string {
    return this.status.reason ?? 'Unknown';
  }
}

/** The resource in an error: `deployments` of group `apps`. */
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

/** compat cluster 2.9: the error for a path below a known group version where no resource is served. */
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

/** `why` undefined: the usual message about an object that has been modified. */
export const conflict = (of: Named, name: string, why?: string): StatusError =>
  failure({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${resourceName(of)} "${name}": ${
      why ?? 'the object has been modified; please apply your changes to the latest version and try again'
    }`,
    details: detailsOf(of, name),
  });

/** The conflict of a server-side apply with other managers; message and causes come from the patch algebra. */
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

/**
 * compat cluster 3.15: the error of a validating admission policy has `forbidden` in it, whatever the policy's own
 * reason is.
 */
export function policyDenied(of: Named, name: string, why: string, reason: string): StatusError {
  const code = { Forbidden: 403, RequestEntityTooLarge: 413 }[reason] ?? 422;
  const { status } = forbidden(of, name === '' ? 'Unknown' : name, why, [{ message: why }]);
  return new StatusError({ ...status, reason, code });
}

/** compat cluster 3.17: a webhook chooses its error, except that it must be one. */
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

/** The error for a path that is no resource. */
export const forbiddenPath = (why: string): StatusError =>
  failure({ code: 403, reason: 'Forbidden', message: `forbidden: ${why}`, details: {} });

/** A verb that this resource does not support. */
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

/** compat cluster 3.19: the requested metadata form needs another kind than the requested one. */
export const otherShape = (requested: string, what: string, type: string): StatusError =>
  failure({
    code: 406,
    reason: 'NotAcceptable',
    message: `you requested ${requested}, but the requested object is ${what} (${type})`,
  });

/** compat cluster 3.17: none of the accepted media types is offered. */
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

/** compat cluster 3.6: an unknown patch type, or one that this kind does not support. */
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

/** A failure without a reason in Kubernetes; it has only a message. */
export const plainFailure = (message: string): StatusError => failure({ code: 500, message });

/** compat cluster 3.3: a list or watch at a resourceVersion that the cluster has not reached. */
export const tooLargeResourceVersion = (requested: number, current: number): StatusError =>
  failure({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${requested}, current: ${current}`,
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

/** An injected failure (contract cluster 5.8), with the message of a real one. */
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

/** compat cluster 3.7: an eviction that a disruption budget does not allow now. */
export const tooManyDisruptions = (why: string): StatusError =>
  failure({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes: [{ reason: 'DisruptionBudget', message: why }] },
  });

/** The error for an unsupported feature; it must never pass for a result. */
export const notSupportedYet = (what: string): StatusError =>
  failure({ code: 501, reason: 'NotImplemented', message: `not supported yet: ${what}` });

/** An error in one field, in Kubernetes' own words. */
export type FieldError = {
  readonly type: keyof typeof fieldReasons;
  readonly field: string;
  /** Printed as JSON unless the type is about absence. */
  readonly value?: unknown;
  readonly detail?: string;
  /** The value is too large to print. */
  readonly valueless?: boolean;
  /** The cause's reason, when it is not the default of the type. */
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

/** compat cluster 3.13: texts are quoted; other values are printed as Go's JSON, which escapes HTML. */
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

/** compat cluster 3.6: a JSON patch whose operation failed; the error names neither the operation nor the reason. */
export const patchRejected = (): StatusError =>
  failure({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    details: {},
  });

/** The response to a delete that removed the object. */
export const deleted = (of: Named, name: string, uid: string): StatusBody => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: detailsOf(of, name, uid === '' ? {} : { uid }),
  code: 200,
});
