import { type HealthOptions, isSignificantChange, trackedBy, type UpdateRules, updateRules } from '#engine';
import type { Change, ClusterChange } from '#live';
import type { Application, Settings } from '#model';
import { equal } from '#std';

/** What a change of an Application object asks for. */
export type Asked = { readonly refresh: boolean; readonly operate: boolean };

/** Our own status writes ask for nothing; a new spec, a request or a deletion does. */
export function askedBy({ before, after }: Change): Asked {
  if (!after) return { refresh: true, operate: false };
  const [old, app] = [before as Application | undefined, after as Application];
  const isNew =
    !old ||
    !equal(old.spec, app.spec) ||
    !equal(old.metadata.annotations, app.metadata.annotations) ||
    old.metadata.deletionTimestamp !== app.metadata.deletionTimestamp;
  // an annotation may be the approval that a running operation waits for (S-39)
  const isTold = isNew || !equal(old?.operation, app.operation) || isTerminating(app);
  return { refresh: isNew, operate: isTold && app.operation !== undefined };
}

const isTerminating = ({ status }: Application): boolean => status?.operationState?.phase === 'Terminating';

/**
 * The instance names of the applications that a change in a cluster concerns.
 * compat R-13: an update that changes neither the health code nor anything a comparison looks at is dropped.
 */
export function concerned(
  { before, after }: ClusterChange,
  settings: Settings,
  options: HealthOptions,
): string[] {
  const names = [before, after].flatMap((object) =>
    object ? (trackedBy(object, settings.tracking) ?? []) : [],
  );
  if (names.length === 0) return [];
  const rules = rulesOf(settings);
  if (before && after && !isSignificantChange(before, after, { rules, health: options, isTracked: true }))
    return [];
  return [...new Set(names)];
}

/** Read once for each state of the settings, not once for each change of an object. */
const rulesBySettings = new WeakMap<Settings, { readonly rules: UpdateRules }>();

function rulesOf(settings: Settings): UpdateRules {
  const known = rulesBySettings.get(settings);
  if (known) return known.rules;
  const rules = updateRules(settings.resources);
  rulesBySettings.set(settings, { rules });
  return rules;
}
