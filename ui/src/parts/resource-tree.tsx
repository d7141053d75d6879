import './tree.css';
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Application } from '#base/model';
import {
  type Address,
  type How,
  navigate,
  type QueryChanges,
  useAddress,
  withQuery,
} from '../kit/location.ts';
import { boxWidth } from '../shape/box-width.ts';
import { healthOf, syncOf } from '../shape/fleet.ts';
import { foldingOf, withFold, withSpread } from '../shape/folding.ts';
import type { TreeItem } from '../shape/resource-forest.ts';
import { edgePath } from '../shape/tree-edges.ts';
import { type Folding, foldTree, type TreeBox } from '../shape/tree-fold.ts';
import {
  branchOf,
  isArrow,
  type Layout,
  layoutTree,
  neighbourOf,
  type PositionedBox,
  placedWithin,
} from '../shape/tree-layout.ts';
import { zoomIn, zoomOf } from '../shape/zoom.ts';
import { Minimap, scrollersOf } from './minimap.tsx';
import { TreeBar, type TreeSearch, useTreeSearch } from './tree-bar.tsx';
import { TreeNode } from './tree-node.tsx';
import { useFrameWidth, usePan, useWheelZoom } from './tree-view.ts';

const height = 52;
const [gapX, gapY] = [24, 8];
const narrowest = 152;

type TreeProps = {
  app: Application;
  items: readonly TreeItem[];
  selected: string | undefined;
  now: number;
  /** The edges are ways of requests, not of ownership. */
  isNetwork?: boolean;
  /** What the tree can be filtered by. */
  facets?: ReactNode;
};

/** The resources from left to right, owners before what they own. Only what is in view is drawn. */
export function ResourceTree({ app, items, selected, now, isNetwork, facets }: TreeProps) {
  const address = useAddress();
  const canvas = useRef<HTMLDivElement>(null);
  const frame = useFrameWidth(canvas);
  const search = useTreeSearch(items);
  const { found, current } = search;
  const [fold, spread] = [address.query.get('fold') ?? '', address.query.get('spread') ?? ''];
  const root = useMemo(
    () => rootOf(app, items, { ...foldingOf(new URLSearchParams({ fold, spread })), found }),
    [app, items, fold, spread, found],
  );
  const wanted = zoomOf(address.query);
  const layout = useMemo(() => {
    const fit = wanted === undefined && frame > 0 ? { width: frame, narrowest } : undefined;
    return layoutTree(root, { widthOf: (box) => boxWidth(box, now), height, gapX, gapY, fit });
  }, [root, now, frame, wanted]);
  const shown = zoomIn(frame, layout.width, wanted);
  const { zoom } = shown;
  const band = useBand(canvas, zoom);
  useShowing(canvas, layout, { selected, zoom });
  useShowing(canvas, layout, { selected: current?.key, zoom });
  usePan(canvas);
  useWheelZoom(canvas, zoom);
  const [top, bottom] = [band.top - height, band.bottom];
  const placed = placedWithin(layout, top, bottom);
  const { choose, turn } = useDeeds(address);
  return (
    <div className={isNetwork ? 'tree-area network' : 'tree-area'}>
      <TreeBar search={search} zoom={shown} onWalk={() => focusBox(canvas.current, current?.key)}>
        {facets}
      </TreeBar>
      <div className="tree-scroll">
        <div
          ref={canvas}
          role="tree"
          aria-label="Resources"
          className="tree"
          onKeyDown={(event) => {
            const focused = layout.placed.find(({ box }) => box.id === focusedId());
            if (focused && isFoldKey(event.key, focused.box)) turn(focused.box);
            else if (focused) walk(event, layout, focused);
          }}
          tabIndex={-1}
          style={{ width: layout.width * zoom, height: layout.height * zoom }}
        >
          <div style={{ scale: zoom, transformOrigin: '0 0', width: layout.width, height: layout.height }}>
            <Edges layout={layout} top={top} bottom={bottom} />
            {placed
              .toSorted((a, b) => a.order - b.order)
              .map((one) => (
                <TreeNode
                  key={one.box.id}
                  placed={one}
                  height={height}
                  isSelected={selected !== undefined && one.box.item?.key === selected}
                  match={matchOf(one.box, search)}
                  now={now}
                  onChoose={choose}
                  onFold={turn}
                />
              ))}
          </div>
        </div>
      </div>
      <Minimap layout={layout} zoom={zoom} canvas={canvas} />
    </div>
  );
}

/** What a press on a box does; the same functions for one address, or each scroll would draw every box again. */
function useDeeds(address: Address) {
  return useMemo(() => {
    const go = (changes: QueryChanges, how: How = 'replace') => navigate(withQuery(changes, address), how);
    return {
      choose: ({ crowd, item }: TreeBox) => {
        if (crowd) go({ spread: withSpread(address.query, crowd.key) });
        else go({ node: item?.key, tab: undefined }, 'push');
      },
      turn: ({ item }: TreeBox) => item && go({ fold: withFold(address.query, item.key) }),
    };
  }, [address]);
}

/** Whether a search found the box, and whether it is the match that is being shown. */
function matchOf({ item }: TreeBox, { found, current }: TreeSearch): 'found' | 'current' | undefined {
  if (!item || !found.matching.has(item)) return undefined;
  return item === current ? 'current' : 'found';
}

