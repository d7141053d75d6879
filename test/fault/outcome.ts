import type { KubeObject } from '#base/model';
import type { Stage } from './stage.ts';

const kinds: readonly (readonly [string, string])[] = [
  ['v1', 'ConfigMap'],
  ['apps/v1', 'Deployment'],
  ['batch/v1', 'Job'],
  ['v1', 'Service'],
];

/** What changes from run to run and means nothing. */
const passing = new Set([
  'uid',
  'resourceVersion',
  'managedFields',
  'observedGeneration',
  'generation',
  'controller-uid',
]);
const isPassing = (name: string): boolean =>
  passing.has(name) || /(Time|At|Timestamp|controller-uid)$/.test(name);

/** Everything that is there in the end, with what no two runs have in common left out. */
export function outcomeOf(stage: Stage): unknown {
  const { operation, status } = stage.app('shop') ?? {};
  const { conditions, operationState, history = [], ...rest } = status ?? {};
  const results = operationState?.syncResult?.resources?.map(({ message: _how, ...result }) => result);
  return plain({
    operation,
    status: rest,
    conditions: conditions?.map(({ type, message }) => `${type}: ${message}`),
    operationState: {
      ...operationState,
      syncResult: { ...operationState?.syncResult, resources: results?.sort(byName) },
    },
    history: history.map(({ id, revision }) => `${id} ${revision}`),
    objects: kinds.flatMap(([apiVersion, kind]) => stage.list(apiVersion, kind, 'shop')),
    pods: stage.list('v1', 'Pod', 'shop').map(({ metadata }) => metadata.ownerReferences?.[0]?.kind),
  });
}

const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);

function plain(value: unknown): unknown {
  if (typeof value === 'string')
    return value
      .replace(/\d{10}/g, 'TIME')
      .replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME')
      .replace(/\(pod ([\w-]+)-[a-z0-9]{5}\)/g, '(pod $1-GENERATED)');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name, field]) => !isPassing(name) && field !== undefined);
  return Object.fromEntries(fields.map(([name, field]) => [name, plain(field)]));
}

/** Counts how often each hook is made from here on, by the revision that was current then. */
export class HookCount {
  readonly #made = new Map<string, number>();
  readonly #marks = new Set<string>();
  /** Hooks that one attempt of one operation made more than once; there must never be any. */
  readonly repeated: string[] = [];
  readonly #seen = new Set<string>();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(stage: Stage, revision: () => string) {
    for (const { metadata } of stage.list(job.apiVersion, job.kind)) this.#seen.add(metadata.uid ?? '');
    this.#running = this.#follow(stage, revision);
  }

  async #follow(stage: Stage, revision: () => string): Promise<void> {
    const { signal } = this.#stop;
    for await (const { type, object } of stage.cluster.objects.watch(job, { signal })) {
      if (type !== 'ADDED' || this.#seen.has(object.metadata.uid ?? '')) continue;
      this.#seen.add(object.metadata.uid ?? '');
      const mark = `${object.metadata.name} ${object.metadata.annotations?.['fairlead.io/hook-run']}`;
      if (this.#marks.has(mark)) this.repeated.push(mark);
      this.#marks.add(mark);
      const name = `${nameOf(object)} at ${revision().slice(0, 7)}`;
      this.#made.set(name, (this.#made.get(name) ?? 0) + 1);
    }
  }

  async end(): Promise<Record<string, number>> {
    this.#stop.abort();
    await this.#running;
    return Object.fromEntries([...this.#made].sort());
  }
}

const job = { apiVersion: 'batch/v1', kind: 'Job' };
const nameOf = ({ metadata }: KubeObject): string => metadata.name.replace(/-[0-9a-f]{7}-.*/, '-');
