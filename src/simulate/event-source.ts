import type { Objects } from '#devcluster';
import { StatusError } from '#devcluster';
import { type KubeObject, printTime } from '#model';
import type { Clock } from '#std';
import type { Chance } from './chance.ts';
import { eventKind } from './kinds.ts';

type Happening = {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly component: string;
};

/** Where controllers tell people what they did. Telling the same again only counts. */
export type EventSource = {
  tell(about: KubeObject, happening: Happening): Promise<void>;
};

type EventView = KubeObject & { count?: number; lastTimestamp?: string };

type Deps = { readonly objects: Objects; readonly clock: Clock; readonly chance: Chance };

export function createEventSource(deps: Deps): EventSource {
  return {
    async tell(about, happening) {
      try {
        await tell(deps, about, happening);
      } catch (error) {
        // a namespace on its way out takes no news; what there was to do has been done all the same
        if (!(error instanceof StatusError)) throw error;
      }
    },
  };
}

async function tell(
  { objects, clock, chance }: Deps,
  about: KubeObject,
  happening: Happening,
): Promise<void> {
  const { type, reason, message, component } = happening;
  const { name, namespace = 'default', uid = '', resourceVersion } = about.metadata;
  const { apiVersion, kind } = about;
  const now = printTime(clock.now());
  const identity = [uid, reason, message, component].join('\n');
  const event = { ...eventKind, namespace, name: `${name}.${chance.suffix(identity, 16)}` };
  const by = { manager: component };
  const known = objects.get(event) as EventView | undefined;
  if (known) {
    const body = { count: (known.count ?? 1) + 1, lastTimestamp: now };
    await objects.patch(event, { type: 'merge', body }, by);
    return;
  }
  const made = {
    ...eventKind,
    metadata: { name: event.name, namespace },
    involvedObject: { apiVersion, kind, name, namespace: about.metadata.namespace, uid, resourceVersion },
    type,
    reason,
    message,
    source: { component },
    reportingComponent: component,
    reportingInstance: '',
    count: 1,
    firstTimestamp: now,
    lastTimestamp: now,
  };
  await objects.create(made as KubeObject, by);
}
