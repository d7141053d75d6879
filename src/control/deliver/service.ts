import type { Ctx, JsonObject } from '#base/std';
import type { NotificationMessage } from '#control/notify';
import type { DialedHost, GithubApp } from '#sources/repositories';

/** One request to a service. */
type ServiceRequest = {
  readonly url: string;
  /** POST when left out. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The certificate is not checked. */
  readonly insecure?: boolean;
};

export type ServiceAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
};

/** A message that later ones answer to or replace. */
export type MessageThread = { readonly channel: string; readonly ts: string };

/** How services are reached: one dialer for all, which refuses loopback and metadata addresses. */
export type ServiceReach = {
  request(ctx: Ctx, request: ServiceRequest): Promise<ServiceAnswer>;
  dialMail(
    ctx: Ctx,
    target: { readonly host: string; readonly port: number; readonly insecure?: boolean },
  ): Promise<DialedHost>;
  githubToken(ctx: Ctx, app: GithubApp): Promise<string>;
  readonly threads: ThreadStore;
};

export type ThreadStore = {
  get(key: string): MessageThread | undefined;
  put(key: string, thread: MessageThread): void;
};

/** One delivery to one recipient. */
export type Delivery = {
  /** The service's name, and its options with secrets filled in. */
  readonly name: string;
  readonly options: JsonObject;
  readonly recipient: string;
  readonly notification: NotificationMessage;
};

/** A kind of service: a file in `services/`. */
export type ServiceKind = {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Options that the peer reads and that have no effect here, with the reason. */
  readonly inert?: Readonly<Record<string, string>>;
  /** Throws a FairleadError when it was not delivered; DeliveryError where the service says when to try again. */
  send(ctx: Ctx, reach: ServiceReach, delivery: Delivery): Promise<void>;
};
