import type { Ctx } from '#base/std';
import type { Endpoint } from '#serve/api';
import type { MethodCall } from './request.ts';

type Result =
  | { readonly kind: 'one'; readonly value: unknown; readonly headers?: Record<string, string | string[]> }
  | {
      readonly kind: 'items';
      readonly items: Iterable<unknown>;
      readonly headers?: Record<string, string | string[]>;
    }
  | {
      readonly kind: 'stream';
      readonly messages: AsyncIterable<unknown>;
      readonly headers?: Record<string, string | string[]>;
    };

/** An endpoint of the api table with the method that serves it. */
export type RestRoute = {
  readonly endpoint: Endpoint<unknown, unknown>;
  readonly isPublic: boolean;
  run(ctx: Ctx, call: MethodCall): Promise<Result>;
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
  method: (ctx: Ctx, call: MethodCall) => Promise<Iterable<Item>>,
): RestRoute {
  return {
    endpoint: endpoint as Endpoint<unknown, unknown>,
    isPublic: false,
    run: async (ctx, call) => ({ kind: 'items', items: await method(ctx, call) }),
  };
}

/** A method with a stream of responses. */
export function many<Out>(
  endpoint: Endpoint<undefined, Out>,
  method: (ctx: Ctx, call: MethodCall) => AsyncIterable<Out>,
): RestRoute {
  return {
    endpoint: endpoint as Endpoint<unknown, unknown>,
    isPublic: false,
    run: async (ctx, call) => ({ kind: 'stream', messages: method(ctx, call) }),
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
