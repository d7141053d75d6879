import { type Application, annotation } from '#base/model';
import { isObject, type JsonObject } from '#base/std';
import type { SetPlan } from './plan.ts';

const { skipReconcile } = annotation;

/**
 * compat sources §7: the applications from which a plan removes the annotation that pauses them. A set owns the annotations
 * of its applications, and the user who set this one hardly expects that.
 */
export const resumedBy = ({ writes }: SetPlan): readonly string[] =>
  writes.flatMap((write) =>
    write.do === 'update' && isPaused(write.live) && isRemovedBy(write.patch)
      ? [write.live.metadata.name]
      : [],
  );

const isPaused = ({ metadata }: Application): boolean => metadata.annotations?.[skipReconcile] !== undefined;

function isRemovedBy({ metadata }: JsonObject): boolean {
  const annotations = isObject(metadata) ? metadata.annotations : undefined;
  return annotations === null || (isObject(annotations) && annotations[skipReconcile] === null);
}

/** The warning that names them, with the fix. */
export function resumedWarning(names: readonly string[]): string {
  const [shown, more] = [names.slice(0, 5).join(', '), names.length - 5];
  return (
    `the set removed ${skipReconcile} from ${shown}${more > 0 ? ` and ${more} more` : ''}, because it owns the annotations of its ` +
    `applications; to keep it, add it to spec.preservedFields.annotations`
  );
}
