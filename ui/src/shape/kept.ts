import { type Application, keyFrom, optionValue, type ResourceKey } from '#base/model';

/**
 * What is no longer in Git and yet no sync deletes (Prune=false). The application says so for everything; of a single object
 * its last sync tells, where people look at more than its own page.
 */
export function keptOf({ spec, status }: Application): (key: ResourceKey) => boolean {
  if (optionValue(spec.syncPolicy?.syncOptions, 'Prune') === 'false') return () => true;
  // compat S-26: the words by which clients know it
  const kept = (status?.operationState?.syncResult?.resources ?? []).filter(
    (one) => one.status === 'PruneSkipped' && one.message?.includes('no prune'),
  );
  const keys = new Set(kept.map(keyFrom));
  return (key) => keys.has(key);
}
