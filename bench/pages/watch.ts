import type { Page } from 'playwright-core';

/** Milliseconds since the epoch with fractions; the browser of this machine reads the same clock. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

/**
 * When the page first shows what `isShown` finds, in milliseconds since the epoch: after the frame that draws it. `isShown` is an
 * expression over the document.
 */
export function shownAt(page: Page, isShown: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const check = () => {
      if (!(${isShown})) return requestAnimationFrame(check);
      const channel = new MessageChannel(); // a message after the frame: it has been drawn
      channel.port1.onmessage = () => resolve(performance.timeOrigin + performance.now());
      requestAnimationFrame(() => channel.port2.postMessage(undefined));
    };
    check();
  })`);
}

/** When the page was requested, in milliseconds since the epoch. */
export const requestedAt = (page: Page): Promise<number> => page.evaluate<number>('performance.timeOrigin');

type Frames = {
  /** Of all frames, in milliseconds. */
  readonly mean: number;
  /** Percent of the frames that came so late that the next one was due. */
  readonly late: number;
};

/** Scrolls the page for some frames, a screen in three of them, and measures the browser's own frames. */
export async function scrolled(page: Page, frames: number): Promise<Frames> {
  const gaps = await page.evaluate<number[]>(`new Promise((resolve) => {
    const scroller = document.querySelector('[data-scroller]');
    const times = [];
    const step = (time) => {
      times.push(time);
      scroller.scrollTop += 280;
      if (times.length <= ${frames}) requestAnimationFrame(step);
      else resolve(times.slice(1).map((one, at) => one - times[at]));
    };
    requestAnimationFrame(step);
  })`);
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  return { mean, late: (100 * gaps.filter((gap) => gap > 25).length) / gaps.length };
}
