import type { Objects } from '#devcluster';
import { type KubeObject, parseTime, printTime } from '#model';
import type { Clock } from '#std';
import type { Chance } from './chance.ts';
import { eventKind } from './kinds.ts';
import { type Again, type Controller, nowOf, type World } from './world.ts';
import { discard } from './write.ts';

export type Happening = {
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

export function createEventSource({ objects, clock, chance }: Deps): EventSource {
  return {
    async tell(about, { type, reason, message, component }) {
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
    },
  };
}

const lifetime = 3_600_000;

/** Events are forgotten an hour after they last happened, whoever wrote them. */
export const eventExpiry: Controller = {
  type: eventKind,
  async reconcile(world: World, event: KubeObject): Promise<Again | undefined> {
    const { lastTimestamp } = event as EventView;
    const { series } = event as { series?: { lastObservedTime?: string } };
    const last = parseTime(series?.lastObservedTime ?? lastTimestamp ?? event.metadata.creationTimestamp);
    const end = (last ?? nowOf(world)) + lifetime;
    if (end > nowOf(world)) return { at: end };
    await discard(world, event);
    return undefined;
  },
};
