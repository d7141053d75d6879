import { setImmediate as letIoIn } from 'node:timers/promises';

/** Work on one application that takes longer than this is interrupted for other work. */
const sliceMs = 20;

type Waiting = { readonly slices: number; goOn(): void };

/** The queue of interrupted work, resumed one at a time, so that however many wait, other work waits for one slice. */
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
 * The work with the fewest slices so far is next: short work does not wait for long work, nor long work for more of its kind.
 * Priority work goes first only every other time: an endless supply of it would starve the rest.
 */
function nextAfter(last: Waiting | undefined): Waiting {
  const others = last && isFirst(last) ? line.filter((one) => !isFirst(one)) : [];
  const among = others.length > 0 ? others : line;
  return among.reduce((least, one) => (one.slices < least.slices ? one : least));
}

/** Resolves in an iteration of the event loop of its own, once no work with fewer slices waits. */
export function nextSlice(had = 1): Promise<void> {
  const turn = new Promise<void>((goOn) => line.push({ slices: had, goOn }));
  if (!isServing) void serve();
  return turn;
}

/** Work that has not called for this long was waiting for something else, and its slice count starts again. */
const awayMs = 100;

/**
 * A pause for long work to call often: undefined until a time slice is used up, then a promise to await. However many callers
 * one piece of work has, it has one place in the queue, and they resume together. With `first`, for work that all other work
 * depends on, such as watch events, it goes before all others, every other time.
 */
export function slices({ first = false } = {}): () => Promise<void> | undefined {
  let requested = performance.now();
  let until = requested + sliceMs;
  let had = 0;
  let resting: Promise<void> | undefined;
  const rest = async (): Promise<void> => {
    had = first ? 0 : had + 1;
    await nextSlice(had);
    resting = undefined;
    requested = performance.now();
    until = requested + sliceMs;
  };
  return () => {
    if (resting !== undefined) return resting;
    const now = performance.now();
    if (now - requested > awayMs) had = 0;
    requested = now;
    if (now < until) return undefined;
    resting = rest();
    return resting;
  };
}

/** Runs long synchronous work in slices, with other work in between. Short work is done at once. */
export async function inSteps<Value>(steps: Iterator<void, Value>): Promise<Value> {
  const pause = slices();
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    const rest = pause();
    if (rest !== undefined) await rest;
  }
}
