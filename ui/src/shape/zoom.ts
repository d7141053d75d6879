const steps = [40, 60, 80, 100, 125];

/** The zoom of the address, as a factor; undefined: the tree fits itself into the page. */
export function zoomOf(query: URLSearchParams): number | undefined {
  const wanted = Number(query.get('zoom') ?? Number.NaN);
  const step = steps.find((one) => one === wanted);
  return step && step / 100;
}

/** The next larger or smaller step from what is shown; undefined: there is none. */
export function zoomStep(shown: number, by: 1 | -1): string | undefined {
  const percent = Math.round(shown * 100);
  const next = by === 1 ? steps.find((one) => one > percent) : steps.findLast((one) => one < percent);
  return next === undefined ? undefined : String(next);
}

const smallest = 0.7; // below this a fitted tree could not be read; it is panned instead

/** How a tree is shown in a frame: by itself it shrinks as far as it can be read, and may still be wider than the frame. */
export function zoomIn(frame: number, width: number, wanted: number | undefined): Zoom {
  const zoom = wanted ?? (frame > 0 ? Math.min(1, Math.max(smallest, frame / width)) : 1);
  return { zoom, isOwn: wanted === undefined, fits: frame === 0 || width * zoom <= frame + 1 };
}

export type Zoom = {
  readonly zoom: number;
  /** The tree has chosen it itself. */
  readonly isOwn: boolean;
  /** All of its width is in the frame. */
  readonly fits: boolean;
};
