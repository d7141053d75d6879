import { FairleadError } from '#base/std';
import type { Transport } from '#kubernetes/client';
import { type Commits, Life } from './control-plane.ts';
import { HookCount, outcomeOf } from './outcome.ts';
import { chapters, play, repositoryBefore } from './shop.ts';
import { furnished, type Snapshot, Stage } from './stage.ts';

/** Death at a request to the cluster: `before` it is sent, or `after` it was done and before the answer is heard. */
export type Death = { readonly at: number; readonly when: 'before' | 'after'; readonly downMs: number };

export type Played = {
  readonly outcome: unknown;
  /** How often each hook was made. */
  readonly hooks: Readonly<Record<string, number>>;
  /** Requests for single objects, the points at which a process may die. */
  readonly requests: number;
};

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
    const undisturbed = await playChapter(begin, index, [], (stage) => {
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
  deaths: readonly Death[],
  atEnd: (stage: Stage) => void = () => {},
): Promise<Played> {
  const chapter = chapters[index];
  if (!chapter) throw new Error(`no chapter ${index}`);
  const stage = await Stage.open(from, at);
  const repo = repositoryBefore(index);
  const count = new HookCount(stage, () => repo.head);
  const mortal = new Mortal(stage, repo, deaths);
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
  readonly #deaths: readonly Death[];
  readonly #retired = new AbortController();
  #onDeath: (death: Death | undefined) => void = () => {};

  constructor(stage: Stage, repo: Commits, deaths: readonly Death[]) {
    this.#stage = stage;
    this.#repo = repo;
    this.#deaths = deaths;
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
    const { transport } = this.#stage;
    return async (request) => {
      if (end.signal.aborted) throw gone();
      const death = isOfOneObject(request)
        ? this.#deaths.find(({ at }) => at === this.requests + 1)
        : undefined;
      if (isOfOneObject(request)) this.requests += 1;
      const die = () => {
        end.abort();
        if (death) this.#onDeath(death);
        return gone();
      };
      if (death?.when === 'before') throw die();
      const answer = await transport(request);
      if (death) throw die();
      if (end.signal.aborted) throw gone();
      return answer;
    };
  }
}

/** When and how often the controller dies in a run, told by its seed alone. */
export function deathsOf(seed: number, requests: number): Death[] {
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

const gone = (): FairleadError => new FairleadError('Unavailable', 'the process is dead');

/** Lists, watches and discovery are what every start begins with; what is done is done to single objects. */
const isOfOneObject = ({ method, path }: { method: string; path: string }): boolean =>
  method !== 'GET' || /\/(applications|configmaps|deployments|jobs)\/[^/?]+$/.test(path);
