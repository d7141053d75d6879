import './resources.css';
import { useMemo, useRef } from 'react';
import type { AppRef } from '../data/use-application.ts';
import { Link } from '../kit/link.tsx';
import { useAddress, withQuery } from '../kit/location.ts';
import { useVisibleRows } from '../kit/use-visible-rows.ts';
import { pathOf } from '../shape/address.ts';
import {
  type ResourceOrder,
  resourceFilterOf,
  resourceRows,
  resourceSortFor,
  resourceSortOf,
} from '../shape/resource-filter.ts';
import type { TreeItem } from '../shape/resource-forest.ts';
import { factsOf } from '../shape/resource-line.ts';
import { shortAge } from '../shape/time.ts';
import { HealthState, SyncState } from './mark.tsx';
import { ResourceFacets } from './resource-facets.tsx';

type ListProps = {
  items: readonly TreeItem[];
  place: AppRef;
  selected: string | undefined;
  now: number;
};

const rowHeight = 41;

/** The managed resources as a table, or all that a filter wants. With many, rows out of view are not drawn. */
export function ResourceList({ items, place, selected, now }: ListProps) {
  const { query } = useAddress();
  const body = useRef<HTMLTableSectionElement>(null);
  const rows = useMemo(
    () => resourceRows(items, resourceFilterOf(query), resourceSortOf(query)),
    [items, query],
  );
  const { first, last } = useVisibleRows(body, rows.length, rowHeight);
  if (items.length === 0) return <p className="none-left">The application has no resources.</p>;
  return (
    <>
      <div className="list-bar">
        <ResourceFacets items={items} />
      </div>
      <table className="resources" aria-rowcount={rows.length + 1}>
        <ListHead />
        <tbody ref={body}>
          <Gap rows={first} />
          {rows.slice(first, last).map((item, at) => (
            <tr
              key={item.key}
              aria-rowindex={first + at + 2}
              data-selected={item.key === selected || undefined}
            >
              <ResourceCells item={item} place={place} now={now} />
            </tr>
          ))}
          <Gap rows={rows.length - last} />
        </tbody>
      </table>
      {rows.length === 0 && <p className="none-left">No resource matches the filter.</p>}
    </>
  );
}

const columns: readonly { label: string; order?: ResourceOrder; isNumber?: boolean }[] = [
  { label: 'Name', order: 'name' },
  { label: 'Kind', order: 'kind' },
  { label: 'Namespace', order: 'namespace' },
  { label: 'Sync', order: 'sync' },
  { label: 'Health', order: 'health' },
  { label: 'Wave', order: 'wave', isNumber: true },
  { label: 'Age', order: 'age', isNumber: true },
  { label: 'Details' },
];

function ListHead() {
  const address = useAddress();
  const sort = resourceSortOf(address.query);
  const direction = sort.isReversed ? 'descending' : 'ascending';
  return (
    <thead>
      <tr>
        {columns.map(({ label, order, isNumber }) => (
          <th
            key={label}
            className={isNumber ? 'number' : undefined}
            aria-sort={order === sort.order ? direction : undefined}
          >
            {order ? (
              <Link to={withQuery({ sort: resourceSortFor(order, sort) }, address)} how="replace">
                {label}
              </Link>
            ) : (
              label
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** The height of rows that are not drawn; one cell: more than a narrow page has columns would take their width. */
function Gap({ rows }: { rows: number }) {
  if (rows <= 0) return null;
  return (
    <tr className="gap">
      <td style={{ height: rows * rowHeight }} />
    </tr>
  );
}

function ResourceCells({ item, place, now }: { item: TreeItem; place: AppRef; now: number }) {
  const address = useAddress();
  return (
    <>
      <td>
        <Link
          to={withQuery({ node: item.key, tab: undefined }, { ...address, path: pathOf(place) })}
          className="name"
        >
          {item.name}
        </Link>
        <small>{item.kind}</small>
      </td>
      <td>{item.kind}</td>
      <td className="faint">{item.namespace || '–'}</td>
      <td>{item.sync ? <SyncState status={item.sync} /> : <span className="faint">–</span>}</td>
      <td>{item.health ? <HealthState status={item.health} /> : <span className="faint">–</span>}</td>
      <td className="number faint">{item.isHook ? 'hook' : item.wave}</td>
      <td className="number faint">{item.createdAt === undefined ? '–' : shortAge(item.createdAt, now)}</td>
      <td className="details">
        {item.message ??
          factsOf(item)
            .map(({ text }) => text)
            .join(' · ')}
      </td>
    </>
  );
}
