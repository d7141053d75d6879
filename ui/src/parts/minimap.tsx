import { type PointerEvent, type RefObject, useEffect, useMemo, useState } from 'react';
import { freeCorner, showsAll } from '../shape/free-corner.ts';
import { minimapShapes } from '../shape/minimap-shapes.ts';
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
  const shapes = useMemo(() => minimapShapes(layout, { x: scaleX, y: scaleY }), [layout, scaleX, scaleY]);
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
