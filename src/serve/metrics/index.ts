/**
 * metrics: numbers for a monitoring system, under the names that dashboards for Argo CD use (server contract §7). The
 * only room that uses prom-client. Each measured room declares a small type of the metrics it reports; the objects made
 * here implement it.
 *
 * Invariants
 * (1) Names, labels, types and buckets are those of the contract; a name of ours begins with `fairlead_`.
 * (2) A scrape does work in proportion to the number of applications and clusters, and reads only memory. The text of
 *     an application is rendered once for each state of it.
 * (3) Labels from outside never create unlimited series: an application's series are removed with it and are limited
 *     while it exists, so are those of an ApplicationSet, and so are the repositories that unauthenticated callers may name. The series of a repository
 *     are evicted when others are used instead of it, those of a cluster are removed when it is no longer registered.
 * (4) Reporting a value never throws and never waits.
 * (5) No label contains a secret: the user and password of a URL are left out.
 *
 * It refuses to push, to keep history and to measure anything beyond the contract.
 */

export {
  type ClusterRequestMetrics as ConversationMetrics,
  createClusterRequestMetrics as createConversationMetrics,
} from './cluster-requests.ts';
export type { ClusterReading } from './clusters.ts';
export { type ControllerMetrics, createControllerMetrics } from './controller.ts';
export { createGithubMetrics, type GithubMetrics } from './github.ts';
export { listenMetrics } from './listen.ts';
export { createMetricsPage, type MetricsPage } from './page.ts';
export { createRolloutMetrics } from './rollouts.ts';
export { createServerMetrics } from './server.ts';
export { createSourceMetrics, type SourceMetrics } from './sources.ts';
