/**
 * From which time on the branches of a set's repositories must have been listed, for sets that a push or a moved repository
 * concerns.
 */
export class RefreshTimes {
  readonly #times = new Map<string, number>();

  note(key: string, at: number): void {
    this.#times.set(key, Math.max(at, this.#times.get(key) ?? at));
  }

  /** Hands the time to a pass, which must note it again when it does not get so far as to read the repositories. */
  take(key: string): number | undefined {
    const at = this.#times.get(key);
    this.#times.delete(key);
    return at;
  }
}
