import { isObject, type JsonObject } from '#base/std';

/** What is known about the run of a case before its first answer. */
type Run = {
  readonly namespace: string;
  readonly nodes: readonly string[];
  /** Everything the case says itself; what stands there is never masked. */
  readonly source: string;
};

/** The letters Kubernetes makes names and hashes of. */
const safe = 'bcdfghjklmnpqrstvwxz2456789';
const hashInName = new RegExp(`(?<=[a-z0-9>]-)[${safe}]{8,10}(?=$|[^a-z0-9])`, 'g');
const volumeSuffix = new RegExp(`(?<=kube-api-access-)[${safe}]{5}`, 'g');
const hashLabels = new Set(['pod-template-hash', 'controller-revision-hash']);
const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d+))?(?:Z|[+-]\d\d:\d\d)/g;
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** What is masked wherever it stands, with nothing to tell one from another. */
const rest: readonly [RegExp, string][] = [
  [uuid, '<uid>'],
  [new RegExp(`(?<=[Pp]od: \\S+-)[${safe}]{5}$`), '<pod>'],
  [/(?<=\.)[0-9a-f]{15,16}$/, '<event>'],
  [/(?<=-)\d{8}(?=$|[^0-9])/, '<minutes>'],
  [/(?<=resource version: \d+ \()\d+(?=\))|(?<=in record \()\d+|(?<=, current: )\d+/, '<rv>'],
  [/(?<=resourceVersion: ")\d+(?=")/, '<rv>'],
];
const address = /^(?:10|127|172|192)\.\d+\.\d+\.\d+$/;
const agesInTables = new Set(['Age', 'Last Seen', 'First Seen', 'Last Schedule', 'Duration']);
const day = 24 * 3600_000;

/**
 * Replaces what differs from run to run (uids, versions, times, addresses, generated names) by words. The same value
 * gets the same word throughout a case, so that what was equal stays equal.
 */
export class Mask {
  readonly #run: Run;
  /** Whole words for texts met before; longer texts first. */
  readonly #words = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  constructor(run: Run) {
    this.#run = run;
    this.#words.set(run.namespace, '$NS');
    for (const node of run.nodes) this.#words.set(node, '<node>');
  }

  /** A mask that knows what this one knows, and learns for itself from now on. */
  copy(): Mask {
    const copy = new Mask(this.#run);
    for (const [text, word] of this.#words) copy.#words.set(text, word);
    for (const [counter, count] of this.#counts) copy.#counts.set(counter, count);
    return copy;
  }

  /** The value with everything masked. Objects that name themselves are learned first. */
  of(value: unknown): unknown {
    this.#learn(value, '');
    return this.#masked(value, '', '');
  }

  #learn(value: unknown, kind: string): void {
    if (Array.isArray(value)) for (const item of value) this.#learn(item, kind);
    if (!isObject(value)) return;
    const own = typeof value.kind === 'string' ? value.kind.replace(/List$/, '') : kind;
    if (isObject(value.metadata)) this.#learnObject(value.metadata, own);
    if (isObject(value.labels)) this.#learnHashes(value.labels);
    for (const inner of Object.values(value)) this.#learn(inner, own);
  }

  #learnHashes(labels: JsonObject): void {
    for (const key of hashLabels) {
      const hash = String(labels[key] ?? '')
        .split('-')
        .at(-1);
      if (hash && !this.#isSaid(hash)) this.#name(hash, (n) => `<hash ${n}>`, 'hash');
    }
  }

  #learnObject(metadata: JsonObject, kind: string): void {
    const { name, generateName, uid, resourceVersion, labels } = metadata as Record<
      string,
      string | undefined
    >;
    if (isObject(labels)) this.#learnHashes(labels);
    if (!name) return;
    if (generateName && name.startsWith(generateName) && !this.#isSaid(name)) {
      this.#name(name, (n) => `${this.#text(generateName)}<${n}>`, `name ${generateName}`);
    }
    const who = `${kind}/${this.#text(name)}`;
    if (uid && !this.#isSaid(uid)) this.#name(uid, () => `<uid ${who}>`, `uid ${who}`);
    if (resourceVersion) this.#name(`rv ${resourceVersion}`, (n) => `<rv ${who} ${n}>`, `rv ${who}`);
  }

  #name(text: string, word: (n: number) => string, counter: string): string {
    const known = this.#words.get(text);
    if (known !== undefined) return known;
    const n = (this.#counts.get(counter) ?? 0) + 1;
    this.#counts.set(counter, n);
    const made = word(n);
    this.#words.set(text, made);
    return made;
  }

  #isSaid(text: string): boolean {
    return this.#run.source.includes(text);
  }

  #masked(value: unknown, key: string, parent: string): unknown {
    if (typeof value === 'string') return this.#field(value, key);
    if (typeof value === 'number' && /nodePort$/i.test(key) && !this.#isSaid(String(value))) {
      return this.#name(`port ${value}`, (n) => `<port ${n}>`, 'port');
    }
    if (Array.isArray(value)) return value.map((item) => this.#masked(item, '', key || parent));
    if (!isObject(value)) return value;
    const fields = isTable(value) ? withoutAges(value) : withSortedManagers(withoutListVersion(value));
    return Object.fromEntries(
      Object.entries(fields).map(([name, inner]) => [this.#text(name), this.#masked(inner, name, key)]),
    );
  }

  #field(value: string, key: string): string {
    if (key === 'resourceVersion' && /^\d{2,}$/.test(value)) return this.#words.get(`rv ${value}`) ?? '<rv>';
    if (key === 'continue' && value !== '') return '<continue>';
    if (address.test(value) && !this.#isSaid(value)) {
      return this.#name(value, (n) => `<ip ${n}>`, 'ip');
    }
    if (/-----BEGIN |^LS0tLS1CRUdJTi/.test(value)) return '<pem>';
    if (/^ey[\w-]+\.[\w-]+\.[\w-]+$/.test(value)) return '<token>';
    return this.#text(value);
  }

  #text(value: string): string {
    let text = value.replace(instant, (time, fraction?: string) => masksTime(time, fraction));
    const words = [...this.#words].filter(([known]) => known.length > 3 && text.includes(known));
    for (const [known, word] of words.sort(([a], [b]) => b.length - a.length))
      text = text.replaceAll(known, word);
    const counted = (what: string) => (found: string) =>
      this.#isSaid(found) ? found : this.#name(found, (n) => `<${what} ${n}>`, what);
    text = text.replace(hashInName, counted('hash')).replace(volumeSuffix, counted('volume'));
    for (const [pattern, word] of rest)
      text = text.replace(pattern, (found) => (this.#isSaid(found) ? found : word));
    return text;
  }
}

/** Times of this run are masked; those a case made up are far from now and stay. */
function masksTime(time: string, fraction: string | undefined): string {
  const isNow = Math.abs(Date.parse(time) - Date.now()) < 30 * day;
  if (!isNow) return time;
  return fraction === undefined ? '<time>' : '<micro time>';
}

/** A list's version, or a bookmark's, is whatever else has happened in the cluster by then. */
const withoutListVersion = (value: JsonObject): JsonObject =>
  typeof value.resourceVersion === 'string' && value.resourceVersion.length > 1 && value.name === undefined
    ? { ...value, resourceVersion: '<rv>' }
    : value;

/** Managers come by the second they wrote in; a slow machine must not decide their order. */
function withSortedManagers(value: JsonObject): JsonObject {
  const { managedFields } = value;
  if (!Array.isArray(managedFields)) return value;
  const keyOf = ({ operation, manager, subresource, apiVersion }: JsonObject) =>
    [operation, manager, subresource, apiVersion].join(' ');
  return {
    ...value,
    managedFields: managedFields.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
  };
}

const isTable = (value: JsonObject): boolean => value.kind === 'Table' && Array.isArray(value.rows);

/** A table whose ages are words: they depend on how quick the machine is. */
function withoutAges(table: JsonObject): JsonObject {
  const columns = Array.isArray(table.columnDefinitions) ? (table.columnDefinitions as JsonObject[]) : [];
  const isAge = columns.map(({ name }) => agesInTables.has(String(name)));
  const rows = (table.rows as JsonObject[]).map((row) => ({
    ...row,
    cells: (row.cells as unknown[]).map((cell, at) =>
      (isAge[at] ?? columns.length === 0) && /^\d+[smhd]/.test(String(cell)) ? '<age>' : cell,
    ),
  }));
  return { ...table, rows };
}
