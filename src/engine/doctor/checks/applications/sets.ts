import { readApplicationSet } from '#base/model';
import { isObject } from '#base/std';
import { applicationSetProblems, applicationSetWarnings } from '#engine';
import type { Check, FieldPath } from '../../check.ts';
import { applicationSet, listAt, valueAt } from '../../kinds.ts';
import { fieldIn } from './invalid.ts';

export const setDeletesResources: Check = {
  id: 'set-deletes-resources',
  title: 'an element that leaves an ApplicationSet takes its objects along',
  severity: 'warning',
  why: 'removing one line of a list, a label of a cluster or a folder deletes the Application and everything it deployed.',
  fix: 'set spec.syncPolicy.preserveResourcesOnDeletion: true, or limit it with the annotation fairlead.io/max-delete-percent',
  reads: [applicationSet],
  *find(set) {
    if (valueAt(set, ['spec', 'syncPolicy', 'preserveResourcesOnDeletion']) === true) return;
    const policy = valueAt(set, ['spec', 'syncPolicy', 'applicationsSync']);
    if (policy === 'create-only' || policy === 'create-update') return;
    yield {
      at: ['spec', 'syncPolicy', 'preserveResourcesOnDeletion'],
      message: `${set.metadata.name} does not preserve resources on deletion`,
    };
  },
};

/** Every generator of a set, nested ones too, with its path. */
function* generatorsIn(
  list: readonly unknown[],
  path: FieldPath,
): Generator<{ path: FieldPath; generator: object }> {
  for (const [at, generator] of list.entries()) {
    if (!isObject(generator)) continue;
    const here = [...path, at];
    yield { path: here, generator };
    for (const kind of ['matrix', 'merge'])
      yield* generatorsIn(listAt(generator, [kind, 'generators']), [...here, kind, 'generators']);
  }
}

export const setEveryCluster: Check = {
  id: 'set-every-cluster',
  title: 'an ApplicationSet deploys to every cluster there is',
  severity: 'warning',
  why: 'a cluster that is registered for something else gets the applications at once.',
  fix: 'give the clusters generator a selector, such as matchLabels: { env: production }',
  reads: [applicationSet],
  *find(set) {
    for (const { path, generator } of generatorsIn(listAt(set, ['spec', 'generators']), [
      'spec',
      'generators',
    ])) {
      const clusters = valueAt(generator, ['clusters']);
      if (
        clusters === undefined ||
        (isObject(clusters) && isObject(clusters.selector) && Object.keys(clusters.selector).length > 0)
      )
        continue;
      yield { at: [...path, 'clusters'], message: `${set.metadata.name} selects every cluster` };
    }
  },
};

export const setAllAtOnce: Check = {
  id: 'set-all-at-once',
  title: 'a change of the template reaches all applications at once',
  severity: 'note',
  why: 'a bad template breaks every environment in the same minute.',
  fix: 'set spec.strategy to RollingSync with steps',
  reads: [applicationSet],
  *find(set) {
    const isRolling = valueAt(set, ['spec', 'strategy', 'type']) === 'RollingSync';
    if (!isRolling)
      yield { at: ['spec', 'strategy'], message: `${set.metadata.name} has no rolling strategy` };
  },
};

export const setInvalid: Check = {
  id: 'set-invalid',
  title: 'an ApplicationSet cannot be evaluated, or not as its author meant',
  severity: 'error',
  why: 'it generates nothing, or something else than it seems to.',
  fix: 'mend the field that the finding names',
  reads: [applicationSet],
  *find(set) {
    const read = readApplicationSet(set);
    for (const message of read.unreadable ?? []) yield { at: fieldIn(message), message };
    if (read.unreadable) return;
    for (const message of applicationSetProblems(read)) yield { at: fieldIn(message), message };
    for (const message of applicationSetWarnings(read))
      yield { at: fieldIn(message), message, severity: 'warning' };
  },
};
