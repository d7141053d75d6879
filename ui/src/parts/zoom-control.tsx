import { Button } from '../kit/button.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';

const steps = [40, 60, 80, 100, 125];

/** The zoom of the address, as a factor; undefined: the tree fits itself into the page. */
export function zoomOf(query: URLSearchParams): number | undefined {
  const wanted = Number(query.get('zoom') ?? Number.NaN);
  const step = steps.find((one) => one === wanted);
  return step && step / 100;
}

/** The address with the zoom one step up or down; the fitted tree counts as full size. */
export function zoomStep(query: URLSearchParams, by: 1 | -1): string | undefined {
  const at = steps.indexOf(Math.round((zoomOf(query) ?? 1) * 100));
  const next = steps[at + by];
  return next === undefined ? undefined : String(next);
}

export function ZoomControl() {
  const address = useAddress();
  const zoom = zoomOf(address.query);
  const go = (next: string | undefined) => navigate(withQuery({ zoom: next }, address), 'replace');
  const step = (by: 1 | -1) => {
    const next = zoomStep(address.query, by);
    if (next) go(next);
  };
  return (
    <div className="zoom">
      <Button look="quiet" icon="minus" aria-label="Smaller" onClick={() => step(-1)} />
      <span>{zoom === undefined ? 'fitted' : `${Math.round(zoom * 100)} %`}</span>
      <Button look="quiet" icon="plus" aria-label="Larger" onClick={() => step(1)} />
      <Button look="quiet" className="fit" aria-pressed={zoom === undefined} onClick={() => go(undefined)}>
        Fit
      </Button>
    </div>
  );
}
