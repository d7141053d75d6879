import { type Ctx, Tasks } from '#base/std';

type Deps = {
  watchRepository(ctx: Ctx, repoURL: string): AsyncIterable<void>;
  /** Called with the URL of a repository whenever it may have changed. */
  moved(repoURL: string): void;
};

/** Watches the repositories on this machine that git generators read: one watch for each, however many sets read it. */
export class LocalRepositories {
  readonly #deps: Deps;
  readonly #watches = new Tasks();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Starts the watch of a repository on this machine; other repositories are polled. */
  watch(repoURL: string): void {
    if (!isLocal(repoURL)) return;
    this.#watches.start(repoURL, async (ctx) => {
      for await (const _moved of this.#deps.watchRepository(ctx, repoURL)) this.#deps.moved(repoURL);
    });
  }

  async run(ctx: Ctx): Promise<void> {
    await this.#watches.run(ctx, (inner) => {
      return new Promise((resolve) => {
        inner.signal.addEventListener('abort', () => resolve(), { once: true });
      });
    });
  }
}

const isLocal = (repoURL: string): boolean => repoURL.startsWith('/') || repoURL.startsWith('file:');
