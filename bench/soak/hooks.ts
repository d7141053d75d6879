import type { KubeObject } from '#base/model';
import type { Ctx } from '#base/std';
import { type KubeClient, listWatch } from '#kubernetes/client';

const jobs = { apiVersion: 'batch/v1', kind: 'Job', namespace: 'soak' };

/** Counts the hook Jobs that are created, and those that one attempt of one operation created more than once. */
export class HookWatch {
  readonly #uids = new Set<string>();
  readonly #runs = new Set<string>();
  readonly twice: string[] = [];

  get count(): number {
    return this.#runs.size;
  }

  /** Until the ctx stops; a server that is restarted meanwhile is listed again. */
  async follow(ctx: Ctx, kube: KubeClient): Promise<void> {
    for await (const event of listWatch(ctx, kube, jobs)) {
      if (event.type === 'DELETED') continue;
      if (event.type === 'SYNCED') for (const object of event.objects) this.#note(object);
      else if ('object' in event) this.#note(event.object);
    }
  }

  #note({ metadata }: KubeObject): void {
    const { uid = '', name, annotations } = metadata;
    if (this.#uids.has(uid)) return;
    this.#uids.add(uid);
    const run = `${name} ${annotations?.['fairlead.io/hook-run']}`;
    if (this.#runs.has(run)) this.twice.push(run);
    this.#runs.add(run);
  }
}
