import type { IncomingMessage, ServerResponse } from 'node:http';
import { withoutUserInfo } from '#base/model';
import { type Ctx, FairleadError, joined, type LogFields } from '#base/std';
import type { PullRequestEvent, Push } from '#engine';
import { eventOf, type Host, isVerified, type SecretOf, senderOf, speaksFor } from './hosts.ts';
import { Payload } from './payload.ts';

export type WebhookDeps = {
  readonly secret: SecretOf;
  /** The current limit of a delivery, in bytes. */
  maxBytes(): number;
  /**
   * Records a push and passes it to the controllers; false when the queue is full. Throws when it cannot be recorded.
   */
  pushed(ctx: Ctx, push: Push): Promise<boolean>;
  /** Records that a pull request changed, on the objects that it concerns. */
  requested(ctx: Ctx, event: PullRequestEvent): Promise<void>;
};

/** Timeout of a sender for its delivery. */
const timeoutMs = 10_000;
/** Deliveries are kept in memory until they are verified: this many of the largest size, together. */
const atOnce = 4;
/** Events that are reported as not understood: a sender can invent any number of names. */
const mostReported = 100;

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };
type Answer = { readonly status: number; readonly text: string };

const ok: Answer = { status: 200, text: 'ok' };
const refused = (text: string): Answer => ({ status: 400, text });
const failed = refused('Webhook processing failed');

/**
 * `POST /api/webhook` (compat server §2.7): a Git host reports that a repository moved. Anyone may call, so its only
 * effect is a refresh, and a thousand deliveries cause no more of them than one does.
 */
export class WebhookReceiver {
  readonly #deps: WebhookDeps;
  readonly #reported = new Set<string>();
  readonly #warned = new Map<string, number>();
  #held = 0;

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  async serve(ctx: Ctx, { request, response }: Exchange): Promise<void> {
    const { status, text } = await this.#answer(ctx, request).catch((error: unknown) => this.#failed(error));
    if (response.destroyed) return;
    // the rest of an incomplete request is discarded
    const headers = request.complete ? {} : { connection: 'close' };
    response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(`${text}\n`);
  }

  async #answer(ctx: Ctx, request: IncomingMessage): Promise<Answer> {
    if (request.method !== 'POST') return { status: 405, text: 'Method Not Allowed' };
    const { headers } = request;
    const host = senderOf(headers, this.#deps.secret);
    if (!host) return refused('Unknown webhook event');
    const body = await this.#receive(ctx, request);
    try {
      return await this.#read(ctx, host, { headers, body });
    } finally {
      this.#held -= body.length;
    }
  }

