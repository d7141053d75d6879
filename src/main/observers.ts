import {
  type ConversationMetrics,
  createConversationMetrics,
  createGithubMetrics,
  createMetricsPage,
  createSourceMetrics,
  type GithubMetrics,
  type MetricsPage,
  type SourceMetrics,
} from '#serve/metrics';
import { versionOf } from './version.ts';

/** Receives the requests to clusters and to repository hosts, and the metrics page that shows them. */
export type Observers = {
  readonly page: MetricsPage;
  readonly conversations: ConversationMetrics;
  readonly sources: SourceMetrics;
  readonly github: GithubMetrics;
};

export async function openObservers(): Promise<Observers> {
  const page = createMetricsPage(await versionOf());
  return {
    page,
    conversations: createConversationMetrics(page),
    sources: createSourceMetrics(page),
    github: createGithubMetrics(page),
  };
}