/** From the search into the tree: its match, else its root. */
function focusBox(canvas: HTMLElement | null, key: string | undefined): void {
  const nodes = [...(canvas?.querySelectorAll<HTMLElement>('[role="treeitem"]') ?? [])];
  (nodes.find((one) => key !== undefined && one.dataset.key === key) ?? nodes[0])?.focus();
}

const focusedId = (): string | undefined =>
  document.activeElement?.closest<HTMLElement>('[role="treeitem"]')?.dataset.box;

/** Right opens what is closed, as trees do; - and + fold and unfold. */
function isFoldKey(key: string, { item, hidden }: TreeBox): boolean {
  if (!item || item.children.length === 0) return false;
  return hidden ? key === '+' || key === 'ArrowRight' : key === '-';
}

/** The application itself is the root: trouble anywhere is visible from it. */
function rootOf(app: Application, items: readonly TreeItem[], folding: Folding): TreeBox {
  const id = `app ${app.metadata.name}`;
  const boxes = foldTree(items, folding);
  return {
    id,
    application: { name: app.metadata.name, health: healthOf(app), sync: syncOf(app) },
    children: boxes,
  };
}

/** A drawing of the band alone: one as high as a large tree is slow to draw. */
const Edges = memo(function Edges({
  layout,
  top,
  bottom,
}: {
  layout: Layout<TreeBox>;
  top: number;
  bottom: number;
}) {
  const [from, to] = [Math.max(0, top), Math.max(0, Math.min(bottom, layout.height))];
  const { width } = layout;
  return (
    <svg
      className="edges"
      style={{ top: from }}
      width={width}
      height={to - from}
      viewBox={`0 ${from} ${width} ${to - from}`}
      aria-hidden="true"
    >
      <path d={edgePath(layout.edges, { top: from, bottom: to })} />
    </svg>
  );
});

/** The part of the picture that the page shows, with some to spare. */
function useBand(canvas: { current: HTMLElement | null }, zoom: number): { top: number; bottom: number } {
  const [band, setBand] = useState({ top: 0, bottom: 2000 });
  useLayoutEffect(() => {
    const scroller = canvas.current?.closest<HTMLElement>('[data-scroller]');
    if (!scroller) return;
    const update = () => {
      const above = scroller.getBoundingClientRect().top - (canvas.current?.getBoundingClientRect().top ?? 0);
      const step = 400; // whole steps, so that a small scroll redraws nothing
      const top = Math.floor(above / zoom / step) * step - step;
      const bottom = top + Math.ceil(scroller.clientHeight / zoom / step) * step + 3 * step;
      setBand((was) => (was.top === top && was.bottom === bottom ? was : { top, bottom }));
    };
    update();
    const sizes = new ResizeObserver(update);
    sizes.observe(scroller);
    scroller.addEventListener('scroll', update, { passive: true });
    return () => {
      sizes.disconnect();
      scroller.removeEventListener('scroll', update);
    };
  }, [canvas, zoom]);
  return band;
}

/** The selected box is brought into view with its branch: what the panel is about is never out of sight. */
function useShowing(
  canvas: { current: HTMLElement | null },
  layout: Layout<TreeBox>,
  { selected, zoom }: { selected: string | undefined; zoom: number },
): void {
  const shown = selected && layout.placed.find(({ box }) => box.item?.key === selected);
  const show = useEffectEvent(() => {
    const { sideways: frame, page: scroller } = scrollersOf(canvas.current);
    if (!shown || !frame || !scroller) return;
    const stretch = stretchToShow(layout, shown, (frame.clientWidth - 2 * margin) / zoom);
    const [left, right] = [stretch[0] * zoom, stretch[1] * zoom];
    if (right + margin > frame.scrollLeft + frame.clientWidth)
      frame.scrollLeft = right + margin - frame.clientWidth;
    if (left - margin < frame.scrollLeft) frame.scrollLeft = left - margin;
    const top = frame.getBoundingClientRect().top - scroller.getBoundingClientRect().top + shown.y * zoom;
    if (top > scroller.clientHeight - height - margin || top < heads)
      scroller.scrollTop += top - scroller.clientHeight / 2;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another selection or another size moves the picture
  useLayoutEffect(() => show(), [selected, zoom, layout.width]);
}

const margin = 24;
const heads = 96; // the tabs and the bar of the tree, which stay above it

/** The branch of a box where all of it fits, else the box alone. */
function stretchToShow(
  layout: Layout<TreeBox>,
  shown: PositionedBox<TreeBox>,
  room: number,
): [number, number] {
  const { left, right } = branchOf(layout, shown);
  return right - left <= room ? [left, right] : [shown.x, shown.x + shown.width];
}

function walk(
  event: KeyboardEvent<HTMLDivElement>,
  layout: Layout<TreeBox>,
  from: PositionedBox<TreeBox>,
): void {
  if (!isArrow(event.key)) return;
  const next = neighbourOf(layout, from, event.key);
  if (!next) return;
  event.preventDefault();
  const tree = event.currentTarget;
  const node = [...tree.querySelectorAll<HTMLElement>('[role="treeitem"]')].find(
    (one) => one.dataset.box === next.box.id,
  );
  node?.focus({ preventScroll: true });
  node?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
