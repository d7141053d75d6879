import { JsonnetError } from './fault.ts';
import type { JsonnetClause } from './syntax.ts';
import { isList, JsonnetFrame, typeOf } from './value.ts';

/** Runs the clauses of a comprehension; `visit` gets one frame for each iteration of the innermost. */
export function iterate(
  clauses: readonly JsonnetClause[],
  frame: JsonnetFrame,
  visit: (frame: JsonnetFrame) => void,
  from = 0,
): void {
  const clause = clauses[from];
  if (!clause) visit(frame);
  else if (clause.do === 'if') {
    const holds = clause.condition.code(frame);
    if (typeof holds !== 'boolean') {
      throw new JsonnetError(
        `the condition of a comprehension must be true or false, got ${typeOf(holds)}`,
        clause.condition,
      );
    }
    if (holds) iterate(clauses, frame, visit, from + 1);
  } else {
    const list = clause.list.code(frame);
    if (!isList(list))
      throw new JsonnetError(`a comprehension goes through an array, got ${typeOf(list)}`, clause.list);
    frame.vm.meter.step(list.length);
    for (const item of list) iterate(clauses, new JsonnetFrame(frame, [item], frame.vm), visit, from + 1);
  }
}
