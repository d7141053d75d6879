import { STATUS_CODES } from 'node:http';
import { FairleadError } from '#base/std';
import { KubeError } from '#kubernetes/client';
import { type ErrorBody, statusOf } from '#serve/api';

export type Refusal = { readonly status: number; readonly body: ErrorBody };

/** compat server §2.4: an API server's reason keeps its own status; any other error has its code's. */
const reasons: Readonly<Record<string, { grpc: number; http: number }>> = {
  AlreadyExists: { grpc: 6, http: 409 },
  BadRequest: { grpc: 9, http: 400 },
  Conflict: { grpc: 10, http: 409 },
  MethodNotAllowed: { grpc: 12, http: 501 },
  Timeout: { grpc: 4, http: 504 },
  TooManyRequests: { grpc: 8, http: 429 },
};

/** The response to a failed call. An internal error is reported as such, never with its message. */
export function refusalOf(thrown: unknown): Refusal {
  const error = FairleadError.from(thrown);
  const { grpc, http } = statusIn(error);
  const message = error.code === 'Internal' ? 'internal error: the log has the details' : error.message;
  return { status: http, body: { error: message, code: grpc, message } };
}

function statusIn(error: FairleadError): { readonly grpc: number; readonly http: number } {
  return (error instanceof KubeError && reasons[error.reason]) || statusOf(error.code);
}

/** compat server §2.4: the error of a stream, as its last message, or as the response when there was none. */
export function streamRefusalOf(error: unknown) {
  const { status, body } = refusalOf(error);
  const http_status = STATUS_CODES[status] ?? '';
  return { error: { grpc_code: body.code, http_code: status, message: body.message, http_status } };
}
