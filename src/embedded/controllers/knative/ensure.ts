import { controllerOf, type KubeObject } from '#base/model';
import { equal } from '#base/std';
import type { StoreWriter } from '#embedded/apiserver';
import { keyOfObject, refOf, type SimulationContext } from '../simulation-context.ts';
import { isReason, storedObject } from '../write.ts';
import { knative } from './kinds.ts';

/** The component that reports a new child, and the field manager that writes it. */
type How = { readonly component?: string | undefined; readonly by?: StoreWriter };

/**
 * Creates or updates a child: its spec, labels and annotations, and nothing else. Undefined when an object of that
 * name has another owner.
 */
export async function ensure(
  context: SimulationContext,
  owner: KubeObject,
  wanted: KubeObject,
  { component, by = knative }: How = {},
): Promise<KubeObject | undefined> {
  const live = storedObject(context, wanted, keyOfObject(wanted));
  if (!live) return made(context, owner, wanted, { component, by });
  if (controllerOf(live)?.uid !== owner.metadata.uid) return undefined;
  const { labels, annotations } = wanted.metadata;
  const isSame =
    equal(live.spec, wanted.spec) &&
    equal(live.metadata.labels ?? {}, labels ?? {}) &&
    equal(live.metadata.annotations ?? {}, annotations ?? {});
  if (isSame) return live;
  const metadata = { ...live.metadata, labels: labels ?? {}, annotations: annotations ?? {} };
  return context.objects.update({ ...live, metadata, spec: wanted.spec }, by);
}

async function made(
  context: SimulationContext,
  owner: KubeObject,
  wanted: KubeObject,
  { component, by = knative }: How,
): Promise<KubeObject | undefined> {
  try {
    const created = await context.objects.create(wanted, by);
    if (component !== undefined) {
      const message = `Created ${wanted.kind} "${wanted.metadata.name}"`;
      await context.events.record(owner, { type: 'Normal', reason: 'Created', message, component });
    }
    return created;
  } catch (error) {
    if (isReason(error, 'AlreadyExists')) return context.objects.get(refOf(wanted));
    throw error;
  }
}
