import './applications.css';
import { type RefObject, useMemo, useRef } from 'react';
import { type Application, qualifiedName } from '#base/model';
import { Link } from '../kit/link.tsx';
import { useAddress, withQuery } from '../kit/location.ts';
import { useMatch } from '../kit/use-match.ts';
import { useVisibleRows } from '../kit/use-visible-rows.ts';
import { pathOf, placeOf } from '../shape/address.ts';
import { type ApplicationFilter, type Group, type Order, sortFor } from '../shape/application-filter.ts';
import { ApplicationRow } from './application-row.tsx';
import { HealthState } from './mark.tsx';
import { openRow, useWalking } from './walk-rows.ts';

const rowHeight = 44;
const phone = '(max-width: 600px)';

type Row = { readonly group: Group } | { readonly app: Application };

type RowsProps = {
  now: number;
  chosen: ReadonlySet<string>;
  starred: ReadonlySet<string>;
  onChoose(key: string): void;
};

type TableProps = RowsProps & { groups: readonly Group[]; filter: ApplicationFilter; onChooseAll(): void };

/**
 * The applications, one a row. With many, rows out of view are not drawn; two empty rows keep their height.
 */
export function ApplicationsTable({ groups, filter, onChooseAll, ...rest }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const rows = useMemo(() => rowsOf(groups), [groups]);
  useWalking(body);
  const isAll = groups.every(({ apps }) => apps.every((app) => rest.chosen.has(qualifiedName(app))));
  return (
    <table className="table" aria-rowcount={rows.length + 1}>
      <caption className="unseen">Applications</caption>
      <TableHead filter={filter} isAllChosen={isAll} onChooseAll={onChooseAll} />
      <Rows body={body} rows={rows} {...rest} />
    </table>
  );
}

type BodyProps = RowsProps & { body: RefObject<HTMLTableSectionElement | null>; rows: readonly Row[] };

/** The rows in view. A scroll draws this again, and nothing around it. */
function Rows({ body, rows, now, chosen, starred, onChoose }: BodyProps) {
  const { first, last } = useVisibleRows(body, rows.length, rowHeight);
  const isPhone = useMatch(phone);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the link in each row is the keyboard's way
    <tbody ref={body} onClick={openRow}>
      <Gap rows={first} />
      {rows.slice(first, last).map((row, at) => (
        <tr key={keyOf(row)} aria-rowindex={first + at + 2}>
          {'group' in row ? (
            <GroupCell group={row.group} />
          ) : (
            <ApplicationRow
              app={row.app}
              now={now}
              isChosen={chosen.has(qualifiedName(row.app))}
              isStarred={starred.has(qualifiedName(row.app))}
              isPhone={isPhone}
              onChoose={onChoose}
            />
          )}
        </tr>
      ))}
      <Gap rows={rows.length - last} />
    </tbody>
  );
}

/** The height of rows that are not drawn; one cell: more than a narrow page has columns would take their width. */
function Gap({ rows }: { rows: number }) {
  if (rows <= 0) return null;
  return (
    <tr>
      <td className="gap" style={{ height: rows * rowHeight }} />
    </tr>
  );
}

function GroupCell({ group }: { group: Group }) {
  return (
    <th scope="rowgroup" colSpan={useColumnCount()} className="group-cell">
      <b>{group.name}</b>
      <span className="faint">{group.apps.length}</span>
      {group.worst && group.worst !== 'Healthy' && <HealthState status={group.worst} size={14} />}
    </th>
  );
}

/** The columns that applications.css leaves a page of this width. */
function useColumnCount(): number {
  const isNarrow = useMatch('(max-width: 1240px)'); // without the project
  const isSmall = useMatch('(max-width: 1100px)'); // nor the destination
  const isPhone = useMatch(phone); // nor what it does and its revision; both states stand in one
  const hidden = [isNarrow, isSmall, isPhone, isPhone, isPhone].filter(Boolean).length;
  return columns.length - hidden;
}

const columns: readonly { label: string; order?: Order }[] = [
  { label: 'Name', order: 'name' },
  { label: 'Project', order: 'project' },
  { label: 'Sync', order: 'sync' },
  { label: 'Health', order: 'health' },
  { label: 'Doing now' },
  { label: 'Revision' },
  { label: 'Destination', order: 'destination' },
];

type HeadProps = { filter: ApplicationFilter; isAllChosen: boolean; onChooseAll(): void };

function TableHead({ filter, isAllChosen, onChooseAll }: HeadProps) {
  const address = useAddress();
  const direction = filter.isReversed ? 'descending' : 'ascending';
  return (
    <thead>
      <tr>
        {columns.map(({ label, order }) => (
          <th key={label} scope="col" aria-sort={order === filter.order ? direction : undefined}>
            {order === 'name' && (
              <input
                type="checkbox"
                className="choose-shown"
                aria-label="Choose all shown"
                checked={isAllChosen}
                onChange={onChooseAll}
              />
            )}
            {order ? (
              <Link to={withQuery({ sort: sortFor(order, filter) }, address)} how="replace">
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

const rowsOf = (groups: readonly Group[]): Row[] =>
  groups.flatMap((group) => [...(group.name ? [{ group }] : []), ...group.apps.map((app) => ({ app }))]);

const keyOf = (row: Row): string => ('group' in row ? `group ${row.group.name}` : pathOf(placeOf(row.app)));
