import { FairleadError, isObject, type JsonObject, printJson, sha256 } from '#base/std';

/** The content of `Chart.lock`: the chosen versions, and the declared dependencies they were chosen for. */
export type ChartLock = {
  readonly file: string;
  readonly digest: string;
  readonly dependencies: readonly JsonObject[];
};

/** Reads the content of a lock; undefined when it is not a lock. */
export function readLock(file: string, content: unknown): ChartLock | undefined {
  if (!isObject(content)) return undefined;
  const { digest, dependencies } = content;
  const list = Array.isArray(dependencies) ? dependencies.filter(isObject) : [];
  return { file, digest: typeof digest === 'string' ? digest : '', dependencies: list };
}

/**
 * Throws RenderFailed when a lock was made for other dependencies than the chart declares (sources HDP-3). `urlOf`
 * gives the URL behind a repository's name, from which the lock was made.
 */
export function checkLock(
  lock: ChartLock,
  declared: readonly JsonObject[],
  urlOf: (repository: string) => string,
): void {
  const resolved = declared.map((one) => ({ ...one, repository: urlOf(textOf(one.repository)) }));
  const [wishes, named] = [declared.map(ordered), resolved.map(ordered)];
  const chosen = lock.dependencies.map(ordered);
  // helm 2 made its locks from the declared dependencies alone
  const digests = [[named, chosen], [wishes, chosen], { dependencies: wishes }].map(digestOf);
  if (digests.includes(lock.digest)) return;
  throw new FairleadError(
    'RenderFailed',
    `${lock.file} is out of sync with the dependencies that ${lock.file.replace(/\.lock$/, '.yaml')} declares: run helm dependency update and commit it`,
  );
}

/** The fields that helm hashes, in the order of its own structure; an empty value is left out. */
function ordered(dependency: JsonObject): JsonObject {
  const { name, version, repository, condition, tags, enabled, alias } = dependency;
  const imports = dependency['import-values'];
  return Object.fromEntries(
    [
      ['name', textOf(name)],
      ['version', textOf(version) || undefined],
      ['repository', textOf(repository)],
      ['condition', textOf(condition) || undefined],
      ['tags', Array.isArray(tags) && tags.length > 0 ? tags : undefined],
      ['enabled', enabled === true || undefined],
      ['import-values', Array.isArray(imports) && imports.length > 0 ? imports.map(sorted) : undefined],
      ['alias', textOf(alias) || undefined],
    ].filter(([, value]) => value !== undefined),
  );
}

/** Go prints the keys of a map in order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, sorted(item)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Go's JSON escapes characters that could end a script. */
const digestOf = (value: unknown): string =>
  `sha256:${sha256(printJson(value).replace(/[<>&\u2028\u2029]/g, escaped))}`;

const escaped = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
