/**
 * metrics: numbers for a monitoring system, under the names that dashboards made for Argo CD ask for (server contract §7).
 * The only room that knows prom-client. Whoever is measured declares a small type of what it tells; what is made here fits.
 *
 * Invariants
 * (1) Names, labels, types and buckets are those of the contract; a name of ours begins with `fairlead_`.
 * (2) A scrape does work in proportion to the number of applications and clusters, and reads only memory. What a page says of
 *     an application is written once for each state of it.
 * (3) What somebody else decides never makes series without end: an application's series go with it and are limited while it
 *     lives, and so are the repositories that strangers may name. What is told of a repository goes when others are asked
 *     instead of it, what is told of a cluster when it is registered no more.
 * (4) Telling a number never throws and never waits.
 * (5) No label holds a secret: the user and password of a URL are left out.
 *
 * It refuses to push, to keep history and to measure what nobody asks for.
 */
export type { ClusterToTell } from './clusters.ts';
export { type ControllerMetrics, createControllerMetrics } from './controller.ts';
export { type ConversationMetrics, createConversationMetrics } from './conversations.ts';
export { listenMetrics } from './listen.ts';
export { createMetricsPage, type MetricsPage } from './page.ts';
export { createServerMetrics } from './server.ts';
export { createSourceMetrics, type SourceMetrics } from './sources.ts';
