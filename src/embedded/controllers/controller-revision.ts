import type { KubeObject } from '#base/model';
import { equal } from '#base/std';
import { controllerRevisionKind } from './kinds.ts';
import type { PodTemplate } from './pod/view.ts';
import { keyOfObject, type SimulationContext } from './simulation-context.ts';
import {
  change,
  controlled,
  controllerManager,
  discard,
  isReason,
  ownedMeta,
  storedObject,
} from './write.ts';

type ControllerRevision = KubeObject & { readonly revision?: number; readonly data?: unknown };

/** The label with the revision of the owner's template that a pod was created from. */
export const revisionLabel = 'controller-revision-hash';

/** compat cluster 5.3: revisions of a daemon set are labelled like its pods, those of a stateful set have a label of their own. */
const hashLabelOf = ({ kind }: KubeObject): string =>
  kind === 'DaemonSet' ? revisionLabel : 'controller.kubernetes.io/hash';

const dataOf = (template: PodTemplate): unknown => ({
  spec: { template: { ...template, $patch: 'replace' } },
});

/** The recorded revision of a template, created when it is new; an old one that is used again becomes the newest. */
export async function recordRevision(
  context: SimulationContext,
  owner: KubeObject,
  template: PodTemplate,
): Promise<string> {
  const known = (controlled(context, owner, controllerRevisionKind) as ControllerRevision[]).sort(
    (a, b) => (a.revision ?? 0) - (b.revision ?? 0),
  );
  const newest = known.at(-1)?.revision ?? 0;
  const data = dataOf(template);
  const same = known.find((one) => equal(one.data, data));
  if (same) {
    if (same.revision !== newest) await change(context, same, { revision: newest + 1 });
    return same.metadata.labels?.[hashLabelOf(owner)] ?? '';
  }
  return create(context, owner, template, newest + 1);
}

/** The template as it was recorded under that hash. */
export function recordedTemplate(
  context: SimulationContext,
  owner: KubeObject,
  hash: string,
): PodTemplate | undefined {
  const { namespace } = keyOfObject(owner);
  const found = storedObject(context, controllerRevisionKind, {
    namespace,
    name: `${owner.metadata.name}-${hash}`,
  });
  const data = (found as ControllerRevision | undefined)?.data as
    | { spec?: { template?: Recorded } }
    | undefined;
  const { $patch: _patch, ...template } = data?.spec?.template ?? {};
  return data ? template : undefined;
}

type Recorded = PodTemplate & { readonly $patch?: string };

async function create(
  context: SimulationContext,
  owner: KubeObject,
  template: PodTemplate,
  revision: number,
): Promise<string> {
  const text = JSON.stringify(template, (_key, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  const hash = context.chance.suffix(text, 10);
  const name = `${owner.metadata.name}-${hash}`;
  const made = {
    ...controllerRevisionKind,
    metadata: ownedMeta(owner, {
      name,
      labels: { ...template.metadata?.labels, [hashLabelOf(owner)]: hash },
      ...(owner.metadata.annotations && { annotations: owner.metadata.annotations }),
    }),
    data: dataOf(template),
    revision,
  };
  try {
    await context.objects.create(made as KubeObject, controllerManager);
  } catch (error) {
    if (!isReason(error, 'AlreadyExists')) throw error;
  }
  return hash;
}

/** Keeps the configured number of revisions that no pod uses any more. */
export async function pruneRevisions(
  context: SimulationContext,
  owner: KubeObject,
  used: ReadonlySet<string>,
  limit: number,
): Promise<void> {
  const idle = (controlled(context, owner, controllerRevisionKind) as ControllerRevision[])
    .filter(({ metadata }) => !used.has(metadata.labels?.[hashLabelOf(owner)] ?? ''))
    .sort((a, b) => (a.revision ?? 0) - (b.revision ?? 0));
  const surplus = idle.slice(0, Math.max(0, idle.length - limit));
  await Promise.all(surplus.map((one) => discard(context, one)));
}
