import { once } from 'node:events';
import { connect, constants, type IncomingHttpHeaders } from 'node:http2';
import { decodeMessage, encodeMessage, frameOf, grpcMethods, MessageFrames } from '#serve/grpc';

export type GrpcAnswered = {
  /** Whether the headers were all of the response, which is how a refusal must look. */
  readonly isHeadersOnly: boolean;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: IncomingHttpHeaders;
  readonly body: Buffer;
};
type Sent = { readonly headers?: Record<string, string>; readonly body?: Uint8Array };
type Called = { readonly status: readonly [number, string]; readonly messages: readonly unknown[] };

/** A client of gRPC on node:http2: it can also send what no library would. */
export function grpcClient(url: string) {
  const session = connect(url);
  session.on('error', () => {}); // the stream of the call reports it
  const send = async (
    path: string,
    { headers = {}, body = new Uint8Array() }: Sent,
  ): Promise<GrpcAnswered> => {
    const fixed = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
    const stream = session.request({ ...fixed, ...headers });
    let trailers: IncomingHttpHeaders = {};
    stream.on('trailers', (given) => {
      trailers = given;
    });
    stream.end(body);
    const chunks: Buffer[] = [];
    const [answer, flags] = (await once(stream, 'response')) as [IncomingHttpHeaders, number];
    for await (const chunk of stream) chunks.push(chunk);
    const isHeadersOnly = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    return { isHeadersOnly, headers: answer, trailers, body: Buffer.concat(chunks) };
  };
  const call = async (
    name: string,
    request: unknown,
    headers: Record<string, string> = {},
  ): Promise<Called> => {
    const answer = await send(`/${name}`, { headers, body: requestBody(name, request) });
    return { status: statusIn(answer), messages: messagesIn(name, answer.body) };
  };
  /** The status of a refusal, or undefined when the call was accepted; its stream is then closed. */
  const refusal = async (name: string, request: unknown, headers: Record<string, string>) => {
    const fixed = { ':method': 'POST', ':path': `/${name}`, 'content-type': 'application/grpc' };
    const stream = session.request({ ...fixed, ...headers });
    stream.on('error', () => {}).end(requestBody(name, request));
    const [answer] = (await once(stream, 'response')) as [IncomingHttpHeaders];
    stream.close();
    const { 'grpc-status': code, 'grpc-message': message = '' } = answer;
    return code === undefined ? undefined : { code: Number(code), message: String(message) };
  };
  return { session, send, call, refusal, close: () => session.destroy() };
}

const methodOf = (name: string) => {
  const method = grpcMethods.get(name);
  if (!method) throw new Error(`there is no method ${name}`);
  return method;
};

/** The body of a call: the one message of its request. */
export const requestBody = (name: string, request: unknown): Buffer =>
  Buffer.concat(frameOf([encodeMessage(methodOf(name).request, request)]));

/** The messages of a response. */
export const messagesIn = (name: string, body: Uint8Array): unknown[] =>
  [...new MessageFrames(1e8).take(body)].map((bytes) => decodeMessage(methodOf(name).response, bytes));

/** Throws for a refusal whose headers have no end: Go's client does not read its status. */
export function statusIn({ headers, trailers, isHeadersOnly }: GrpcAnswered): [number, string] {
  if ('grpc-status' in headers && !isHeadersOnly) throw new Error('a status in headers without an end');
  const { 'grpc-status': code, 'grpc-message': message = '' } = { ...headers, ...trailers };
  return [Number(code), decodeURIComponent(String(message))];
}
