import { type Application, normalizeRepoUrl, projectName, type Source } from '#base/model';
import { type Ctx, FairleadError, Tasks } from '#base/std';
import { sourcesOf } from '#engine';

/** Asks a repository for as little as it can be asked for. Throws why it does not answer. */
export type ProbeRepository = (ctx: Ctx, source: Source, project: string) => Promise<void>;

type Outage = {
  readonly source: Source;
  readonly project: string;
  /** Who could not be looked at meanwhile. */
  readonly waiting: Set<string>;
  tries: number;
  isDown: boolean;
};

/** The first question comes soon, for what was only a moment; then one in this while, for as long as it takes. */
const [firstMs, againMs] = [1_000, 5_000];
/** Repositories asked at a time, and of one host. One that hangs makes room for others after a second. */
const [atOnce, ofOneHost] = [32, 8];
const slowMs = 1_000;

/**
 * docs/decisions/0025: repositories that do not answer. However many applications need one, one question at a time is put to
 * it, and the moment it answers all of them are looked at. Without this they would find out one by one, minutes apart.
 */
export class Outages {
  readonly #reaches: ProbeRepository;
  readonly #wake: (key: string) => void;
  readonly #get: (key: string) => Application | undefined;
  readonly #away = new Map<string, Outage>();
  readonly #tasks = new Tasks();
  #begun = 0;
  /** The host of each repository that is being asked and has not been waited for long. */
  readonly #asking: string[] = [];

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

  /** A look failed because one of the repositories did not answer. */
  failed(key: string, app: Application): void {
    for (const source of sourcesOf(app)) {
      const url = normalizeRepoUrl(source.repoURL);
      const known = this.#away.get(url);
      known?.waiting.add(key);
      if (known) continue;
      const waiting = new Set([key]);
      this.#away.set(url, { source, project: projectName(app), waiting, tries: 0, isDown: true });
      this.#tasks.start(`${url} ${++this.#begun}`, (ctx) => this.#ask(ctx, url));
    }
  }

  /** Whether something an application comes from does not answer now. */
  isAway(app: Application): boolean {
    if (this.#away.size === 0) return false;
    return sourcesOf(app).some(({ repoURL }) => this.#away.get(normalizeRepoUrl(repoURL))?.isDown);
  }

  /** A look got what it needed: so may everybody who waits for the same. */
  answered(app: Application): void {
    if (this.#away.size === 0) return;
    for (const { repoURL } of sourcesOf(app)) this.#back(normalizeRepoUrl(repoURL));
  }

  #back(url: string): void {
    const outage = this.#away.get(url);
    this.#away.delete(url);
    this.#wakeAll(outage);
  }

  #wakeAll(outage: Outage | undefined): void {
    const waiting = [...(outage?.waiting ?? [])];
    outage?.waiting.clear();
    for (const key of waiting) this.#wake(key);
  }

  /** Until a look succeeds or nobody waits. */
  async #ask(ctx: Ctx, url: string): Promise<void> {
    const outage = this.#away.get(url);
    while (outage && this.#away.get(url) === outage) {
      await ctx.clock.sleep(outage.tries === 0 ? firstMs : againMs, ctx.signal);
      if (this.#hasRoom(hostOf(url)) && this.#away.get(url) === outage) await this.#askOnce(ctx, url, outage);
    }
  }

  /** That it answers us and yet no look succeeds is told once: from there on the queue retries, ever more slowly. */
  async #askOnce(ctx: Ctx, url: string, outage: Outage): Promise<void> {
    const answers = await this.#counted(ctx, hostOf(url), () => this.#answers(ctx, outage));
    outage.tries += 1;
    if (answers && outage.isDown) this.#wakeAll(outage);
    else if (answers || !this.#isAwaited(outage, url)) this.#away.delete(url);
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
    return this.#asking.length < atOnce && this.#asking.filter((other) => other === host).length < ofOneHost;
  }

  async #counted<Value>(ctx: Ctx, host: string, work: () => Promise<Value>): Promise<Value> {
    const done = new AbortController();
    let isCounted = true;
    const leave = (): void => {
      if (isCounted) this.#asking.splice(this.#asking.indexOf(host), 1);
      isCounted = false;
    };
    this.#asking.push(host);
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
      // whoever refuses us is there
      return FairleadError.from(error).code !== 'Unavailable';
    }
  }
}

/** What of a normalized URL stands before its first slash; repositories of this machine are all of one host. */
const hostOf = (url: string): string => /^(?:[a-z+]+:\/\/)?([^/]*)/.exec(url)?.[1] ?? '';
