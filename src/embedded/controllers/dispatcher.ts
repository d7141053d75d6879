import { setMaxListeners } from 'node:events';
import { setImmediate as letOthersIn } from 'node:timers/promises';
import { type Backoff, type Ctx, delayOf, FairleadError, runAll } from '#base/std';
import type { StoredEvent, TypeRef } from '#embedded/apiserver';
import { StatusError } from '#embedded/apiserver';
import { KeyedQueue } from './keyed-queue.ts';
import {
  type Controller,
  type Key,
  keyOfObject,
  nowOf,
  type SimulationContext,
  type Wake,
} from './simulation-context.ts';
import { all, isTerminating, storedObject } from './write.ts';

/** A write reaches the watches within one or two iterations of the event loop; a few more make sure. */
const quietTurns = 4;

const backoff: Backoff = { initialMs: 50, factor: 2, maxMs: 5 * 60_000 };

/** Runs controllers: watch events become keys in a queue, and each key a pass. */
export type Dispatch = {
  /** Until `ctx` stops or the cluster closes. */
  run(ctx: Ctx): Promise<void>;
  /** Resolves when no pass is due now and no key was added for several iterations of the event loop. */
  settled(): Promise<void>;
  /** When the next pass is due without any change; undefined when none is. */
  readonly nextAt: number | undefined;
};

export function createDispatch(context: SimulationContext, controllers: readonly Controller[]): Dispatch {
  const over = new AbortController();
  const dispatcher = new Dispatcher(context, controllers, () => over.abort());
  return {
    run: (ctx) => run(ctx, dispatcher, over.signal, context.settings.workers),
    settled: () => dispatcher.settled(),
    get nextAt() {
      return dispatcher.nextAt;
    },
  };
}

async function run(ctx: Ctx, dispatcher: Dispatcher, over: AbortSignal, count: number): Promise<void> {
  const inner = { ...ctx, signal: AbortSignal.any([ctx.signal, over]) };
  const workers = Array.from({ length: count }, () => (c: Ctx) => dispatcher.work(c));
  await runAll(inner, [
    (c) => dispatcher.closeWith(c),
    ...dispatcher.types.map((type) => (c: Ctx) => dispatcher.follow(c, type)),
    () => dispatcher.keepTime(),
    ...workers,
  ]);
}

type Source = { readonly type: TypeRef; readonly wakes: (readonly [Controller, Wake])[] };

class Dispatcher {
  readonly #context: SimulationContext;
  readonly #controllers = new Map<string, Controller>();
  readonly #sources = new Map<string, Source>();
  readonly #queue = new KeyedQueue();
  readonly #failures = new Map<string, number>();
  readonly #onEnd: () => void;
  /** How many keys were added to the queue: it stays the same while nothing happens. */
  #stirs = 0;

  constructor(context: SimulationContext, controllers: readonly Controller[], onEnd: () => void) {
    this.#context = context;
    this.#onEnd = onEnd;
    for (const controller of controllers) {
      this.#controllers.set(identity(controller.type), controller);
      const own: Wake = { type: controller.type, keys: (_context, { object }) => [keyOfObject(object)] };
      for (const wake of [own, ...(controller.wakes ?? [])]) this.#listen(controller, wake);
    }
  }

  get nextAt(): number | undefined {
    return this.#queue.nextAt;
  }

  async settled(): Promise<void> {
    for (let still = 0, seen = -1; still < quietTurns; ) {
      await letOthersIn();
      still = this.#queue.isIdle && this.#stirs === seen ? still + 1 : 0;
      seen = this.#stirs;
    }
  }

  get types(): readonly TypeRef[] {
    return [...this.#sources.values()].map(({ type }) => type);
  }

  async closeWith({ signal }: Ctx): Promise<void> {
    setMaxListeners(0, signal); // one listener for every watched kind, on purpose
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    this.#queue.close();
  }

  keepTime(): Promise<void> {
    return this.#queue.keepTime(this.#context.clock);
  }

  /**
   * Turns the events of one kind into keys. A watch that expired is restarted, and all objects are reconciled
   * again.
   */
  async follow({ signal, log }: Ctx, type: TypeRef): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const event of this.#context.objects.watch(type, { signal })) this.#happened(type, event);
        break;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof StatusError && error.reason === 'Expired')) throw error;
        log.debug('a watch of the simulated controllers fell behind', { kind: type.kind });
        this.#reconcileEverything();
      }
    }
    this.#onEnd();
  }

  async work(ctx: Ctx): Promise<void> {
    for (let id = await this.#queue.take(); id !== undefined; id = await this.#queue.take()) {
      let again: number | undefined;
      try {
        again = await this.#pass(ctx, id);
      } finally {
        this.#queue.done(id, again);
      }
      // passes without a write never wait for I/O; yield so that requests are served in between
      await letOthersIn();
    }
  }

  async #pass(ctx: Ctx, id: string): Promise<number | undefined> {
    const [kind = '', namespace = '', name = ''] = id.split('|');
    const controller = this.#controllers.get(kind);
    if (!controller) return undefined;
    const key = { namespace, name };
    const object = storedObject(this.#context, controller.type, key);
    try {
      const again = object ? await controller.reconcile(this.#context, object) : undefined;
      if (!object) await controller.gone?.(this.#context, key);
      this.#failures.delete(id);
      return again?.at;
    } catch (error) {
      return ctx.signal.aborted ? undefined : this.#failed(ctx, id, error);
    }
  }

  /** When to retry. A conflict is not logged: the next pass reads what the other writer wrote. */
  #failed({ log }: Ctx, id: string, thrown: unknown): number {
    const failures = this.#failures.get(id) ?? 0;
    this.#failures.set(id, failures + 1);
    if (!isRace(thrown)) {
      log.debug('a simulated controller failed and will try again', {
        key: id,
        error: FairleadError.from(thrown),
      });
    }
    return nowOf(this.#context) + delayOf(backoff, failures, 0);
  }

  #listen(controller: Controller, wake: Wake): void {
    const id = identity(wake.type);
    const source = this.#sources.get(id) ?? { type: wake.type, wakes: [] };
    source.wakes.push([controller, wake]);
    this.#sources.set(id, source);
  }

  #happened(type: TypeRef, event: StoredEvent): void {
    for (const [controller, wake] of this.#sources.get(identity(type))?.wakes ?? []) {
      for (const key of wake.keys(this.#context, event)) this.#add(controller, key);
    }
  }

  #reconcileEverything(): void {
    for (const controller of this.#controllers.values()) {
      for (const object of all(this.#context, controller.type)) this.#add(controller, keyOfObject(object));
    }
  }

  #add(controller: Controller, { namespace, name }: Key): void {
    this.#stirs += 1;
    this.#queue.add(`${identity(controller.type)}|${namespace}|${name}`);
  }
}

const identity = ({ apiVersion, kind }: TypeRef): string => `${apiVersion}/${kind}`;

const races = new Set(['NotFound', 'Conflict', 'AlreadyExists']);

const isRace = (error: unknown): boolean =>
  error instanceof StatusError && (races.has(error.reason) || isTerminating(error));
