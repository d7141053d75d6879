import { useState } from 'react';
import { useApplicationSets, useApplications } from '../data/live.tsx';
import { usePreferences } from '../data/preferences.ts';
import { useVersion } from '../data/use-session.ts';
import { Icon, type IconName } from '../kit/icon.tsx';
import { Link } from '../kit/link.tsx';
import { useAddress } from '../kit/location.ts';
import { applicationSetsPath, applicationsPath, sectionPath } from '../shape/address.ts';
import { tallyOf } from '../shape/fleet.ts';

type Item = {
  label: string;
  icon: IconName;
  /** Without one: a list of applications. */
  path?: string;
  query: string;
  count?: number | undefined;
  isAlarm?: boolean;
};

const key = 'rail';

/** The navigation to the lists. It folds to its icons, and the browser stores that. */
export function Rail() {
  const { items: apps } = useApplications();
  const { items: sets } = useApplicationSets();
  const [isFolded, setFolded] = useState(localStorage.getItem(key) === 'folded');
  const tally = apps && tallyOf(apps);
  const fold = () => {
    localStorage.setItem(key, isFolded ? 'open' : 'folded');
    setFolded(!isFolded);
  };
  const lists: Item[] = [
    { label: 'Applications', icon: 'apps', query: '', count: tally?.all },
    {
      label: 'Need attention',
      icon: 'attention',
      query: 'attention=yes',
      count: tally?.attention,
      isAlarm: true,
    },
    { label: 'Out of sync', icon: 'differ', query: 'sync=OutOfSync', count: tally?.drifted },
    { label: 'Syncing now', icon: 'running', query: 'operation=Running', count: tally?.syncing },
  ];
  const makers: Item[] = [
    { label: 'ApplicationSets', icon: 'set', path: applicationSetsPath, query: '', count: sets?.length },
    { label: 'Projects', icon: 'project', path: sectionPath('projects'), query: '' },
    { label: 'Clusters', icon: 'cluster', path: sectionPath('clusters'), query: '' },
    { label: 'Repositories', icon: 'branch', path: sectionPath('repos'), query: '' },
    { label: 'Settings', icon: 'settings', path: sectionPath('in-force'), query: '' },
  ];
  const groups: Item[] = [
    { label: 'By project', icon: 'project', query: 'group=project' },
    { label: 'By cluster', icon: 'cluster', query: 'group=cluster' },
    { label: 'By namespace', icon: 'namespace', query: 'group=namespace' },
  ];
  const saved = usePreferences().views.map(({ name, query }): Item => ({ label: name, icon: 'star', query }));
  return (
    <nav className={isFolded ? 'rail folded' : 'rail'} aria-label="Lists">
      <RailList items={lists} />
      <RailList items={groups} title="Grouped" />
      {saved.length > 0 && <RailList items={saved} title="Saved" />}
      <RailList items={makers} />
      <div className="rail-foot">
        <button
          type="button"
          className="rail-item"
          onClick={fold}
          aria-expanded={!isFolded}
          aria-label="Fold the side bar"
        >
          <Icon name="fold" />
          <span>Fold</span>
        </button>
        <VersionLine />
      </div>
    </nav>
  );
}

function RailList({ items, title }: { items: readonly Item[]; title?: string }) {
  const { path, query } = useAddress();
  const isHere = (to: string, wanted: string) =>
    to.startsWith('/settings/') ? path.startsWith(to) : path === to && query.toString() === wanted;
  return (
    <div className="rail-list">
      {title && <h2>{title}</h2>}
      <ul>
        {items.map(({ label, icon, path: to = applicationsPath, query: wanted, count, isAlarm }) => (
          <li key={label}>
            <Link
              to={wanted ? `${to}?${wanted}` : to}
              className="rail-item"
              title={label}
              aria-current={isHere(to, wanted) ? 'page' : undefined}
            >
              <Icon name={icon} />
              <span>{label}</span>
              {count ? <b className={isAlarm ? 'alarm' : undefined}>{count}</b> : null}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function VersionLine() {
  const { data } = useVersion();
  return <p className="version">{data ? `Fairlead ${data.Version}` : ''}</p>;
}
