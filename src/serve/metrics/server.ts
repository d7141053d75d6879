import { Counter } from 'prom-client';
import { withoutUserInfo } from '#base/model';
import type { MetricsPage } from './page.ts';

/** The metrics of the server. */
export type ServerMetrics = {
  login(status: 'success' | 'failure'): void;
  /** A Git host sent a webhook for this repository. */
  webhook(repo: string): void;
};

/** Anyone may call a webhook and name a repository; those beyond the limit are reported together. */
const mostRepositories = 1000;

/** compat server §7.2 */
export function createServerMetrics({ registry }: MetricsPage): ServerMetrics {
  const registers = [registry];
  const logins = new Counter({
    name: 'argocd_login_request_total',
    help: 'Logins, by what came of them.',
    labelNames: ['status'],
    registers,
  });
  const webhooks = new Counter({
    name: 'argocd_webhook_requests_total',
    help: 'Webhook deliveries of Git hosts, by repository.',
    labelNames: ['repo'],
    registers,
  });
  const known = new Set<string>();
  return {
    login: (status) => logins.inc({ status }),
    webhook: (url) => {
      const repo = withoutUserInfo(url);
      if (known.size < mostRepositories) known.add(repo);
      webhooks.inc({ repo: known.has(repo) ? repo : 'other' });
    },
  };
}
