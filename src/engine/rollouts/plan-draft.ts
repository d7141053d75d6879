import { type KubeObject, printTime } from '#base/model';

export type WriteRef = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
};

/** One write to the cluster. Every write is safe to repeat; the controller makes them in order. */
export type RolloutWrite =
  | { readonly verb: 'create'; readonly object: KubeObject }
  | { readonly verb: 'patch'; readonly ref: WriteRef; readonly body: object }
  /** Server-side apply of the fields that the Rollout owns. */
  | { readonly verb: 'apply'; readonly object: KubeObject }
  | { readonly verb: 'delete'; readonly ref: WriteRef; readonly uid?: string | undefined }
  | { readonly verb: 'evict'; readonly ref: WriteRef };

export type RolloutEvent = {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
};

/** What the plan of one pass collects, whatever the object is about which it is drawn up. */
export class PlanDraft {
  readonly writes: RolloutWrite[] = [];
  readonly events: RolloutEvent[] = [];
  readonly now: Date;
  wakeAt: number | undefined;

  constructor(now: Date) {
    this.now = now;
  }

  write(write: RolloutWrite): void {
    this.writes.push(write);
  }

  patch(object: KubeObject, body: object): void {
    this.write({ verb: 'patch', ref: refTo(object), body });
  }

  /** Deletes exactly this object, not one of the same name that came after it. */
  remove(object: KubeObject): void {
    this.write({ verb: 'delete', ref: refTo(object), uid: object.metadata.uid });
  }

  event(reason: string, message: string, type: RolloutEvent['type'] = 'Normal'): void {
    this.events.push({ type, reason, message });
  }

  /** Requests a pass at a time; of several the earliest counts. */
  wake(at: number): void {
    if (Number.isFinite(at)) this.wakeAt = Math.min(at, this.wakeAt ?? at);
  }

  get nowText(): string {
    return printTime(this.now);
  }
}

export const refTo = ({ apiVersion, kind, metadata }: KubeObject): WriteRef => ({
  apiVersion,
  kind,
  namespace: metadata.namespace,
  name: metadata.name,
});
