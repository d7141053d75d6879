import { Link } from '../kit/link.tsx';
import { useAddress, withQuery } from '../kit/location.ts';
import { counted } from '../shape/span.ts';

/** What its project reports as orphaned, which is shown on request, and why there may be none. */
export function OrphanSwitch({ count, isOn }: { count: number; isOn: boolean }) {
  const address = useAddress();
  const words =
    count > 0
      ? `${counted(count, 'resource')} in its namespace ${count === 1 ? 'belongs' : 'belong'} to no application.`
      : 'No orphaned resource is reported: there is none, or the project does not monitor them (spec.orphanedResources).';
  return (
    <p className="orphans">
      {words}{' '}
      <Link
        to={withQuery({ orphaned: isOn ? undefined : 'true' }, address)}
        how="replace"
        className="textlink"
      >
        {isOn ? 'Hide orphans' : 'Show orphans'}
      </Link>
    </p>
  );
}
