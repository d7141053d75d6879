import {
  type ConversationMetrics,
  createConversationMetrics,
  createMetricsPage,
  createSourceMetrics,
  type MetricsPage,
  type SourceMetrics,
} from '#serve/metrics';
import { versionOf } from './version.ts';

/** Who is told of what is asked of clusters and of the hosts of repositories, and the page that shows it. */
export type Observers = {
  readonly page: MetricsPage;
  readonly conversations: ConversationMetrics;
  readonly sources: SourceMetrics;
};

export async function openObservers(): Promise<Observers> {
  const page = createMetricsPage(await versionOf());
  return { page, conversations: createConversationMetrics(page), sources: createSourceMetrics(page) };
}
