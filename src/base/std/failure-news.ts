/** The same failure of the same key is news again after this long. */
const repeatMs = 3_600_000;

type Known = { readonly text: string; readonly at: number };

/**
 * Which failures of repeated attempts are news: the first, one with another text, and the same one after an hour. What fails every
 * few seconds would otherwise flood the log. Keys that succeed take no memory.
 */
export class FailureNews<Key> {
  readonly #failing = new Map<Key, Known>();

  /** An attempt failed. */
  isNews(key: Key, text: string, now: Date): boolean {
    const at = now.getTime();
    const known = this.#failing.get(key);
    const isNews = known?.text !== text || at - known.at >= repeatMs;
    if (isNews) this.#failing.set(key, { text, at });
    return isNews;
  }

  /** An attempt succeeded, or there will be no other; true: the one before had failed. */
  ended(key: Key): boolean {
    return this.#failing.delete(key);
  }
}
