import { type ErrorCode, FairleadError } from '#base/std';

/** The Status of an API server's error. Every field may be missing. */
export type ApiStatus = {
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: ApiStatusDetails;
};

export type ApiStatusDetails = {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly {
    readonly reason?: string;
    readonly message?: string;
    readonly field?: string;
  }[];
  readonly retryAfterSeconds?: number;
};

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

const codes: Readonly<Record<number, ErrorCode>> = {
  400: 'InvalidSpec',
  401: 'Auth',
  403: 'PermissionDenied',
  404: 'NotFound',
  405: 'InvalidSpec',
  406: 'InvalidSpec',
  413: 'LimitExceeded',
  415: 'InvalidSpec',
  422: 'InvalidSpec',
};

// Old API servers quote the bytes around a syntax error, and those bytes may be a Secret's.
const quotedInput = /,? error found in #\d+ byte of \.\.\.\|[\s\S]*$/;

/**
 * A refusal by the API server. `reason` is its own word for why, the one to branch on: NotFound, AlreadyExists, Conflict,
 * Invalid, Expired… Two reasons are ours: `NoMatch`, a kind the cluster does not serve, and `Unknown`.
 */
export class KubeError extends FairleadError {
  readonly reason: string;
  readonly status: number;
  readonly details: ApiStatusDetails;

  constructor(said: ApiStatus, cause?: unknown) {
    const status = said.code ?? 500;
    const reason = said.reason || reasons[status] || 'Unknown';
    super(codes[status] ?? 'Unavailable', (said.message || reason).replace(quotedInput, ''), cause);
    this.reason = reason;
    this.status = status;
    this.details = said.details ?? {};
  }
}

/** Whether an error is an API server's rejection with this reason. */
export function hasReason(error: unknown, ...wanted: readonly string[]): boolean {
  return error instanceof KubeError && wanted.includes(error.reason);
}

/** The API server's watch history no longer reaches back to our resource version; only a new list helps. */
export function isExpired(error: unknown): boolean {
  return error instanceof KubeError && (error.status === 410 || hasReason(error, 'Expired', 'Gone'));
}

/** The API server does not serve the URL itself: the kind is gone, or never existed. */
export function isPathMissing(error: unknown): boolean {
  return (
    hasReason(error, 'NotFound') &&
    (error as KubeError).details.causes?.[0]?.reason === 'UnexpectedServerResponse'
  );
}

/** The error of a response, whatever its body: a Status, a proxy's page, or nothing. */
export function refusal(status: number, body: unknown): KubeError {
  const said = (typeof body === 'object' && body !== null ? body : {}) as ApiStatus & { kind?: unknown };
  if (said.kind === 'Status') return new KubeError({ ...said, code: said.code ?? status });
  return new KubeError({
    code: status,
    message:
      status === 404
        ? 'the server could not find the requested resource'
        : `the server answered ${status} without saying why`,
    details: { causes: [{ reason: 'UnexpectedServerResponse' }] },
  });
}
