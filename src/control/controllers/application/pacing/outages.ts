import { type Application, normalizeRepoUrl, projectName, type Source, withoutUserInfo } from '#base/model';
import { type Ctx, FairleadError, Tasks } from '#base/std';
import { sourcesOf } from '#engine';

/** Sends a repository the cheapest possible request. Throws why it is unreachable. */
export type ProbeRepository = (ctx: Ctx, source: Source, project: string) => Promise<void>;

type Outage = {
  readonly source: Source;
  readonly project: string;
  /** Applications whose refresh failed meanwhile. */
  readonly waiting: Set<string>;
  tries: number;
  isDown: boolean;
};

/** The first probe comes soon, for short outages; then one per interval until the repository is reachable. */
const [firstMs, againMs] = [1_000, 5_000];
/** Concurrent probes in total, and per host. A probe that hangs stops counting after a second. */
const [atOnce, ofOneHost] = [32, 8];
const slowMs = 1_000;

/**
 * docs/decisions/0025: unreachable repositories. However many applications need one, it gets one probe at a time, and all of
 * them are refreshed as soon as it responds. Without this each would find out by its own retries, minutes apart.
 */
export class Outages {
  readonly #reaches: ProbeRepository;
  readonly #wake: (key: string) => void;
  readonly #get: (key: string) => Application | undefined;
  readonly #unreachable = new Map<string, Outage>();
  readonly #tasks = new Tasks();
  #begun = 0;
  /** The host of each probe under way that has not been slow yet. */
  readonly #probing: string[] = [];

  constructor(options: {
    readonly reaches: ProbeRepository;
    wake(key: string): void;
    get(key: string): Application | undefined;
  }) {
    this.#reaches = options.reaches;
    this.#wake = (key) => options.wake(key);
    this.#get = (key) => options.get(key);
  }

  run(ctx: Ctx): Promise<void> {
    return this.#tasks.run(
      ctx,
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    );
  }

  /** A refresh failed because one of the application's repositories is unreachable. */
  failed(key: string, app: Application): void {
    for (const source of sourcesOf(app)) {
      const url = normalizeRepoUrl(source.repoURL);
      const known = this.#unreachable.get(url);
      known?.waiting.add(key);
      if (known) continue;
      const waiting = new Set([key]);
      this.#unreachable.set(url, { source, project: projectName(app), waiting, tries: 0, isDown: true });
      this.#tasks.start(`${url} ${++this.#begun}`, (ctx) => this.#probe(ctx, url));
    }
  }

  /** Whether a repository of an application is unreachable now. */
  isUnreachable(app: Application): boolean {
    if (this.#unreachable.size === 0) return false;
    return sourcesOf(app).some(({ repoURL }) => this.#unreachable.get(normalizeRepoUrl(repoURL))?.isDown);
  }

  /** A refresh succeeded: so may those of all applications that wait for the same repositories. */
  answered(app: Application): void {
    if (this.#unreachable.size === 0) return;
    for (const { repoURL } of sourcesOf(app)) this.#back(normalizeRepoUrl(repoURL));
  }

  #back(url: string): void {
    const outage = this.#unreachable.get(url);
    if (!outage) return;
    this.#unreachable.delete(url);
    outage.isDown = false;
    this.#wakeAll(outage);
  }

  #wakeAll(outage: Outage): void {
    const waiting = [...outage.waiting];
    outage.waiting.clear();
    for (const key of waiting) this.#wake(key);
  }

  /** Probes until a refresh succeeds or no application waits. */
  async #probe(ctx: Ctx, url: string): Promise<void> {
    const outage = this.#unreachable.get(url);
    if (!outage) return;
    const log = ctx.log.with({ repository: withoutUserInfo(outage.source.repoURL) });
    log.warn('repository is unreachable: it is probed until it responds', {
      applications: outage.waiting.size,
    });
    while (this.#unreachable.get(url) === outage) {
      await ctx.clock.sleep(outage.tries === 0 ? firstMs : againMs, ctx.signal);
      if (this.#hasRoom(hostOf(url)) && this.#unreachable.get(url) === outage)
        await this.#probeOnce(ctx, url, outage);
    }
    if (!outage.isDown) log.info('repository is reachable again');
  }

  /**
   * Refreshes the waiting applications once when the probe succeeds; if their refreshes still fail, the queue retries with
   * its backoff.
   */
  async #probeOnce(ctx: Ctx, url: string, outage: Outage): Promise<void> {
    const answers = await this.#counted(ctx, hostOf(url), () => this.#answers(ctx, outage));
    outage.tries += 1;
    if (answers && outage.isDown) this.#wakeAll(outage);
    else if (answers || !this.#isAwaited(outage, url)) this.#unreachable.delete(url);
    outage.isDown = !answers;
  }

  #isAwaited({ waiting }: Outage, url: string): boolean {
    const isOf = (app: Application): boolean =>
      sourcesOf(app).some(({ repoURL }) => normalizeRepoUrl(repoURL) === url);
    return [...waiting].some((key) => {
      const app = this.#get(key);
      return app !== undefined && isOf(app);
    });
  }

  #hasRoom(host: string): boolean {
    return (
      this.#probing.length < atOnce && this.#probing.filter((other) => other === host).length < ofOneHost
    );
  }

  async #counted<Value>(ctx: Ctx, host: string, work: () => Promise<Value>): Promise<Value> {
    const done = new AbortController();
    let isCounted = true;
    const leave = (): void => {
      if (isCounted) this.#probing.splice(this.#probing.indexOf(host), 1);
      isCounted = false;
    };
    this.#probing.push(host);
    ctx.clock.sleep(slowMs, done.signal).then(leave, () => {});
    try {
      return await work();
    } finally {
      done.abort();
      leave();
    }
  }

  async #answers(ctx: Ctx, { source, project }: Outage): Promise<boolean> {
    try {
      await this.#reaches(ctx, source, project);
      return true;
    } catch (error) {
      ctx.signal.throwIfAborted();
      // a host that refuses the request is reachable
      return FairleadError.from(error).code !== 'Unavailable';
    }
  }
}

/** The part of a normalized URL before its first slash; repositories of this machine share one host. */
const hostOf = (url: string): string => /^(?:[a-z+]+:\/\/)?([^/]*)/.exec(url)?.[1] ?? '';