  async #read(
    ctx: Ctx,
    host: Host,
    delivery: { headers: IncomingMessage['headers']; body: Uint8Array },
  ): Promise<Answer> {
    const { secret } = this.#deps;
    if (isVerified(host, secret) && !host.isGenuine(delivery, secret)) {
      this.#warn(ctx, 'webhook delivery refused: its signature is wrong', { provider: host.name });
      return { ...failed, status: host.refusal ?? 400 };
    }
    const payload = new Payload(parsed(delivery.body));
    const request = host.request?.(delivery.headers, payload);
    if (request === 'ignored') return ok;
    if (request) return this.#request(ctx, host, request);
    const pushes = host.read(delivery.headers, payload);
    if (pushes === 'ignored') return ok;
    const event = eventOf(host, delivery.headers, payload);
    if (!pushes || pushes.length === 0) this.#notUnderstood(ctx, { provider: host.name, event }, pushes);
    if (!pushes) return failed;
    if (!pushes.every((push) => this.#isBelieved(ctx, host, push))) return failed;
    for (const push of pushes) {
      ctx.log.info('webhook: repository moved', {
        host: host.name,
        repo: withoutUserInfo(push.webUrl),
        revision: push.revision,
      });
    }
    return this.#accept(ctx, pushes);
  }

  /** compat sources ASQ-4, ASQ-6: 200 means that the request for an evaluation is in the cluster. */
  async #request(ctx: Ctx, host: Host, event: PullRequestEvent): Promise<Answer> {
    if (!this.#isBelieved(ctx, host, event)) return failed;
    ctx.log.info('webhook: pull request changed', { host: host.name, repo: withoutUserInfo(event.webUrl) });
    try {
      await this.#deps.requested(ctx, event);
      return ok;
    } catch (error) {
      this.#warn(ctx, 'webhook delivery refused: the pull request cannot be recorded', {
        provider: 'any',
        error,
      });
      return { status: 503, text: 'the pull request cannot be recorded: try again' };
    }
  }

  /** 200 means that the pushes are in the cluster: a kill after the response loses none of them. */
  async #accept(ctx: Ctx, pushes: readonly Push[]): Promise<Answer> {
    try {
      for (const push of pushes)
        if (!(await this.#deps.pushed(ctx, push)))
          return { status: 503, text: 'too many pushes are waiting: try again' };
    } catch (error) {
      this.#warn(ctx, 'webhook delivery refused: the push cannot be recorded', { provider: 'any', error });
      return { status: 503, text: 'the push cannot be recorded: try again' };
    }
    return ok;
  }

  #isBelieved(ctx: Ctx, host: Host, { webUrl }: Pick<Push, 'webUrl'>): boolean {
    if (speaksFor(host, webUrl, this.#deps.secret)) return true;
    this.#warn(ctx, 'webhook delivery refused: unsigned, while a secret is set for its host', {
      provider: host.name,
      repo: withoutUserInfo(webUrl),
      fix: `set ${host.keys[0]} in argocd-secret`,
    });
    return false;
  }

  /** An authentic delivery without effect is reported once for each provider and event. */
  #notUnderstood(
    ctx: Ctx,
    fields: { provider: string; event: string },
    reading: readonly Push[] | undefined,
  ) {
    const key = `${fields.provider} ${fields.event}`;
    if (this.#reported.has(key) || this.#reported.size >= mostReported) return;
    this.#reported.add(key);
    const why = reading ? 'it names no repository with a branch or a tag' : 'its event is not used';
    ctx.log.warn(`webhook delivery not understood: ${why}`, fields);
  }

  /** Anyone may send what is refused: each kind of refusal is logged at most once a minute. */
  #warn(ctx: Ctx, message: string, fields: { readonly provider: string } & LogFields): void {
    const key = `${message} ${fields.provider}`;
    const now = ctx.clock.now().getTime();
    if (now - (this.#warned.get(key) ?? Number.NEGATIVE_INFINITY) < 60_000) return;
    this.#warned.set(key, now);
    ctx.log.warn(message, fields);
  }

  /** The whole body. Its size is counted until the caller has released it. */
  async #receive(ctx: Ctx, request: IncomingMessage): Promise<Uint8Array> {
    const most = this.#deps.maxBytes();
    if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge(most);
    const late = new AbortController();
    const stop = joined(ctx.signal, late.signal);
    const clocked = ctx.clock.sleep(timeoutMs, stop.signal).then(
      () => request.destroy(new FairleadError('Unavailable', 'a delivery took too long')),
      () => undefined,
    );
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      // a sender that is cut off here still gets a response
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        size += chunk.length;
        this.#held += chunk.length;
        if (size > most) throw tooLarge(most);
        if (this.#held > most * atOnce)
          throw new FairleadError('Unavailable', 'too many deliveries at once: try again');
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    } catch (error) {
      this.#held -= size;
      throw error;
    } finally {
      late.abort();
      await clocked;
      stop.release();
    }
  }

  #failed(error: unknown): Answer {
    const { code, message } = FairleadError.from(error);
    return code === 'Unavailable' ? { status: 503, text: message } : refused(message);
  }
}

const tooLarge = (most: number): FairleadError =>
  new FairleadError('LimitExceeded', `the body is larger than ${most} bytes (webhook.maxPayloadSizeMB)`);

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch (error) {
    throw new FairleadError('InvalidSpec', 'the body is not JSON', error);
  }
}
