import type { JsonObject } from '#kubernetes/schema';
import type { Core } from '../core.ts';
import type { Item } from '../item.ts';
import type { Attributes } from '../policy/attributes.ts';

/** The webhook calls of a write in progress. */
export type WebhookCalls = {
  /**
   * The request after all mutating webhooks, each of which gets the object as changed by those before it. Throws
   * StatusError.
   */
  mutated(core: Core, attributes: Attributes, read: (value: JsonObject) => Item): Attributes;
  /** Throws StatusError when a validating webhook denies the request. */
  validate(core: Core, attributes: Attributes): void;
};
