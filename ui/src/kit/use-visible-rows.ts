import { type RefObject, useLayoutEffect, useState } from 'react';

export type Range = { readonly first: number; readonly last: number };

const few = 200; // up to here the browser draws everything faster than we choose
const spare = 12; // rows kept ready above and below, for a quick wheel

/** Which of `count` equally high rows can be seen in the scrolling ancestor; all of them while they are few. */
export function useVisibleRows(list: RefObject<HTMLElement | null>, count: number, height: number): Range {
  const [range, setRange] = useState<Range>({ first: 0, last: few });
  useLayoutEffect(() => {
    const scroller = list.current?.closest<HTMLElement>('[data-scroller]');
    if (!scroller || count <= few) return;
    const update = () => {
      const above = scroller.getBoundingClientRect().top - (list.current?.getBoundingClientRect().top ?? 0);
      const first = Math.max(0, Math.floor(above / height) - spare);
      const last = first + Math.ceil(scroller.clientHeight / height) + 2 * spare;
      setRange((was) => (was.first === first && was.last === last ? was : { first, last }));
    };
    update();
    const sizes = new ResizeObserver(update);
    sizes.observe(scroller);
    scroller.addEventListener('scroll', update, { passive: true });
    return () => {
      sizes.disconnect();
      scroller.removeEventListener('scroll', update);
    };
  }, [list, count, height]);
  return count <= few ? { first: 0, last: count } : { first: range.first, last: Math.min(count, range.last) };
}
