/** The codes of gRPC that the transport itself needs. */
export const grpcCode = {
  ok: 0,
  deadlineExceeded: 4,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** The status of a call as headers or trailers have it: the message percent-encoded where it is not printable ASCII. */
export function statusHeaders(code: number, message = ''): Record<string, string> {
  return { 'grpc-status': String(code), ...(message !== '' && { 'grpc-message': encodedMessage(message) }) };
}

/** Long messages are cut: a header must stay below the limits of proxies. */
const longestMessage = 4096;

function encodedMessage(message: string): string {
  let text = '';
  for (const byte of Buffer.from(message.slice(0, longestMessage))) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    text += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

const units: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 };

/** How long a client waits for the end of a call, in milliseconds; undefined: as long as it takes. */
export function timeoutIn(header: string | undefined): number | undefined {
  const [, amount, unit = ''] = /^(\d{1,8})([HMSmun])$/.exec(header ?? '') ?? [];
  const scale = units[unit];
  return amount === undefined || scale === undefined ? undefined : Math.ceil(Number(amount) * scale);
}
