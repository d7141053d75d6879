import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerResponse } from 'node:http2';
import { type Ctx, FairleadError, joined } from '#base/std';
import { slices } from '#platform/workers';
import {
  decodeMessage,
  encodeField,
  encodeMessage,
  type GrpcMethod,
  grpcCode,
  grpcMethods,
  timeoutIn,
  UnsupportedCall,
} from '#serve/grpc';
import { refusalOf } from '../errors.ts';
import { RequestAudit } from '../rest/audit.ts';
import { clientOf } from '../rest/client.ts';
import { PrintedItems } from '../rest/printed-items.ts';
import { maxBodyBytes, maxPublicBodyBytes } from '../rest/request.ts';
import type { RestResult } from '../rest/routes.ts';
import { runRoute, userOf, whileAllowed } from '../rest/run-route.ts';
import type { RestOptions } from '../rest/serve.ts';
import { adjustedStatus } from './adjusted.ts';
import { presentedIn, requireOwnCaller, requireSupportedClient } from './caller.ts';
import { GrpcAnswer, type GrpcForm, type GrpcRequest } from './grpc-answer.ts';
import type { GrpcRoute } from './grpc-routes.ts';
import { readMessage, readMessages } from './read-message.ts';
import { standardMethods } from './standard-services.ts';

export type GrpcOptions = Omit<RestOptions, 'routes'> & {
  readonly routes: ReadonlyMap<string, GrpcRoute>;
  /** For the health service: whether `/healthz` is well. */
  isServing(): boolean;
};

export type GrpcExchange = {
  readonly request: GrpcRequest;
  readonly response: ServerResponse | Http2ServerResponse;
  /** Of the method, below the root path. */
  readonly path: string;
};

/** How a request is spoken; undefined: it is no call of gRPC. */
export function grpcFormOf({ headers }: Pick<IncomingMessage, 'headers'>): GrpcForm | undefined {
  const contentType = headers['content-type'] ?? '';
  const [, web, format] = /^application\/grpc(-web(?:-text)?)?(?:\+([a-z]+))?$/i.exec(contentType) ?? [];
  if (!contentType.startsWith('application/grpc')) return undefined;
  const isWeb = contentType.startsWith('application/grpc-web');
  const isSpoken = (web ?? '') !== '-web-text' && (format ?? 'proto') === 'proto';
  return { contentType: isSpoken ? contentType : `application/grpc${isWeb ? '-web' : ''}+proto`, isWeb };
}

/** Responds to one call of gRPC or gRPC-web. Never throws: an error becomes the status of the call. */
export async function serveGrpc(
  ctx: Ctx,
  options: GrpcOptions,
  form: GrpcForm,
  { request, response, path }: GrpcExchange,
): Promise<void> {
  const answer = new GrpcAnswer(response, form);
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  request.on('aborted', () => gone.abort()); // a response of HTTP/2 is closed later, when what was sent is flushed
  const { signal, release } = joined(ctx.signal, gone.signal);
  const deadline = deadlineOf({ ...ctx, signal }, request, answer, gone);
  const audit = new RequestAudit(options.audit);
  let status = 200;
  try {
    const stop = () => gone.abort();
    await call({ ...ctx, signal }, options, { request, form, path, answer, audit, stop });
    if (ctx.signal.aborted) answer.end(grpcCode.unavailable, 'the server is stopping');
    else answer.end(grpcCode.ok);
  } catch (error) {
    const refused = refusalOf(error);
    status = refused.status;
    if (status >= 500 && !signal.aborted) ctx.log.error('call failed', { method: path, error });
    const isUnsupported = error instanceof UnsupportedCall;
    const { code, message } = adjustedStatus(path, refused.body);
    answer.end(isUnsupported ? grpcCode.unimplemented : code, message);
  } finally {
    gone.abort();
    await deadline;
    release();
    await audit.completed(ctx, status);
  }
}

/** Ends a call whose client waits no longer. */
async function deadlineOf(
  ctx: Ctx,
  { headers }: GrpcRequest,
  answer: GrpcAnswer,
  gone: AbortController,
): Promise<void> {
  const ms = timeoutIn(headers['grpc-timeout']?.toString());
  if (ms === undefined) return;
  const isLate = await ctx.clock.sleep(ms, ctx.signal).then(
    () => true,
    () => false,
  );
  if (!isLate) return;
  answer.end(grpcCode.deadlineExceeded, 'the deadline of the call has passed');
  gone.abort();
}

