import type { HealthCode } from '#base/model';
import { type Tone, toneOfHealth, worstHealth } from './state.ts';
import type { TreeBox } from './tree-fold.ts';
import type { Layout } from './tree-layout.ts';

type Scale = { readonly x: number; readonly y: number };
type Shape = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly health?: HealthCode | undefined;
};

/**
 * A tree in small: one path for each colour. A browser draws all of them again for each step of a scroll, so there is one
 * shape for a pixel: of boxes that share it, the worst is shown.
 */
export function minimapShapes(layout: Layout<TreeBox>, scale: Scale): ReadonlyMap<Tone, string> {
  const height = Math.max(1, Math.min(8, 44 * scale.y));
  const paths = new Map<Tone, string[]>();
  for (const { left, top, width, health } of shapesOf(layout, scale)) {
    const tone = health ? toneOfHealth(health) : 'dim';
    const d = `M${left.toFixed(1)} ${top.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h-${width.toFixed(1)}z`;
    const list = paths.get(tone);
    if (list) list.push(d);
    else paths.set(tone, [d]);
  }
  return new Map([...paths].map(([tone, list]) => [tone, list.join('')]));
}

function shapesOf({ placed, height }: Layout<TreeBox>, scale: Scale): Iterable<Shape> {
  const isCrowded = placed.length > height * scale.y;
  const shapes = new Map<string, Shape>();
  for (const { box, x, y, width } of placed) {
    const top = isCrowded ? Math.floor(y * scale.y) : y * scale.y;
    const key = `${x} ${top}`;
    const health = box.item?.health ?? box.application?.health ?? box.crowd?.counts[0]?.health;
    const shape = { left: x * scale.x, top, width: Math.max(2, width * scale.x - 1) };
    shapes.set(key, { ...shape, health: worstHealth([shapes.get(key)?.health, health]) });
  }
  return shapes.values();
}
