import './resources.css';
import type { AppRef } from '../data/use-application.ts';
import { Link } from '../kit/link.tsx';
import { viewPath } from '../shape/address.ts';
import type { TreeItem } from '../shape/resource-forest.ts';
import { factsOf } from '../shape/resource-line.ts';
import { shortAge } from '../shape/time.ts';
import { HealthState, SyncState } from './mark.tsx';

/** The managed resources as a table: the content of the tree as rows. */
export function ResourceList({
  items,
  place,
  selected,
  now,
}: {
  items: readonly TreeItem[];
  place: AppRef;
  selected: string | undefined;
  now: number;
}) {
  if (items.length === 0) return <p className="none-left">The application has no resources.</p>;
  return (
    <table className="resources">
      <thead>
        <tr>
          <th>Name</th>
          <th>Kind</th>
          <th>Namespace</th>
          <th>Sync</th>
          <th>Health</th>
          <th className="number">Wave</th>
          <th className="number">Age</th>
          <th>Details</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.key} data-selected={item.key === selected || undefined}>
            <td>
              <Link to={viewPath(place, 'list', item.key)} className="name">
                {item.name}
              </Link>
              <small>{item.kind}</small>
            </td>
            <td>{item.kind}</td>
            <td className="faint">{item.namespace || '–'}</td>
            <td>{item.sync ? <SyncState status={item.sync} /> : <span className="faint">–</span>}</td>
            <td>{item.health ? <HealthState status={item.health} /> : <span className="faint">–</span>}</td>
            <td className="number faint">{item.isHook ? 'hook' : item.wave}</td>
            <td className="number faint">
              {item.createdAt === undefined ? '–' : shortAge(item.createdAt, now)}
            </td>
            <td className="details">
              {item.message ??
                factsOf(item)
                  .map(({ text }) => text)
                  .join(' · ')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
