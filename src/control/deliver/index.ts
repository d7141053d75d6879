/**
 * deliver: speaks to the services that carry notifications: one file for each in `services/`.
 *
 * Promises
 * (1) One dialer: every connection is to an address that the rules for outgoing connections permit, so that neither a
 *     configuration nor an annotation reaches loopback or metadata addresses. Redirects are not followed.
 * (2) Requests have the form that the provider documents; a service that the peer has takes the same options and templates.
 * (3) The error's code says what may help: `Auth` another key, `InvalidSpec` and `NotFound` another text, option or
 *     recipient, anything else another attempt; `DeliveryError` says when.
 * (4) No error holds a secret of the configuration. A delivery ends within a minute.
 *
 * It keeps nothing, retries nothing and logs nothing: that is for the controller.
 */
export { DeliveryError } from './answer.ts';
export { deliver } from './deliver.ts';
export { checkService } from './kinds.ts';
export { openReach } from './reach.ts';
export type { MessageThread, ServiceReach, ThreadStore } from './service.ts';
