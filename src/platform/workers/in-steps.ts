import { setImmediate as letIoIn } from 'node:timers/promises';

/** Work on one application that takes longer than this is interrupted for the others. */
const sliceMs = 20;

type Waiting = { readonly slices: number; goOn(): void };

/** Those that were interrupted go on one by one, so that however many there are, everybody else waits for one slice. */
const line: Waiting[] = [];
let isServing = false;

async function serve(): Promise<void> {
  isServing = true;
  let last: Waiting | undefined;
  while (line.length > 0) {
    await letIoIn();
    last = nextAfter(last);
    line.splice(line.indexOf(last), 1);
    last.goOn();
  }
  isServing = false;
}

const isFirst = ({ slices }: Waiting): boolean => slices === 0;

/**
 * Who has had the least so far is next: what is short is not made to wait by what is long, nor that by more of its kind. What
 * goes before all others does so every other time: where there is no end to it, everybody would wait for ever.
 */
function nextAfter(last: Waiting | undefined): Waiting {
  const others = last && isFirst(last) ? line.filter((one) => !isFirst(one)) : [];
  const among = others.length > 0 ? others : line;
  return among.reduce((least, one) => (one.slices < least.slices ? one : least));
}

/** A turn of the event loop to oneself, as soon as nobody who has had less waits for one. */
export function inTurn(had = 1): Promise<void> {
  const turn = new Promise<void>((goOn) => line.push({ slices: had, goOn }));
  if (!isServing) void serve();
  return turn;
}

/** Who has not asked for so long was waiting for something else, and counts as one who begins. */
const awayMs = 100;

/**
 * A pause to be asked for often in long work: undefined until a slice of time is used up, then to be waited for. However many
 * at one piece of work ask, it has one place in the line, and they go on together. Work that everybody waits for, such as
 * hearing of changes, goes on before all others, every other time.
 */
export function slices({ first = false } = {}): () => Promise<void> | undefined {
  let asked = performance.now();
  let until = asked + sliceMs;
  let had = 0;
  let resting: Promise<void> | undefined;
  const rest = async (): Promise<void> => {
    had = first ? 0 : had + 1;
    await inTurn(had);
    resting = undefined;
    asked = performance.now();
    until = asked + sliceMs;
  };
  return () => {
    if (resting !== undefined) return resting;
    const now = performance.now();
    if (now - asked > awayMs) had = 0;
    asked = now;
    if (now < until) return undefined;
    resting = rest();
    return resting;
  };
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
