import { type Ctx, FairleadError, joined, runAll, silent, type Task, within } from '#base/std';
import { LeaderLease, type LeaseOptions, type LeaseState } from './lease.ts';

export type LeadershipOptions = Omit<LeaseOptions, 'leaseMs'> & {
  readonly timing?: LeadershipTiming;
  /** Called when this process starts and stops leading. Must not throw. */
  onLeading?(isLeading: boolean): void;
  /** In [0, 1); the source of jitter. */
  readonly random?: () => number;
};

/** The lease duration; the renew deadline, after which a leader stops by itself; the retry period. */
type LeadershipTiming = {
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly retryMs: number;
};

/** The defaults of Kubernetes controllers. */
const usual: LeadershipTiming = { leaseMs: 15_000, renewMs: 10_000, retryMs: 2_000 };

/** Standbys do not all retry in the same moment: up to this much of the interval is added. */
const jitter = 1.2;

/** How long a stopping process tries to release the Lease. */
const releaseMs = 3_000;

/**
 * Of all processes with one Lease, at most one runs `lead` at a time; the others run `follow`. A leader that cannot renew
 * stops leading before its lease ends, and competes again. Returns when `ctx` stops, having released the Lease; throws what
 * `lead` or `follow` throw, and PermissionDenied when we may not access the Lease at all.
 */
export async function runAsLeader(
  ctx: Ctx,
  options: LeadershipOptions,
  { lead, follow = async () => {} }: { readonly lead: Task; readonly follow?: Task },
): Promise<void> {
  const { leaseMs } = options.timing ?? usual;
  const candidate: Candidate = { options, lease: new LeaderLease({ ...options, leaseMs }) };
  while (!ctx.signal.aborted) {
    const term = await standBy(ctx, candidate, follow);
    if (term) await serve(ctx, candidate, { term, lead });
  }
}

type Candidate = { readonly options: LeadershipOptions; readonly lease: LeaderLease };

const timingOf = ({ options }: Candidate): LeadershipTiming => options.timing ?? usual;

/** Follows until this process acquires the Lease; undefined when `ctx` stopped first. */
async function standBy(ctx: Ctx, candidate: Candidate, follow: Task): Promise<Term | undefined> {
  const won = new AbortController();
  let term: Term | undefined;
  const either = joined(ctx.signal, won.signal);
  const inner = { ...ctx, signal: either.signal };
  await runAll(inner, [
    follow,
    async (one) => {
      term = await campaign(one, candidate);
      won.abort();
    },
  ]).finally(either.release);
  return term;
}

/**
 * Time is measured by our own sleeps since the last observed renewal: they are never shorter than requested, whatever any
 * wall clock does, and the duration of requests comes on top.
 */
async function campaign(ctx: Ctx, candidate: Candidate): Promise<Term | undefined> {
  const { random = Math.random } = candidate.options;
  const { retryMs } = timingOf(candidate);
  let heard = { version: '', forMs: 0 };
  while (!ctx.signal.aborted) {
    const seen = await attempt(ctx, candidate, heard);
    if (seen instanceof Term) return seen;
    if (seen && seen.version !== heard.version) {
      if (heard.version === '') ctx.log.info('standing by', { leader: seen.holder });
      heard = { version: seen.version, forMs: 0 };
    }
    const napMs = retryMs * (1 + random() * jitter);
    await ctx.clock.sleep(napMs, ctx.signal).catch(() => {});
    heard = { ...heard, forMs: heard.forMs + napMs };
  }
  return undefined;
}

