/**
 * compat server §6.7: the triggers that every installation has, each with the template that it sends. Their conditions and texts
 * are in `control/notify/catalog.ts`.
 */
export const builtInTriggers = {
  'on-created': 'app-created',
  'on-deleted': 'app-deleted',
  'on-deployed': 'app-deployed',
  'on-health-degraded': 'app-health-degraded',
  'on-sync-failed': 'app-sync-failed',
  'on-sync-running': 'app-sync-running',
  'on-sync-status-unknown': 'app-sync-status-unknown',
  'on-sync-succeeded': 'app-sync-succeeded',
} as const;
