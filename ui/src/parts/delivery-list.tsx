import './notifications.css';
import type { DeliveryView } from '#serve/api';
import type { Loaded } from '../data/use-load.ts';
import { DataTable } from '../kit/data-table.tsx';
import { Link } from '../kit/link.tsx';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { viewPath } from '../shape/address.ts';
import { type DeliveryLine, deliveryLines, deliverySentence } from '../shape/deliveries.ts';
import { toneOfHealth } from '../shape/state.ts';
import { ago, fullTime } from '../shape/time.ts';
import { HealthMark } from './mark.tsx';

/** What became of the last notifications: when, to whom, and of what failed the cause and the next try. */
export function DeliveryList({
  deliveries: { data, error },
  now,
  hasApplication,
}: {
  deliveries: Loaded<readonly DeliveryView[]>;
  now: number;
  /** All of one application: it need not be named, and a sentence counts them. The settings open with one that counts all. */
  hasApplication?: boolean;
}) {
  if (!data && error) return <Problem title="The deliveries cannot be shown" message={error.message} />;
  if (!data) return <Skeleton label="Loading the deliveries" rows={5} />;
  const when = (line: DeliveryLine) =>
    line.at === undefined ? '–' : <span title={fullTime(line.at)}>{ago(line.at, now)}</span>;
  return (
    <>
      {hasApplication && (
        <p className="delivery-sentence" role="status">
          {deliverySentence(data)}
        </p>
      )}
      {data.length > 0 && (
        <DataTable
          caption="Deliveries"
          rows={deliveryLines(data, now)}
          keyOf={({ key }) => key}
          none=""
          columns={[
            ...(hasApplication ? [] : [applicationColumn]),
            { label: 'Trigger', width: '16%', cell: ({ trigger }) => trigger },
            { label: 'Destination', width: '20%', cell: ({ destination }) => destination },
            { label: 'Outcome', cell: (line) => <Outcome line={line} /> },
            { label: 'When', width: '96px', cell: when },
          ]}
        />
      )}
    </>
  );
}

const applicationColumn = {
  label: 'Application',
  width: '18%',
  cell: ({ place }: DeliveryLine) => (
    <Link to={viewPath(place, 'notifications')} className="textlink">
      {place.name}
    </Link>
  ),
};

function Outcome({ line: { health, outcome, cause, next, together } }: { line: DeliveryLine }) {
  return (
    <div className="delivery-outcome">
      <span className={`standing tone-${toneOfHealth(health)}`}>
        <HealthMark status={health} size={14} /> {outcome}
      </span>
      {next && <small>{next}</small>}
      {together && <small>{together}</small>}
      {cause && <small className="delivery-cause">{cause}</small>}
    </div>
  );
}
