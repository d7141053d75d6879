import { Button } from '../kit/button.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';

const steps = [40, 60, 80, 100, 125];

/** The zoom of the address, as a factor. */
export function zoomOf(query: URLSearchParams): number {
  const wanted = Number(query.get('zoom') ?? 100);
  return (steps.find((step) => step === wanted) ?? 100) / 100;
}

export function ZoomControl({ zoom }: { zoom: number }) {
  const address = useAddress();
  const at = steps.indexOf(Math.round(zoom * 100));
  const go = (step: number) => {
    const next = steps[at + step];
    if (next) navigate(withQuery({ zoom: next === 100 ? undefined : String(next) }, address), 'replace');
  };
  return (
    <div className="zoom">
      <Button look="quiet" icon="minus" aria-label="Smaller" onClick={() => go(-1)} />
      <span>{Math.round(zoom * 100)} %</span>
      <Button look="quiet" icon="plus" aria-label="Larger" onClick={() => go(1)} />
    </div>
  );
}
