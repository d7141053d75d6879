import type { Ctx } from '#base/std';
import { dialHost, fetchWeb, type Outside, Tokens } from '#sources/repositories';
import type { ServiceReach, ThreadStore } from './service.ts';

/** The size limit of an answer, and the timeout of one request: a service that hangs blocks its own destination only. */
const most = 1024 * 1024;
const ms = 20_000;
const agent = { 'user-agent': 'fairlead' };

/** Every service is reached by the rules for all outgoing connections: the same addresses, authorities and proxies. */
export function openReach(outside: () => Outside, threads: ThreadStore): ServiceReach {
  const tokens = new Tokens(outside);
  return {
    threads,
    request: async (ctx: Ctx, { url, method = 'POST', headers = {}, body, insecure }) => {
      const terms = insecure ? { insecure } : {};
      // Node frames the body of a GET request only where its length is announced
      const length = body !== undefined && { 'content-length': String(Buffer.byteLength(body)) };
      const all = { ...agent, ...headers, ...length };
      const request = { url: new URL(url), method, headers: all, terms, most, ms };
      const answer = await fetchWeb(ctx, outside(), { ...request, ...(body !== undefined && { body }) });
      return {
        status: answer.status,
        headers: answer.headers,
        text: Buffer.from(answer.body).toString('utf8'),
      };
    },
    dialMail: (ctx, target) => dialHost(ctx, outside(), target),
    githubToken: (ctx, app) => tokens.forApp(ctx, app),
  };
}
