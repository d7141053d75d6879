import type { Ctx } from '#base/std';
import type { Endpoint } from '#serve/api';
import type { Call } from './request.ts';

type Result =
  | { readonly kind: 'one'; readonly value: unknown; readonly headers?: Record<string, string> }
  | {
      readonly kind: 'items';
      readonly items: Iterable<unknown>;
      readonly headers?: Record<string, string>;
    }
  | {
      readonly kind: 'stream';
      readonly messages: AsyncIterable<unknown>;
      readonly headers?: Record<string, string>;
    };

/** An endpoint of the api table, joined to the method that serves it. */
export type Route = {
  readonly endpoint: Endpoint<unknown, unknown>;
  readonly isPublic: boolean;
  run(ctx: Ctx, call: Call): Promise<Result>;
};

/** A method that answers once; callers must be signed in. */
export function one<Body, Out>(
  endpoint: Endpoint<Body, Out>,
  method: (ctx: Ctx, call: Call<Body>) => Promise<Out>,
): Route {
  return {
    endpoint: endpoint as Endpoint<unknown, unknown>,
    isPublic: false,
    run: async (ctx, call) => ({ kind: 'one', value: await method(ctx, call as Call<Body>) }),
  };
}

/** A method whose answer is a list too large to be held at once: its items are made as they are sent. */
export function listed<Item>(
  endpoint: Endpoint<undefined, { readonly items: readonly Item[] }>,
  method: (ctx: Ctx, call: Call) => Promise<Iterable<Item>>,
): Route {
  return {
    endpoint: endpoint as Endpoint<unknown, unknown>,
    isPublic: false,
    run: async (ctx, call) => ({ kind: 'items', items: await method(ctx, call) }),
  };
}

/** A method whose answers keep coming. */
export function many<Out>(
  endpoint: Endpoint<undefined, Out>,
  method: (ctx: Ctx, call: Call) => AsyncIterable<Out>,
): Route {
  return {
    endpoint: endpoint as Endpoint<unknown, unknown>,
    isPublic: false,
    run: async (ctx, call) => ({ kind: 'stream', messages: method(ctx, call) }),
  };
}

/** For those who are not signed in, too. May set headers. */
export function open<Body, Out>(
  endpoint: Endpoint<Body, Out>,
  method: (ctx: Ctx, call: Call<Body>) => Promise<{ value: Out; headers?: Record<string, string> }>,
): Route {
  return {
    endpoint: endpoint as Endpoint<unknown, unknown>,
    isPublic: true,
    run: async (ctx, call) => ({ kind: 'one', ...(await method(ctx, call as Call<Body>)) }),
  };
}
