import './palette.css';
import { type KeyboardEvent, useId, useState } from 'react';
import type { HealthCode } from '#base/model';
import { useApplicationSets, useApplications } from '../data/live.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Icon } from '../kit/icon.tsx';
import { navigate } from '../kit/location.ts';
import {
  applicationSetsPath,
  applicationsPath,
  pathOf,
  placeOf,
  sectionPath,
  setViewPath,
} from '../shape/address.ts';
import { destinationText } from '../shape/application-filter.ts';
import { healthOfSet, projectOfSet } from '../shape/application-set.ts';
import { healthOf } from '../shape/fleet.ts';
import { type Findable, search } from '../shape/palette.ts';
import { HealthMark } from './mark.tsx';

export type PaletteChoice = Findable & { health?: HealthCode | undefined; choose(): void };

const pages: readonly PaletteChoice[] = [
  ['Applications', applicationsPath],
  ['Need attention', `${applicationsPath}?attention=yes`],
  ['Out of sync', `${applicationsPath}?sync=OutOfSync`],
  ['Grouped by project', `${applicationsPath}?group=project`],
  ['Grouped by cluster', `${applicationsPath}?group=cluster`],
  ['ApplicationSets', applicationSetsPath],
  ['Projects', sectionPath('projects')],
  ['Repositories', sectionPath('repos')],
  ['Clusters', sectionPath('clusters')],
  ['Accounts', sectionPath('accounts')],
  ['Certificates', sectionPath('certs')],
  ['Signing keys', sectionPath('gpgkeys')],
  ['Notifications', sectionPath('notifications')],
  ['Settings in force', sectionPath('in-force')],
  ['Help', '/help'],
  ['You', '/user-info'],
].map(([title = '', to = '']) => ({
  id: `page ${title}`,
  kind: 'Page',
  title,
  choose: () => navigate(to),
}));

/** Finds applications, resources, actions and pages by a few letters. */
export function Palette({ choices, onClose }: { choices: readonly PaletteChoice[]; onClose(): void }) {
  const { items: apps = [] } = useApplications();
  const { items: sets = [] } = useApplicationSets();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const applications = apps.map(
    (app): PaletteChoice => ({
      id: `app ${app.metadata.namespace}/${app.metadata.name}`,
      kind: 'Application',
      title: app.metadata.name,
      note: destinationText(app),
      health: healthOf(app),
      choose: () => navigate(pathOf(placeOf(app))),
    }),
  );
  const generators = sets.map(
    (set): PaletteChoice => ({
      id: `set ${set.metadata.namespace}/${set.metadata.name}`,
      kind: 'ApplicationSet',
      title: set.metadata.name,
      note: projectOfSet(set),
      health: healthOfSet(set),
      choose: () => navigate(setViewPath(placeOf(set))),
    }),
  );
  const found = search([...choices, ...applications, ...generators, ...pages], typed);
  const choose = (choice: PaletteChoice | undefined) => {
    if (!choice) return;
    onClose();
    choice.choose();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((at + step + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter') choose(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Find" place="top" headless onClose={onClose}>
      <div className="palette-input">
        <Icon name="search" />
        <input
          data-first
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={press}
          placeholder="Find an application, a resource, an action…"
          aria-label="Find"
          role="combobox"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={found[at] ? `${id}-${at}` : undefined}
        />
        <kbd>Esc</kbd>
      </div>
      <PaletteList id={id} found={found} at={at} choose={choose} />
    </Dialog>
  );
}

function PaletteList({
  id,
  found,
  at,
  choose,
}: {
  id: string;
  found: readonly PaletteChoice[];
  at: number;
  choose(choice: PaletteChoice): void;
}) {
  return (
    <div role="listbox" id={id} aria-label="Found" className="palette-list">
      {found.length === 0 && <p className="palette-none">Nothing has a name like that.</p>}
      {found.map((choice, place) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys belong to the input, which keeps the focus
        <div
          key={choice.id}
          id={`${id}-${place}`}
          role="option"
          tabIndex={-1}
          aria-selected={place === at}
          className="palette-item"
          ref={place === at ? (item) => item?.scrollIntoView({ block: 'nearest' }) : undefined}
          onClick={() => choose(choice)}
        >
          {choice.health ? <HealthMark status={choice.health} /> : <Icon name={icons[choice.kind]} />}
          <span className="cut">{choice.title}</span>
          {choice.note && <small className="cut">{choice.note}</small>}
          <small className="palette-kind">{choice.kind}</small>
        </div>
      ))}
    </div>
  );
}

const icons = {
  Action: 'right',
  Application: 'apps',
  ApplicationSet: 'set',
  Resource: 'cluster',
  Page: 'outward',
} as const;
