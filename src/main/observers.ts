import {
  type ConversationMetrics,
  createConversationMetrics,
  createMetricsPage,
  createSourceMetrics,
  type MetricsPage,
  type SourceMetrics,
} from '#serve/metrics';
import { versionOf } from './version.ts';

/** Receives the requests to clusters and to repository hosts, and the metrics page that shows them. */
export type Observers = {
  readonly page: MetricsPage;
  readonly conversations: ConversationMetrics;
  readonly sources: SourceMetrics;
};

export async function openObservers(): Promise<Observers> {
  const page = createMetricsPage(await versionOf());
  return { page, conversations: createConversationMetrics(page), sources: createSourceMetrics(page) };
}
