import type { FaultRule } from './rule.ts';

/**
 * One rule for every kind of fault a client of an API server must handle, each with this percentage (contract
 * cluster 5.8).
 */
export function chaos(percent: number): FaultRule[] {
  const requests = { percent, resources: ['*'] };
  const writes = { ...requests, verbs: ['create', 'update', 'patch', 'delete'] };
  const watches = { ...requests, verbs: ['watch'] };
  return [
    { name: 'internal error', match: requests, effect: { error: 500 } },
    { name: 'unavailable', match: requests, effect: { error: 503 } },
    { name: 'too many requests', match: requests, effect: { error: 429, retryAfter: 1 } },
    { name: 'timeout', match: requests, effect: { error: 504 } },
    { name: 'reset before', match: requests, effect: { reset: 'before' } },
    { name: 'conflict', match: { percent }, effect: { conflict: true } },
    { name: 'reset after', match: writes, effect: { reset: 'after' } },
    { name: 'watch drop', match: watches, effect: { watch: 'drop', events: 3 } },
    { name: 'watch reset', match: watches, effect: { watch: 'reset', events: 2 } },
    { name: 'watch gone', match: watches, effect: { watch: 'gone', events: 4 } },
  ];
}
