import { type Application, keyFrom, optionValue, type ResourceKey } from '#base/model';

/**
 * Resources that are no longer in Git and that no sync deletes (Prune=false). The application's option covers
 * all of them; for a single object only the result of the last sync is available outside its own page.
 */
export function pruneDisabledFor({ spec, status }: Application): (key: ResourceKey) => boolean {
  if (optionValue(spec.syncPolicy?.syncOptions, 'Prune') === 'false') return () => true;
  // compat engine S-26: the words by which clients recognise it
  const kept = (status?.operationState?.syncResult?.resources ?? []).filter(
    (one) => one.status === 'PruneSkipped' && one.message?.includes('no prune'),
  );
  const keys = new Set(kept.map(keyFrom));
  return (key) => keys.has(key);
}
