import { setImmediate as letIoIn } from 'node:timers/promises';

/** Work on one application that takes longer than this is interrupted for the others. */
const sliceMs = 20;

/** Those that were interrupted go on one by one, so that however many there are, everybody else waits for one slice. */
let line: Promise<void> = Promise.resolve();

/** Does long work that waits for nothing in slices, with everything else in between. Short work is done at once. */
export async function inSteps<Value>(steps: Iterator<void, Value>): Promise<Value> {
  let until = performance.now() + sliceMs;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    if (performance.now() < until) continue;
    line = line.then(() => letIoIn());
    await line;
    until = performance.now() + sliceMs;
  }
}
