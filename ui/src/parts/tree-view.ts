import { type RefObject, useEffect, useEffectEvent, useLayoutEffect, useState } from 'react';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { zoomStep } from '../shape/zoom.ts';
import { scrollersOf } from './minimap.tsx';

type Canvas = RefObject<HTMLElement | null>;

/** The width that the tree has; 0 until it is measured. */
export function useFrameWidth(canvas: Canvas): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { sideways } = scrollersOf(canvas.current);
    if (!sideways) return;
    const measure = () => {
      const { paddingLeft, paddingRight } = getComputedStyle(sideways);
      setWidth(sideways.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight));
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(sideways);
    return () => sizes.disconnect();
  }, [canvas]);
  return width;
}

/** The mouse drags the picture by its ground; fingers and the wheel scroll it by themselves. */
export function usePan(canvas: Canvas): void {
  useEffect(() => {
    const { sideways, page } = scrollersOf(canvas.current);
    if (!sideways || !page) return;
    const stop = new AbortController();
    const drag = ({ movementX, movementY, buttons }: PointerEvent) => {
      if (buttons !== 1) return sideways.classList.remove('dragged');
      sideways.scrollLeft -= movementX;
      page.scrollTop -= movementY;
    };
    const grab = (event: PointerEvent) => {
      const isGround = event.target instanceof Element && !event.target.closest('button, .fold-button');
      if (event.pointerType !== 'mouse' || event.button !== 0 || !isGround) return;
      sideways.classList.add('dragged');
      sideways.setPointerCapture(event.pointerId);
    };
    const release = () => sideways.classList.remove('dragged');
    sideways.addEventListener('pointerdown', grab, stop);
    sideways.addEventListener('pointerup', release, stop);
    sideways.addEventListener(
      'pointermove',
      (event) => sideways.classList.contains('dragged') && drag(event),
      stop,
    );
    return () => stop.abort();
  }, [canvas]);
}

/** The wheel with the control key, and two fingers on a touchpad, zoom the tree instead of the page. */
export function useWheelZoom(canvas: Canvas, shown: number): void {
  const address = useAddress();
  const turn = useEffectEvent((event: WheelEvent) => {
    if (!event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    const zoom = zoomStep(shown, event.deltaY < 0 ? 1 : -1);
    if (zoom) navigate(withQuery({ zoom }, address), 'replace');
  });
  useEffect(() => {
    const { sideways } = scrollersOf(canvas.current);
    const listen = (event: WheelEvent) => turn(event);
    sideways?.addEventListener('wheel', listen, { passive: false });
    return () => sideways?.removeEventListener('wheel', listen);
  }, [canvas]);
}