type Called = {
  readonly request: GrpcRequest;
  readonly form: GrpcForm;
  readonly path: string;
  readonly answer: GrpcAnswer;
  readonly audit: RequestAudit;
  /** Ends what the call is doing. */
  stop(): void;
};

async function call(ctx: Ctx, options: GrpcOptions, called: Called): Promise<void> {
  const { request, path, answer, audit } = called;
  const common = standardMethods.get(path.slice(1));
  if (common) {
    if (!common.isPublic) await userOf(ctx, options.sessions, common, presentedIn(request));
    await common.run(ctx, { request, answer, isServing: options.isServing });
    return;
  }
  const found = options.routes.get(path.slice(1));
  if (!found) throw unknown(path);
  requireEncoding(request);
  requireSupportedClient(request);
  const { method, route } = found;
  const { trustedProxies, origins, cookiePath } = options.reached();
  requireOwnCaller(request, origins);
  const user = await userOf(ctx, options.sessions, route, presentedIn(request));
  const { first, more } = await messagesOf(ctx, called, found);
  const target = found.targetOf(first);
  const client = { ...clientOf(request, trustedProxies), cookiePath };
  const { cookie } = request.headers;
  const { result, permissions } = await runRoute(
    ctx,
    options,
    { ...target, more, user, client, cookie },
    audit,
  );
  if (result.kind !== 'stream') {
    await answer.message(await partsOf(method, result));
    return;
  }
  const cutOff = (): void => {
    answer.end(
      grpcCode.unauthenticated,
      'the session has ended, or a permission was revoked: open the stream again',
    );
    called.stop();
  };
  await whileAllowed(ctx, options.sessions, { user, permissions, cutOff }, async () => {
    answer.begin();
    for await (const message of result.messages)
      await answer.message([encodeMessage(method.response, message)]);
  });
}

type Json = Readonly<Record<string, unknown>>;
type Messages = { readonly first: Json; readonly more?: AsyncIterable<Json> };

/** The message of a request, or the first of a stream and the others as they arrive. */
async function messagesOf(
  ctx: Ctx,
  { request, form, path }: Called,
  { method, route }: GrpcRoute,
): Promise<Messages> {
  const most = route.isPublic ? maxPublicBodyBytes : maxBodyBytes;
  const decode = (bytes: Buffer): Json => decodeMessage(method.request, bytes);
  if (!method.isClientStream) return { first: decode(await readMessage(ctx, request, most)) };
  // compat server §3.4: a proxy forwards one message alone
  if (form.isWeb)
    throw new UnsupportedCall(
      `${path} takes a stream of messages, which gRPC-web cannot send: use gRPC, without --grpc-web`,
    );
  const messages = readMessages(ctx, request, most);
  const first = await messages.next();
  if (first.done) throw new FairleadError('InvalidSpec', 'the method takes messages, and got none');
  const more = async function* (): AsyncGenerator<Json> {
    for await (const bytes of messages) yield decode(bytes);
  };
  return { first: decode(first.value), more: more() };
}

const unknown = (path: string): UnsupportedCall =>
  new UnsupportedCall(
    grpcMethods.has(path.slice(1)) ? `not supported yet: ${path}` : `there is no method ${path}`,
  );

/** A compressed message is refused by its own flag; one that would be is refused before it is read. */
function requireEncoding({ headers }: GrpcRequest): void {
  const encoding = headers['grpc-encoding']?.toString() ?? 'identity';
  if (encoding !== 'identity')
    throw new UnsupportedCall(`grpc-encoding ${encoding} is not supported: send messages with identity`);
}

type Whole = Exclude<RestResult, { kind: 'stream' }>;

/** A message in parts: the items of a long list are encoded one by one, yielding to other work in between. */
async function partsOf({ response }: GrpcMethod, result: Whole): Promise<Buffer[]> {
  if (result.kind === 'one') return [encodeMessage(response, result.value)];
  const pause = slices();
  const hasMetadata = response.fields.some(({ json }) => json === 'metadata');
  const parts = hasMetadata ? [encodeField(response, 'metadata', result.metadata)] : [];
  const encode = (item: unknown): Buffer => encodeField(response, 'items', [item]);
  for (const item of result.items) {
    parts.push(result.areLasting ? listedItems.printed(item, encode) : encode(item));
    await pause();
  }
  return parts;
}

/** The bytes of some thousands of applications, the only items that last. */
const listedItems = new PrintedItems<Buffer>(8 * 1024 * 1024);
