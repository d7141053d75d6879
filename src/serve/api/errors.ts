import type { ErrorCode } from '#base/std';

/** compat server §2.4: the unary error envelope; `code` is gRPC's. */
export type ErrorBody = { error: string; code: number; message: string };

type Row = { code: ErrorCode; grpc: number; http: number };

/** One code, three names. The first row with a number wins on the way back. */
const table: readonly Row[] = [
  { code: 'InvalidSpec', grpc: 3, http: 400 },
  { code: 'NotFound', grpc: 5, http: 404 },
  { code: 'PermissionDenied', grpc: 7, http: 403 },
  { code: 'PolicyFailed', grpc: 9, http: 400 },
  { code: 'RenderFailed', grpc: 9, http: 400 },
  { code: 'LimitExceeded', grpc: 8, http: 429 },
  { code: 'Auth', grpc: 16, http: 401 },
  { code: 'Unavailable', grpc: 14, http: 503 },
  { code: 'Internal', grpc: 13, http: 500 },
];

export function statusOf(code: ErrorCode): { grpc: number; http: number } {
  const { grpc, http } = table.find((row) => row.code === code) ?? { grpc: 13, http: 500 };
  return { grpc, http };
}

/** The error code of an HTTP status from a server. */
export function codeOf(http: number): ErrorCode {
  const found = table.find((row) => row.http === http);
  if (found) return found.code;
  return http >= 500 ? 'Unavailable' : 'InvalidSpec';
}
