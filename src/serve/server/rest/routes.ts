import type { Ctx } from '#base/std';
import type { Endpoint } from '#serve/api';
import type { MethodCall } from './request.ts';
import type { SentItems } from './send-items.ts';

export type RestResult =
  | { readonly kind: 'one'; readonly value: unknown; readonly headers?: Record<string, string | string[]> }
  | (SentItems & { readonly kind: 'items'; readonly headers?: Record<string, string | string[]> })
  | {
      readonly kind: 'stream';
      readonly messages: AsyncIterable<unknown>;
      readonly headers?: Record<string, string | string[]>;
      /** Sent as a file of such lines instead; undefined: the message is left out. */
      readonly line?: ((message: never) => string | undefined) | undefined;
    };

/** An endpoint of the api table with the method that serves it. */
export type RestRoute = {
  readonly endpoint: Endpoint<unknown, unknown>;
  readonly isPublic: boolean;
  run(ctx: Ctx, call: MethodCall): Promise<RestResult>;
};

/** A method with one response; callers must be signed in. */
export function one<Body, Out>(
  endpoint: Endpoint<Body, Out>,
  method: (ctx: Ctx, call: MethodCall<Body>) => Promise<Out>,
): RestRoute {
  return {
    endpoint: endpoint as Endpoint<unknown, unknown>,
    isPublic: false,
    run: async (ctx, call) => ({ kind: 'one', value: await method(ctx, call as MethodCall<Body>) }),
  };
}

/** A method whose response is a list too large for memory: its items are made as they are sent. */
export function listed<Item>(
  endpoint: Endpoint<undefined, { readonly items: readonly Item[] }>,
  method: (ctx: Ctx, call: MethodCall) => Promise<SentItems & { readonly items: Iterable<Item> }>,
): RestRoute {
  return {
    endpoint: endpoint as Endpoint<unknown, unknown>,
    isPublic: false,
    run: async (ctx, call) => ({ kind: 'items', ...(await method(ctx, call)) }),
  };
}

/** A method with a stream of responses. What it throws before it has one is an ordinary refusal. */
export function many<Out>(
  endpoint: Endpoint<undefined, Out>,
  method: (ctx: Ctx, call: MethodCall) => AsyncIterable<Out> | Promise<AsyncIterable<Out>>,
): RestRoute {
  return {
    endpoint: endpoint as Endpoint<unknown, unknown>,
    isPublic: false,
    run: async (ctx, call) => ({ kind: 'stream', messages: await method(ctx, call) }),
  };
}

/** compat server §2.5: the same, and with `download=true` a file to save, one line of text for each message. */
export function downloadable<Out>(
  endpoint: Endpoint<undefined, Out>,
  method: (ctx: Ctx, call: MethodCall) => Promise<AsyncIterable<Out>>,
  file: { name(call: MethodCall): string; line(message: Out): string | undefined },
): RestRoute {
  return {
    endpoint: endpoint as Endpoint<unknown, unknown>,
    isPublic: false,
    run: async (ctx, call) => {
      const messages = await method(ctx, call);
      if (call.query.get('download') !== 'true') return { kind: 'stream', messages };
      // names come from the request: nothing in them may end the header's string
      const filename = file.name(call).replace(/[^\w.-]/g, '_');
      const headers = { 'content-disposition': `attachment; filename="${filename}"` };
      return { kind: 'stream', messages, headers, line: file.line };
    },
  };
}

/** Also for callers that are not signed in. May set headers. */
export function open<Body, Out>(
  endpoint: Endpoint<Body, Out>,
  method: (
    ctx: Ctx,
    call: MethodCall<Body>,
  ) => Promise<{ value: Out; headers?: Record<string, string | string[]> }>,
): RestRoute {
  return {
    endpoint: endpoint as Endpoint<unknown, unknown>,
    isPublic: true,
    run: async (ctx, call) => ({ kind: 'one', ...(await method(ctx, call as MethodCall<Body>)) }),
  };
}
