import { controllerOf, type KubeObject } from '#base/model';
import { equal } from '#base/std';
import type { StoreWriter } from '#embedded/apiserver';
import { keyOfObject, refOf, type SimulationContext } from '../simulation-context.ts';
import { isReason, look } from '../write.ts';
import { knative } from './kinds.ts';

/** The component that reports a new child, and the field manager that writes it. */
type How = { readonly component?: string | undefined; readonly by?: StoreWriter };

/**
 * Creates or updates a child: its spec, labels and annotations, and nothing else. Undefined when an object of that
 * name has another owner.
 */
export async function ensure(
  world: SimulationContext,
  owner: KubeObject,
  wanted: KubeObject,
  { component, by = knative }: How = {},
): Promise<KubeObject | undefined> {
  const live = look(world, wanted, keyOfObject(wanted));
  if (!live) return made(world, owner, wanted, { component, by });
  if (controllerOf(live)?.uid !== owner.metadata.uid) return undefined;
  const { labels, annotations } = wanted.metadata;
  const isSame =
    equal(live.spec, wanted.spec) &&
    equal(live.metadata.labels ?? {}, labels ?? {}) &&
    equal(live.metadata.annotations ?? {}, annotations ?? {});
  if (isSame) return live;
  const metadata = { ...live.metadata, labels: labels ?? {}, annotations: annotations ?? {} };
  return world.objects.update({ ...live, metadata, spec: wanted.spec }, by);
}

async function made(
  world: SimulationContext,
  owner: KubeObject,
  wanted: KubeObject,
  { component, by = knative }: How,
): Promise<KubeObject | undefined> {
  try {
    const created = await world.objects.create(wanted, by);
    if (component !== undefined) {
      const message = `Created ${wanted.kind} "${wanted.metadata.name}"`;
      await world.events.tell(owner, { type: 'Normal', reason: 'Created', message, component });
    }
    return created;
  } catch (error) {
    if (isReason(error, 'AlreadyExists')) return world.objects.get(refOf(wanted));
    throw error;
  }
}
