/** One message of Knative's webhook, with the fields it is about. */
export type KnativeProblem = {
  readonly message: string;
  readonly paths: readonly string[];
  readonly details?: string;
  /** Shown to the user; the object is accepted. */
  readonly isWarning?: boolean;
};

export const said = (message: string, ...paths: string[]): KnativeProblem => ({ message, paths });
export const missing = (...paths: string[]): KnativeProblem => said('missing field(s)', ...paths);
export const disallowed = (...paths: string[]): KnativeProblem => said('must not set the field(s)', ...paths);
export const neither = (...paths: string[]): KnativeProblem =>
  said('expected exactly one, got neither', ...paths);
export const both = (...paths: string[]): KnativeProblem => said('expected exactly one, got both', ...paths);
export const invalid = (value: unknown, path: string): KnativeProblem =>
  said(`invalid value: ${value}`, path);

export const outOfBounds = (value: unknown, lower: unknown, upper: unknown, path: string): KnativeProblem =>
  said(`expected ${lower} <= ${value} <= ${upper}`, path);

export const explained = (problem: KnativeProblem, details: string): KnativeProblem => ({
  ...problem,
  details,
});

/** The same problems with a prefix before their paths. */
export const under = (prefix: string, problems: readonly KnativeProblem[]): KnativeProblem[] =>
  problems.map((problem) => ({ ...problem, paths: problem.paths.map((path) => joined(prefix, path)) }));

/** compat cluster 5.6: an empty path is the field itself, and an index is appended without a dot. */
function joined(prefix: string, path: string): string {
  if (path === '' || prefix === '') return prefix + path;
  return /^\[[^.]*\]/.test(path) ? prefix + path : `${prefix}.${path}`;
}

export const each = <T>(
  items: readonly T[] | undefined,
  judge: (item: T, index: number) => KnativeProblem[],
) => (items ?? []).flatMap((item, index) => under(`[${index}]`, judge(item, index)));

/** compat cluster 5.6: a message about several fields is printed once; the messages are in alphabetical order. */
export function sentences(problems: readonly KnativeProblem[]): string[] {
  const merged = new Map<string, KnativeProblem>();
  for (const found of problems) {
    const key = `${found.message}\0${found.details ?? ''}`;
    const known = merged.get(key);
    merged.set(key, known ? { ...known, paths: [...known.paths, ...found.paths] } : found);
  }
  const order = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
  return [...merged.values()]
    .sort((a, b) => order(a.message, b.message) || order(a.details ?? '', b.details ?? ''))
    .map(sentence);
}

function sentence({ message, paths, details }: KnativeProblem): string {
  const fields = [...new Set(paths)].sort().join(', ');
  return `${message}: ${fields}${details ? `\n${details}` : ''}`;
}

/** Every field that is set although it may not be; as in Go, an empty list or string counts as not set. */
export function unmasked(value: object | undefined, mayBeSet: (field: string) => boolean): KnativeProblem[] {
  const wrong = Object.keys(value ?? {}).filter((field) => !mayBeSet(field));
  return wrong.length > 0 ? [disallowed(...wrong)] : [];
}
