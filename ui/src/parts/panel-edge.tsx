import type { PointerEvent } from 'react';
import { keepPanelWidth } from '../data/preferences.ts';
import { fittingWidth, panelWidths, widthAfter } from '../shape/panel-width.ts';

/** The edge of the panel: the pointer drags it, and the arrow keys move it. The width is kept in this browser. */
export function PanelEdge({ width }: { width: number }) {
  const drag = (event: PointerEvent<HTMLElement>) => {
    const { currentTarget: edge, clientX, pointerId } = event;
    if (!edge.hasPointerCapture(pointerId)) return;
    const right = edge.parentElement?.getBoundingClientRect().right ?? 0;
    keepPanelWidth(fittingWidth(right - clientX));
  };
  return (
    <hr
      className="panel-edge"
      aria-orientation="vertical"
      aria-label="Width of the panel"
      aria-valuenow={width}
      aria-valuemin={panelWidths.least}
      aria-valuemax={panelWidths.most}
      tabIndex={0}
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={drag}
      onKeyDown={(event) => {
        const next = widthAfter(event.key, width);
        if (next === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        keepPanelWidth(next);
      }}
    />
  );
}
