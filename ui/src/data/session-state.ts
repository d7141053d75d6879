/** Whether the session ended while the user was at work; the page then keeps what was typed, and signs in over it. */
export class SessionState {
  readonly #listeners = new Set<() => void>();
  #hasEnded = false;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly hasEnded = (): boolean => this.#hasEnded;

  end(): void {
    this.#set(true);
  }

  restore(): void {
    this.#set(false);
  }

  #set(hasEnded: boolean): void {
    if (this.#hasEnded === hasEnded) return;
    this.#hasEnded = hasEnded;
    for (const listener of this.#listeners) listener();
  }
}
