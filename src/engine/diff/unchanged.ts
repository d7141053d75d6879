import { annotation, type KubeObject } from '#base/model';
import { equal } from '#base/std';
import { anyType, type TypeNode } from '#kubernetes/schema';
import { covers } from './covers.ts';
import { fieldManager } from './field-manager.ts';
import { lastAppliedOf } from './last-applied.ts';
import { leavesBehind } from './migration.ts';
import { isRecordedIn, ownEntry } from './recorded.ts';

type Pair = { readonly target: KubeObject; readonly live: KubeObject };
type UnchangedOptions = {
  readonly serverSide: boolean;
  /** undefined: a kind without a schema. */
  readonly type: TypeNode | undefined;
};

/**
 * True only when a sync would certainly change nothing: all that is declared is live already, and all that was declared
 * last is declared still. Nearly every pair of every comparison is so, and this finds it out in one walk; whatever is
 * less plain is left to the real comparison.
 */
export function isPlainlyUnchanged({ target, live }: Pair, { serverSide, type }: UnchangedOptions): boolean {
  if (serverSide) {
    if (!givesUpNothing(target, live) || leavesBehind(target, live)) return false;
    return covers(target, live, type ?? anyType, 'structured');
  }
  const applied = live.metadata.annotations?.[annotation.lastApplied];
  if (!covers(target, live, type ?? anyType, type ? 'strategic' : 'plain')) return false;
  return applied === undefined || equal(lastAppliedOf(live), target);
}

function givesUpNothing(target: KubeObject, live: KubeObject): boolean {
  const entry = ownEntry(live, fieldManager);
  if (!entry) return true;
  return entry.apiVersion === target.apiVersion && isRecordedIn(entry.fieldsV1, target);
}
