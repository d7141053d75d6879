/** Which branches of a tree are closed: some, or all but some. */
type Closed = { has(key: string): boolean };

const listOf = (query: URLSearchParams, name: string): string[] =>
  (query.get(name) ?? '').split(',').filter(Boolean);

/** The branches and crowds as the address has them: `fold=all`, then the exceptions, or the keys that are closed. */
export function foldingOf(query: URLSearchParams): { closed: Closed; open: ReadonlySet<string> } {
  const [keys, open] = [new Set(listOf(query, 'fold')), new Set(listOf(query, 'spread'))];
  const areAllClosed = keys.has('all');
  return { closed: { has: (key) => keys.has(key) !== areAllClosed }, open };
}

/** The parameter after a branch was opened or closed. */
export function withFold(query: URLSearchParams, key: string): string {
  const keys = new Set(listOf(query, 'fold'));
  if (!keys.delete(key)) keys.add(key);
  return [...keys].join(',');
}

/** The parameter after a crowd was spread out. */
export const withSpread = (query: URLSearchParams, crowd: string): string =>
  [...new Set([...listOf(query, 'spread'), crowd])].join(',');
