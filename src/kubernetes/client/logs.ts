import type { Ctx } from '#base/std';
import { type Api, served } from './api.ts';
import { objectPath } from './path.ts';

export type PodRef = { readonly namespace: string; readonly name: string };

export type LogOptions = {
  readonly container?: string;
  /** Streams until the container ends. */
  readonly follow?: boolean;
  /** The container before its last restart. */
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  readonly sinceSeconds?: number;
  readonly sinceTime?: string;
  readonly limitBytes?: number;
};

const pods = { apiVersion: 'v1', kind: 'Pod' };

/** The lines of a container's log as they come. Ends the request when the reader stops. */
export async function* logs(
  ctx: Ctx,
  api: Api,
  pod: PodRef,
  options: LogOptions = {},
): AsyncGenerator<string> {
  const lines = await served(ctx, api, pods, (resource) =>
    api.http.lines(ctx, {
      method: 'GET',
      path: objectPath(resource, { ...pod, subresource: 'log' }),
      query: options,
      accept: '*/*', // the log itself is text; a refusal is JSON
    }),
  );
  yield* lines;
}
