import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Ctx } from '#base/std';
import { hostOf } from './caller.ts';
import { type GrpcForm, isClosed } from './grpc-answer.ts';
import { type GrpcExchange, grpcFormOf } from './serve-grpc.ts';

type Http2Deps = {
  /** The path that everything is served at, for gRPC-web; native clients know none. */
  rootPath(): string;
  /** Whether a server of this machine responds to this name. */
  isOwnHost(host: string | undefined): boolean;
  serveCall(ctx: Ctx, form: GrpcForm, exchange: GrpcExchange): Promise<void>;
};

/** Serves calls of gRPC over HTTP/2. Any other client is sent back to HTTP/1, which every one of them speaks. */
export const serveHttp2With =
  ({ rootPath, isOwnHost, serveCall }: Http2Deps) =>
  async (ctx: Ctx, request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> => {
    const form = grpcFormOf(request);
    if (isClosed(response.stream)) return;
    if (!form) response.stream.close(constants.NGHTTP2_HTTP_1_1_REQUIRED);
    else if (!isOwnHost(hostOf(request))) response.stream.respond({ ':status': 421 }, { endStream: true });
    else if (request.method !== 'POST') response.stream.respond({ ':status': 405 }, { endStream: true });
    else await serveCall(ctx, form, { request, response, path: belowRoot(request.url, rootPath()) });
  };

const belowRoot = (url: string, root: string): string =>
  root !== '' && url.startsWith(`${root}/`) ? url.slice(root.length) : url;
