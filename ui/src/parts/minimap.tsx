import { type PointerEvent, type RefObject, useEffect, useMemo, useState } from 'react';
import { freeCorner, showsAll } from '../shape/free-corner.ts';
import { type Tone, toneOfHealth } from '../shape/state.ts';
import type { TreeBox } from '../shape/tree-fold.ts';
import type { Layout } from '../shape/tree-layout.ts';

const [mapWidth, mapHeight] = [168, 108];
const sidePadding = 32; // of .tree-scroll

type View = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** The picture is being moved. */
  readonly isMoving: boolean;
};

/**
 * The whole tree in a corner, with the part in view; a press moves there. Shown where not all of it is in view, in a corner
 * that is free of boxes; where none is, only while the picture moves, so that it never covers what it shows.
 */
export function Minimap({
  layout,
  zoom,
  canvas,
}: {
  layout: Layout<TreeBox>;
  zoom: number;
  canvas: RefObject<HTMLElement | null>;
}) {
  const view = useView(canvas, zoom, layout);
  const [scaleX, scaleY] = [mapWidth / layout.width, mapHeight / layout.height];
  const shapes = useMemo(() => shapesOf(layout, scaleX, scaleY), [layout, scaleX, scaleY]);
  if (!view || showsAll(layout, view)) return null;
  const stretch = { from: Math.max(0, view.top), to: Math.min(view.top + view.height, layout.height) };
  const corner = freeCorner(layout, view, { width: mapWidth, height: mapHeight, zoom });
  const move = ({ currentTarget, clientX, clientY, buttons }: PointerEvent<SVGSVGElement>) => {
    if (buttons !== 1) return;
    const { left, top } = currentTarget.getBoundingClientRect();
    scrollTo(canvas.current, {
      left: ((clientX - left) / scaleX - view.width / 2) * zoom,
      top: ((clientY - top) / scaleY - view.height / 2) * zoom,
    });
  };
  return (
    // for pointer users; on the keyboard the arrows walk the tree itself
    <svg
      className={`minimap ${corner ?? (view.isMoving ? 'right' : 'right passing')}`}
      width={mapWidth}
      height={mapHeight}
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        move(event);
      }}
      onPointerMove={move}
    >
      {[...shapes].map(([tone, d]) => (
        <path key={tone} d={d} className={`fill-${tone}`} />
      ))}
      <rect
        className="minimap-view"
        x={Math.max(0, view.left) * scaleX}
        y={stretch.from * scaleY}
        width={Math.max(6, Math.min(view.width, layout.width) * scaleX)}
        height={Math.max(6, (stretch.to - stretch.from) * scaleY)}
        rx="2"
      />
    </svg>
  );
}

/** One path for each colour, whatever the number of boxes. */
function shapesOf(layout: Layout<TreeBox>, scaleX: number, scaleY: number): ReadonlyMap<Tone, string> {
  const paths = new Map<Tone, string[]>();
  for (const { box, x, y, width } of layout.placed) {
    const health = box.item?.health ?? box.application?.health ?? box.crowd?.counts[0]?.health;
    const tone = health ? toneOfHealth(health) : 'dim';
    const [w, h] = [Math.max(2, width * scaleX - 1), Math.max(1, Math.min(8, 44 * scaleY))];
    const d = `M${(x * scaleX).toFixed(1)} ${(y * scaleY).toFixed(1)}h${w.toFixed(1)}v${h.toFixed(1)}h-${w.toFixed(1)}z`;
    const list = paths.get(tone);
    if (list) list.push(d);
    else paths.set(tone, [d]);
  }
  return new Map([...paths].map(([tone, list]) => [tone, list.join('')]));
}

/** Where the tree scrolls: sideways in its own frame, up and down with the page. */
export function scrollersOf(canvas: HTMLElement | null) {
  return {
    sideways: canvas?.parentElement ?? undefined,
    page: canvas?.closest<HTMLElement>('[data-scroller]') ?? undefined,
  };
}

function scrollTo(canvas: HTMLElement | null, { left, top }: { left: number; top: number }): void {
  const { sideways, page } = scrollersOf(canvas);
  if (!canvas || !sideways || !page) return;
  sideways.scrollLeft = left;
  page.scrollTop += canvas.getBoundingClientRect().top - page.getBoundingClientRect().top + top;
}

function useView(canvas: RefObject<HTMLElement | null>, zoom: number, layout: unknown): View | undefined {
  const [view, setView] = useState<View>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another layout has other places
  useEffect(() => {
    const { sideways, page } = scrollersOf(canvas.current);
    if (!sideways || !page) return;
    const measure = (isMoving: boolean) => {
      const [box, frame] = [canvas.current?.getBoundingClientRect(), page.getBoundingClientRect()];
      if (!box) return;
      setView({
        left: sideways.scrollLeft / zoom,
        top: (frame.top - box.top) / zoom,
        width: (sideways.clientWidth - 2 * sidePadding) / zoom,
        height: page.clientHeight / zoom,
        isMoving,
      });
    };
    measure(false);
    const sizes = new ResizeObserver(() => measure(false));
    sizes.observe(sideways);
    const stop = new AbortController();
    for (const scroller of [sideways, page]) {
      scroller.addEventListener('scroll', () => measure(true), { passive: true, signal: stop.signal });
      scroller.addEventListener('scrollend', () => measure(false), { signal: stop.signal });
    }
    return () => {
      sizes.disconnect();
      stop.abort();
    };
  }, [canvas, zoom, layout]);
  return view;
}
