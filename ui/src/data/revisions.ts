import { type Clock, realClock } from '#base/std';
import { applications, call, type RevisionMetadata, type Send } from '#serve/api';

export type RevisionRef = {
  readonly namespace: string;
  readonly name: string;
  readonly repo: string;
  readonly revision: string;
};

const staysMs = 200; // a row that is scrolled past is gone before
const atOnce = 4; // a list of forty applications must not keep the stream from its connection

/** The metadata of commits. A commit never changes, so it is fetched once. */
export class Revisions {
  readonly #send: Send;
  readonly #clock: Clock;
  readonly #known = new Map<string, RevisionMetadata>();
  readonly #requested = new Map<string, Promise<RevisionMetadata>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(send: Send, clock: Clock = realClock) {
    this.#send = send;
    this.#clock = clock;
  }

  known({ repo, revision }: RevisionRef): RevisionMetadata | undefined {
    return this.#known.get(`${repo} ${revision}`);
  }

  /** Rejects when the server has no metadata; the next call fetches again. */
  request(ref: RevisionRef): Promise<RevisionMetadata> {
    const key = `${ref.repo} ${ref.revision}`;
    const requested = this.#requested.get(key) ?? this.#fetch(ref, key);
    this.#requested.set(key, requested);
    return requested;
  }

  /** For a row of a long list: requested once it has stayed, so that a scroll does not request all that it passes. */
  async requestOnceSettled(ref: RevisionRef, gone: AbortSignal): Promise<RevisionMetadata> {
    await this.#clock.sleep(staysMs, gone);
    return this.request(ref);
  }

  async #fetch({ namespace, name, revision }: RevisionRef, key: string): Promise<RevisionMetadata> {
    if (this.#running >= atOnce) await new Promise<void>((go) => this.#waiting.push(go));
    this.#running += 1;
    try {
      const metadata = await call(this.#send, applications.revision, {
        params: { name, revision },
        query: { appNamespace: namespace },
      });
      this.#known.set(key, metadata);
      return metadata;
    } catch (error) {
      this.#requested.delete(key);
      throw error;
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }
}
