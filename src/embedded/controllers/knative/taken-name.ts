import { equal } from '#base/std';
import { keyOfObject, type SimulationContext } from '../simulation-context.ts';
import { storedObject } from '../write.ts';
import { label, revisionKind } from './kinds.ts';
import type { Configuration, Revision } from './view.ts';

/** compat cluster 5.6: the revision name in the template, when a revision of another template already has it. */
export function takenName(context: SimulationContext, configuration: Configuration): string | undefined {
  const { template } = configuration.spec ?? {};
  const name = template?.metadata?.name;
  if (!name) return undefined;
  const revision = storedObject(context, revisionKind, { ...keyOfObject(configuration), name }) as
    | Revision
    | undefined;
  if (!revision) return undefined;
  const isOurs = revision.metadata.labels?.[label.configurationUid] === configuration.metadata.uid;
  const generation = revision.metadata.labels?.[label.configurationGeneration];
  if (isOurs && generation === String(configuration.metadata.generation)) return undefined;
  return isOurs && equal(revision.spec, template?.spec) ? undefined : name;
}
