import './applications.css';
import type { RefObject } from 'react';
import { Icon } from '../kit/icon.tsx';
import { Link } from '../kit/link.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { Segmented } from '../kit/segmented.tsx';
import {
  type Grouping,
  groupings,
  isNarrowed,
  type ListView,
  listViews,
  narrowing,
} from '../shape/application-filter.ts';

const viewLabels: Readonly<Record<ListView, string>> = { list: 'Table', tiles: 'Tiles', summary: 'Summary' };

/** The filter, what it left over, and how the rest is grouped. */
export function ListToolbar({
  input,
  shown,
  all,
  group,
  view,
}: {
  input: RefObject<HTMLInputElement | null>;
  shown: number;
  all: number;
  group: Grouping;
  view: ListView;
}) {
  const address = useAddress();
  return (
    <div className="toolbar">
      <div className="filter">
        <Icon name="search" />
        <input
          ref={input}
          className="input"
          type="search"
          value={address.query.get('search') ?? ''}
          placeholder="Filter by name, project, repository, label"
          aria-label="Filter applications"
          onChange={(event) => navigate(withQuery({ search: event.target.value }, address), 'replace')}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
        <kbd>/</kbd>
      </div>
      {isNarrowed(address.query) && (
        <p className="shown">
          {shown} of {all}
          <Link
            to={withQuery(Object.fromEntries(narrowing.map((name) => [name, undefined])), address)}
            how="replace"
            className="textlink"
          >
            Show all
          </Link>
        </p>
      )}
      <Segmented
        label="Show as"
        current={view}
        options={listViews.map((one) => ({
          id: one,
          label: viewLabels[one],
          to: withQuery({ view: one === 'list' ? undefined : one }, address),
        }))}
      />
      <Segmented
        label="Group by"
        current={group}
        options={groupings.map((one) => ({
          id: one,
          label: one === 'none' ? 'Flat' : `${one[0]?.toUpperCase()}${one.slice(1)}`,
          to: withQuery({ group: one === 'none' ? undefined : one }, address),
        }))}
      />
    </div>
  );
}
