import { Button } from '../kit/button.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { type Zoom, zoomStep } from '../shape/zoom.ts';

export type ZoomProps = Zoom;

/** The zoom as it is, and whether the tree chose it and is all in view with it. */
export function ZoomControl({ zoom, isOwn, fits }: ZoomProps) {
  const address = useAddress();
  const go = (next: string | undefined) => navigate(withQuery({ zoom: next }, address), 'replace');
  const [smaller, larger] = [zoomStep(zoom, -1), zoomStep(zoom, 1)];
  return (
    <div className="zoom">
      {!fits && <small className="zoom-note">wider than the page: drag it, or fold branches</small>}
      <Button
        variant="quiet"
        icon="minus"
        aria-label="Smaller"
        why={smaller ? undefined : 'It cannot be smaller.'}
        onClick={() => go(smaller)}
      />
      <span>{Math.round(zoom * 100)} %</span>
      <Button
        variant="quiet"
        icon="plus"
        aria-label="Larger"
        why={larger ? undefined : 'It cannot be larger.'}
        onClick={() => go(larger)}
      />
      <Button variant="quiet" className="fit" aria-pressed={isOwn && fits} onClick={() => go(undefined)}>
        Fit
      </Button>
    </div>
  );
}
