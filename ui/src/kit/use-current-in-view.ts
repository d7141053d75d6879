import { type RefObject, useLayoutEffect } from 'react';

const margin = 24; // a part of its neighbour shows that there are more

/** Scrolls a row of links that is wider than the page so far that the current one is seen. */
export function useCurrentInView(row: RefObject<HTMLElement | null>, current: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the link is found by what marks the current one
  useLayoutEffect(() => {
    const list = row.current;
    if (!list) return;
    const reveal = () => {
      const link = list.querySelector('[aria-selected="true"], [aria-current]');
      if (!link) return;
      const [shown, box] = [link.getBoundingClientRect(), list.getBoundingClientRect()];
      if (shown.left < box.left) list.scrollLeft += shown.left - box.left - margin;
      else if (shown.right > box.right) list.scrollLeft += shown.right - box.right + margin;
    };
    const sizes = new ResizeObserver(reveal); // reports at once, and when a telephone is turned
    sizes.observe(list);
    return () => sizes.disconnect();
  }, [row, current]);
}
