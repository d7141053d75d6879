/** The width of the panel beside a page, in pixels. */
export const panelWidths = { least: 360, usual: 460, most: 960, step: 32 } as const;

/** A width that leaves room for the page and for the panel; what is no number is the usual one. */
export function fittingWidth(wanted: unknown): number {
  if (typeof wanted !== 'number' || !Number.isFinite(wanted)) return panelWidths.usual;
  return Math.round(Math.min(panelWidths.most, Math.max(panelWidths.least, wanted)));
}

/** The width after a key; undefined: the key does not change it. The panel is at the right: it grows to the left. */
export function widthAfter(key: string, width: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
      return fittingWidth(width + panelWidths.step);
    case 'ArrowRight':
      return fittingWidth(width - panelWidths.step);
    case 'Home':
      return panelWidths.most;
    case 'End':
      return panelWidths.least;
    default:
      return undefined;
  }
}