/** One attempt. Undefined: the API server is unreachable, or another process was first. */
async function attempt(
  ctx: Ctx,
  candidate: Candidate,
  heard: { readonly version: string; readonly forMs: number },
): Promise<Term | LeaseState | undefined> {
  const { lease, options } = candidate;
  const { renewMs } = timingOf(candidate);
  try {
    const patient = within(ctx, renewMs / 2);
    const seen = await lease.read(patient);
    const isSilent = seen?.version === heard.version && heard.forMs >= (seen?.leaseMs ?? 0);
    const isFree = !seen || seen.holder === '' || seen.holder === options.identity || isSilent;
    if (!isFree) return seen;
    const term = new Term(ctx, renewMs);
    if (await lease.claim(patient).catch((error: unknown) => term.endWith(error))) return term;
    await term.end();
    return undefined;
  } catch (error) {
    if (ctx.signal.aborted) return undefined;
    const { code, message } = FairleadError.from(error);
    if (code === 'PermissionDenied')
      throw new FairleadError(
        'PermissionDenied',
        `the Lease ${options.namespace}/${options.name}, which decides who leads, cannot be used: ${message}`,
        error,
      );
    ctx.log.warn('leader election failed', { error });
    return undefined;
  }
}

/** Leads until `ctx` stops or the term ends; releases the Lease when all tasks have stopped. */
async function serve(
  ctx: Ctx,
  candidate: Candidate,
  { term, lead }: { readonly term: Term; readonly lead: Task },
): Promise<void> {
  const { lease, options } = candidate;
  const either = joined(ctx.signal, term.over);
  const inner = { ...ctx, signal: either.signal };
  ctx.log.info('leading', { identity: options.identity });
  options.onLeading?.(true);
  try {
    await runAll(inner, [lead, (one) => keep(one, candidate, term)]);
  } finally {
    const isLost = term.over.aborted;
    either.release();
    await term.end();
    options.onLeading?.(false);
    if (isLost) ctx.log.warn('leadership lost', { identity: options.identity });
    // ctx may have stopped, which is why we release: the release has its own time limit
    else await lease.release(within({ ...ctx, log: silent, signal: never }, releaseMs)).catch(() => {});
  }
}

const never = new AbortController().signal;

/** Renews; the term counts from the start of the request, the standbys' wait begins no earlier. */
async function keep(ctx: Ctx, candidate: Candidate, term: Term): Promise<void> {
  const { lease } = candidate;
  const { retryMs, renewMs } = timingOf(candidate);
  while (!ctx.signal.aborted) {
    await ctx.clock.sleep(retryMs, ctx.signal).catch(() => {});
    if (ctx.signal.aborted) return;
    const fuse = term.light(ctx);
    try {
      const isOurs = await renew(within(ctx, renewMs / 2), candidate, lease);
      if (isOurs) await term.extend(fuse);
      else await term.end();
    } catch (error) {
      await fuse.putOut();
      if (!ctx.signal.aborted) ctx.log.warn('lease not renewed', { error });
    }
  }
}

/** False when another process holds it. A write by another client, or the deletion of the object, does not end our lease. */
async function renew(ctx: Ctx, { options }: Candidate, lease: LeaderLease): Promise<boolean> {
  for (;;) {
    if (await lease.claim(ctx)) return true;
    const seen = await lease.read(ctx);
    if (seen && seen.holder !== options.identity) return false;
  }
}

/** A timeout that can be cancelled. */
class Fuse {
  readonly #out = new AbortController();
  readonly #done: Promise<void>;

  constructor({ clock }: Pick<Ctx, 'clock'>, ms: number, onEnd: () => void) {
    this.#done = clock.sleep(ms, this.#out.signal).then(onEnd, () => {});
  }

  async putOut(): Promise<void> {
    this.#out.abort();
    await this.#done;
  }
}

/** The time in which we may act as leader: it ends a while after the start of the last successful renewal request. */
class Term {
  readonly #over = new AbortController();
  readonly #ms: number;
  #fuse: Fuse;

  /** Begins before the claim is sent. */
  constructor(ctx: Pick<Ctx, 'clock'>, ms: number) {
    this.#ms = ms;
    this.#fuse = this.light(ctx);
  }

  /** Aborts when we may no longer act as leader. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  light(ctx: Pick<Ctx, 'clock'>): Fuse {
    return new Fuse(ctx, this.#ms, () => this.#over.abort());
  }

  async extend(fuse: Fuse): Promise<void> {
    const old = this.#fuse;
    this.#fuse = fuse;
    await old.putOut();
  }

  async end(): Promise<void> {
    this.#over.abort();
    await this.#fuse.putOut();
  }

  async endWith(error: unknown): Promise<never> {
    await this.end();
    throw error;
  }
}
