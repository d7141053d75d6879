import { setImmediate as letIoIn } from 'node:timers/promises';

/** Work on one application that takes longer than this is interrupted for the others. */
const sliceMs = 20;

/** Those that were interrupted go on one by one, so that however many there are, everybody else waits for one slice. */
let line: Promise<void> = Promise.resolve();

/** A pause to be asked for often in long work: undefined until a slice of time is used up, then to be waited for. */
export function slices(): () => Promise<void> | undefined {
  let until = performance.now() + sliceMs;
  const rest = async (): Promise<void> => {
    line = line.then(() => letIoIn());
    await line;
    until = performance.now() + sliceMs;
  };
  return () => (performance.now() < until ? undefined : rest());
}

/** Does long work that waits for nothing in slices, with everything else in between. Short work is done at once. */
export async function inSteps<Value>(steps: Iterator<void, Value>): Promise<Value> {
  const pause = slices();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    const rest = pause();
    if (rest !== undefined) await rest;
  }
}
