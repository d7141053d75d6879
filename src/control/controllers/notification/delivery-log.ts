import type { ConfigMapFields, KubeObject } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import type { MessageThread, ThreadStore } from '#control/deliver';
import type { KubeClient } from '#kubernetes/client';

/** What became of a message, for the people who wonder. */
export type DeliveryRecord = {
  /** When it was delivered, or tried last. */
  readonly at: string;
  readonly namespace: string;
  readonly application: string;
  readonly project: string;
  readonly trigger: string;
  readonly service: string;
  readonly recipient: string;
  readonly outcome: 'delivered' | 'failed' | 'given up';
  readonly attempts: number;
  /** When it is tried again; absent: it was delivered, given up, or waits for a change of its template. */
  readonly nextAt?: string;
  /** How many applications were in the same message. */
  readonly together?: number;
  /** Why it failed. */
  readonly error?: string;
};

/** The ConfigMap that holds the log, so that it survives restarts and other processes can read it. */
export const deliveryLogName = 'fairlead-notifications';

const mostRecords = 200;
const mostThreads = 500;
const writeEveryMs = 2_000;

type Deps = {
  readonly kube: Pick<KubeClient, 'find' | 'create' | 'patch'>;
  readonly namespace: string;
  readonly name?: string;
};

/** The last deliveries, and the messages that later ones answer to. Both are bounded and kept in the cluster. */
export class DeliveryLog {
  readonly #deps: Deps;
  readonly #records = new Map<string, DeliveryRecord>();
  readonly #threads = new Map<string, MessageThread>();
  #isDirty = false;
  #wake = (): void => {};

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** A record replaces the one with the same id: a message that is tried ten times is one line. */
  record(id: string, record: DeliveryRecord): void {
    this.#records.delete(id);
    this.#records.set(id, record);
    bound(this.#records, mostRecords);
    this.#changed();
  }

  readonly threads: ThreadStore = {
    get: (key) => this.#threads.get(key),
    put: (key, thread) => {
      this.#threads.delete(key);
      this.#threads.set(key, thread);
      bound(this.#threads, mostThreads);
      this.#changed();
    },
  };

  #changed(): void {
    this.#isDirty = true;
    this.#wake();
  }

  /** Reads what the process before has left. */
  async load(ctx: Ctx): Promise<void> {
    const found = (await this.#deps.kube.find(ctx, this.#ref)) as (KubeObject & ConfigMapFields) | undefined;
    for (const [index, record] of readRecords(found?.data ?? {})
      .reverse()
      .entries())
      this.#records.set(`before ${index}`, record);
    for (const [key, thread] of Object.entries(readJson(found?.data?.threads, {})))
      this.#threads.set(key, thread as MessageThread);
  }

  /** Writes what is new, at most every two seconds, until `ctx` stops. */
  async run(ctx: Ctx): Promise<void> {
    ctx.signal.addEventListener('abort', () => this.#wake(), { once: true });
    while (!ctx.signal.aborted) {
      if (this.#isDirty) await this.#write(ctx);
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  async #write(ctx: Ctx): Promise<void> {
    this.#isDirty = false;
    const data = {
      deliveries: JSON.stringify([...this.#records.values()].reverse()),
      threads: JSON.stringify(Object.fromEntries(this.#threads)),
    };
    try {
      await this.#put(ctx, data);
    } catch (error) {
      if (ctx.signal.aborted) return;
      this.#isDirty = true;
      ctx.log.debug('delivery log not written', { error });
    }
    await ctx.clock.sleep(writeEveryMs, ctx.signal).catch(() => {});
  }

  async #put(ctx: Ctx, data: Record<string, string>): Promise<void> {
    try {
      await this.#deps.kube.patch(ctx, this.#ref, { type: 'merge', body: { data } });
    } catch (error) {
      if (FairleadError.from(error).code !== 'NotFound') throw error;
      const { namespace, name } = this.#ref;
      const metadata = {
        name,
        namespace,
        labels: { 'app.kubernetes.io/part-of': 'argocd' },
      };
      await this.#deps.kube.create(ctx, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata,
        data,
      } as KubeObject);
    }
  }

  get #ref() {
    const { namespace, name = deliveryLogName } = this.#deps;
    return { apiVersion: 'v1', kind: 'ConfigMap', namespace, name };
  }
}

function bound(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}

/** The records in the data of the ConfigMap, the newest first. */
export function readRecords(data: Readonly<Record<string, string>>): DeliveryRecord[] {
  const found = readJson<unknown>(data.deliveries, []);
  return Array.isArray(found) ? (found as DeliveryRecord[]) : [];
}

function readJson<T>(text: string | undefined, otherwise: T): T {
  try {
    return text ? (JSON.parse(text) as T) : otherwise;
  } catch {
    return otherwise;
  }
}
