import { type KubeObject, parseTime } from '#model';
import { eventKind } from './kinds.ts';
import { type Again, type Controller, nowOf } from './world.ts';
import { discard } from './write.ts';

type EventView = KubeObject & {
  readonly lastTimestamp?: string;
  readonly series?: { readonly lastObservedTime?: string };
};

const lifetime = 3_600_000;

/** Events are forgotten an hour after they last happened, whoever wrote them. */
export const eventExpiry: Controller = {
  type: eventKind,
  async reconcile(world, object): Promise<Again | undefined> {
    const { lastTimestamp, series, metadata } = object as EventView;
    const last = parseTime(series?.lastObservedTime ?? lastTimestamp ?? metadata.creationTimestamp);
    const end = (last ?? nowOf(world)) + lifetime;
    if (end > nowOf(world)) return { at: end };
    await discard(world, object);
    return undefined;
  },
};
