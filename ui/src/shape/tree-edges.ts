import type { Edge } from './tree-layout.ts';

type Band = { readonly top: number; readonly bottom: number };

const radius = 8;

/**
 * The edges of a band of the picture as one SVG path. A browser draws all of a path, however little of it is in view: an edge
 * that enters the band from above begins there, and those that one owner sends past its end are one line.
 */
export function edgePath(edges: readonly Edge[], { top, bottom }: Band): string {
  const lines: string[] = [];
  const passing = new Map<string, Edge>();
  for (const edge of edges) {
    if (edge.y2 < top || edge.y1 > bottom) continue;
    if (edge.y2 <= bottom) lines.push(bend(edge, top));
    else passing.set(`${edge.x1} ${edge.y1}`, edge);
  }
  for (const edge of passing.values()) lines.push(`${begin(edge, top)}V${bottom}`);
  return lines.join('');
}

/** Out of the owner, down its column, and into the owned, with round corners. */
function bend(edge: Edge, top: number): string {
  const { x1, y1, x2, y2 } = edge;
  if (y1 === y2) return `M${x1} ${y1}H${x2}`;
  return `${begin(edge, Math.min(top, y2 - radius))}V${y2 - radius}q0 ${radius} ${radius} ${radius}H${x2}`;
}

/** Out of the owner and into the column of the edge, or where that enters the band. */
function begin({ x1, y1, x2 }: Edge, top: number): string {
  const middle = x1 + (x2 - x1) / 2;
  if (y1 + radius < top) return `M${middle} ${top}`;
  return `M${x1} ${y1}H${middle - radius}q${radius} 0 ${radius} ${radius}`;
}
