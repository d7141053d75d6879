import { FairleadError } from '#base/std';
import type { KubeResponse, Transport } from '#kubernetes/client';
import { type Commits, Life } from './control-plane.ts';
import { HookCount, outcomeOf } from './outcome.ts';
import { chapters, play, repositoryBefore } from './shop.ts';
import { furnished, type Snapshot, Stage } from './stage.ts';

/** Death at a request to the cluster: `before` it is sent, or `after` it was done and before the answer is heard. */
type Death = { readonly at: number; readonly when: 'before' | 'after'; readonly downMs: number };

/** What goes wrong in a run. */
export type Trouble = {
  readonly deaths: readonly Death[];
  /** How long a request, and again its answer, is on its way; left out: no time at all. */
  readonly delayMs?: () => number;
};

export type Played = {
  readonly outcome: unknown;
  /** How often each hook was made. */
  readonly hooks: Readonly<Record<string, number>>;
  /** Requests for single objects, the points at which a process may die. */
  readonly requests: number;
};

type Request = Parameters<Transport>[0];

export type Chapter = {
  readonly index: number;
  readonly from: Snapshot;
  readonly at: Date;
  readonly undisturbed: Played;
};

/** Every chapter undisturbed, or the first so many, and how the cluster was when each began. */
export async function chaptersPlayed(most = chapters.length): Promise<readonly Chapter[]> {
  const played: Chapter[] = [];
  let [from, at] = [await furnished(), new Date('2026-06-01T08:00:00Z')];
  for (const index of chapters.slice(0, most).keys()) {
    const begin = { from, at };
    const undisturbed = await playChapter(begin, index, { deaths: [] }, (stage) => {
      from = stage.cluster.snapshot();
      at = stage.clock.now();
    });
    played.push({ index, ...begin, undisturbed });
  }
  return played;
}

/** Plays a chapter with a controller that dies at the given requests and is started anew each time. */
export async function playChapter(
  { from, at }: { readonly from: Snapshot; readonly at: Date },
  index: number,
  trouble: Trouble,
  atEnd: (stage: Stage) => void = () => {},
): Promise<Played> {
  const chapter = chapters[index];
  if (!chapter) throw new Error(`no chapter ${index}`);
  const stage = await Stage.open(from, at);
  const repo = repositoryBefore(index);
  const count = new HookCount(stage, () => repo.head);
  const mortal = new Mortal(stage, repo, trouble);
  const living = mortal.live();
  try {
    await play(stage, repo, chapter);
    atEnd(stage);
    const outcome = outcomeOf(stage);
    const hooks = await count.end();
    if (count.repeated.length > 0) throw new Error(`hooks ran twice: ${count.repeated.join(', ')}`);
    return { outcome, hooks, requests: mortal.requests };
  } finally {
    mortal.retire();
    await living;
    await stage.close();
  }
}

/** A controller that dies as planned, loses all it had in memory, and is started again after a while. */
class Mortal {
  requests = 0;
  readonly #stage: Stage;
  readonly #repo: Commits;
  readonly #trouble: Trouble;
  readonly #retired = new AbortController();
  #onDeath: (death: Death | undefined) => void = () => {};

  constructor(stage: Stage, repo: Commits, trouble: Trouble) {
    this.#stage = stage;
    this.#repo = repo;
    this.#trouble = trouble;
  }

  async live(): Promise<void> {
    const { clock } = this.#stage;
    while (!this.#retired.signal.aborted) {
      const died = new Promise<Death | undefined>((resolve) => {
        this.#onDeath = resolve;
      });
      const end = new AbortController();
      const life = new Life(this.#stage, {
        transport: this.#transport(end),
        end,
        generate: this.#repo.generate,
        watch: (ctx) => this.#repo.watch(ctx),
      });
      const death = await died;
      await this.#stage.during(life.end()); // dying takes a moment, and time must not run out meanwhile
      if (death) await clock.sleep(death.downMs, this.#retired.signal).catch(() => {});
    }
  }

  retire(): void {
    this.#retired.abort();
    this.#onDeath(undefined);
  }

  #transport(end: AbortController): Transport {
    return async (request) => {
      if (end.signal.aborted) throw gone();
      const death = this.#deathAt(request);
      const die = () => {
        end.abort();
        this.#onDeath(death);
        return gone();
      };
      if (death?.when === 'before') throw die();
      const answer = await Promise.race([this.#answer(request), endOf(end.signal)]);
      if (end.signal.aborted || !answer) throw gone();
      if (death) throw die();
      return answer;
    };
  }

  #deathAt(request: Request): Death | undefined {
    if (!isOfOneObject(request)) return undefined;
    this.requests += 1;
    return this.#trouble.deaths.find(({ at }) => at === this.requests);
  }

  /** A request that was sent arrives, even if its process is dead by then. */
  async #answer(request: Request): Promise<KubeResponse> {
    await this.#delay();
    const answer = await this.#stage.transport(request);
    await this.#delay();
    return answer;
  }

  async #delay(): Promise<void> {
    const ms = this.#trouble.delayMs?.() ?? 0;
    if (ms > 0) await this.#stage.clock.sleep(ms, this.#retired.signal).catch(() => {});
  }
}

/** What goes wrong in a run, told by its seed alone. */
export function troubleOf(seed: number, requests: number): Trouble {
  const deaths = deathsOf(seed, requests);
  if (seed % 4 !== 0) return { deaths };
  const random = randomFrom(seed + 1);
  return { deaths, delayMs: () => (random() < 0.15 ? Math.floor(random() * 1_500) : 0) };
}

/** When and how often the controller dies in a run, told by its seed alone. */
function deathsOf(seed: number, requests: number): Death[] {
  const random = randomFrom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  return Array.from({ length: 1 + below(3) }, () => ({
    at: 1 + below(requests),
    when: random() < 0.5 ? 'before' : 'after',
    downMs: random() < 0.5 ? 0 : below(8_000),
  }));
}

/** Numbers in [0, 1) that follow from the seed (a linear congruence, whose upper bits are good enough). */
function randomFrom(seed: number): () => number {
  let state = BigInt(seed) * 2654435761n;
  return () => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number(state >> 32n) / 2 ** 32;
  };
}

const endOf = (signal: AbortSignal) =>
  new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });

const gone = (): FairleadError => new FairleadError('Unavailable', 'the process is dead');

/** Lists, watches and discovery are what every start begins with; what is done is done to single objects. */
const isOfOneObject = ({ method, path }: { method: string; path: string }): boolean =>
  method !== 'GET' || /\/(applications|configmaps|deployments|jobs)\/[^/?]+$/.test(path);
