import { type RefObject, useLayoutEffect } from 'react';

/** When this part leaves the page with the focus in it, the focus returns to the previous element. */
export function useFocusReturn(part: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const [was, element] = [document.activeElement, part.current];
    return () => {
      if (element?.contains(document.activeElement) && was instanceof HTMLElement && was.isConnected)
        was.focus();
    };
  }, [part]);
}
