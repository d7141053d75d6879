import { setImmediate as letIoIn } from 'node:timers/promises';

/** How often anybody else was let in meanwhile. */
export async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let [isOver, turns] = [false, 0];
  const done = work.finally(() => {
    isOver = true;
  });
  for (; !isOver; turns++) await letIoIn();
  await done;
  return turns;
}
