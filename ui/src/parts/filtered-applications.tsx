import { useMemo, useRef } from 'react';
import type { Application } from '#base/model';
import { useAddress } from '../kit/location.ts';
import { useHotkeys } from '../kit/use-hotkeys.ts';
import { arrange, filterOf } from '../shape/application-filter.ts';
import { ApplicationsTable } from './applications-table.tsx';
import { ListToolbar } from './list-toolbar.tsx';

/** Applications as a table that the address filters, sorts and groups. */
export function FilteredApplications({ apps, now }: { apps: readonly Application[]; now: number }) {
  const { query } = useAddress();
  const input = useRef<HTMLInputElement>(null);
  useHotkeys({ '/': () => input.current?.focus() });
  const filter = filterOf(query);
  const groups = useMemo(() => arrange(apps, filterOf(query)), [apps, query]);
  const shown = groups.reduce((sum, group) => sum + group.apps.length, 0);
  return (
    <>
      <ListToolbar input={input} shown={shown} all={apps.length} group={filter.group} />
      {shown > 0 ? (
        <ApplicationsTable groups={groups} filter={filter} now={now} />
      ) : (
        <p className="none-left">No application matches the filter.</p>
      )}
    </>
  );
}
