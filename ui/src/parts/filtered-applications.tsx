import './tiles.css';
import { useCallback, useMemo, useRef, useState } from 'react';
import { type Application, qualifiedName } from '#base/model';
import { usePreferences } from '../data/preferences.ts';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { useHotkeys } from '../kit/use-hotkeys.ts';
import {
  type ApplicationFilter,
  arrange,
  filterOf,
  type Group,
  type ListView,
  listViewOf,
} from '../shape/application-filter.ts';
import { bulkDeedOf } from '../shape/foreign-links.ts';
import { ApplicationSummary, ApplicationTiles } from './application-tiles.tsx';
import { ApplicationsTable } from './applications-table.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { FacetBar } from './facet-bar.tsx';
import { ListToolbar } from './list-toolbar.tsx';

/** Applications that the address filters, sorts and groups, as a table, as tiles or as counts. */
export function FilteredApplications({ apps, now }: { apps: readonly Application[]; now: number }) {
  const address = useAddress();
  const { query } = address;
  const input = useRef<HTMLInputElement>(null);
  const { favourites } = usePreferences();
  const starred = useMemo(() => new Set(favourites), [favourites]);
  useHotkeys({ '/': () => input.current?.focus() });
  const filter = filterOf(query);
  const view = listViewOf(query);
  const groups = useMemo(() => arrange(apps, filterOf(query), starred), [apps, query, starred]);
  const shown = groups.reduce((sum, group) => sum + group.apps.length, 0);
  const { chosen, choose, chooseAll, clear } = useChosen();
  const picked = useMemo(
    () => (chosen.size > 0 ? apps.filter((app) => chosen.has(qualifiedName(app))) : []),
    [apps, chosen],
  );
  const deed = bulkDeedOf(query);
  const subject = deed ? groups.flatMap((group) => group.apps) : picked;
  const all = () => chooseAll(groups.flatMap((group) => group.apps.map(qualifiedName)));
  const leave = () =>
    navigate(withQuery({ syncApps: undefined, refreshApps: undefined }, address), 'replace');
  return (
    <>
      <ListToolbar input={input} shown={shown} all={apps.length} group={filter.group} view={view} />
      <FacetBar apps={apps} />
      <BulkBar
        key={deed}
        apps={subject}
        shown={shown}
        first={deed}
        onLeave={leave}
        onChooseAll={all}
        onClear={clear}
      />
      {shown > 0 ? (
        <Body
          {...{ view, groups, filter, now, chosen, starred }}
          onChoose={choose}
          onChooseAll={chosen.size < shown ? all : clear}
        />
      ) : (
        <p className="none-left">No application matches the filter.</p>
      )}
    </>
  );
}

type BodyProps = {
  view: ListView;
  groups: readonly Group[];
  filter: ApplicationFilter;
  now: number;
  chosen: ReadonlySet<string>;
  starred: ReadonlySet<string>;
  onChoose(key: string): void;
  /** All that are shown, or none where they are chosen already. */
  onChooseAll(): void;
};

function Body({ view, ...rest }: BodyProps) {
  if (view === 'tiles') return <ApplicationTiles groups={rest.groups} now={rest.now} />;
  return view === 'summary' ? <ApplicationSummary groups={rest.groups} /> : <ApplicationsTable {...rest} />;
}

/** The applications that are ticked, by name: a change of one does not untick it. */
function useChosen() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = useCallback((key: string) => {
    setChosen((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);
  const chooseAll = useCallback((keys: readonly string[]) => setChosen(new Set(keys)), []);
  const clear = useCallback(() => setChosen(new Set()), []);
  return { chosen, choose, chooseAll, clear };
}
