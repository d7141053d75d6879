import type { Application, ApplicationSet } from '#base/model';
import { useSetEvents, useSetPreview } from '../data/use-application-set.ts';
import type { SetView as View } from '../shape/address.ts';
import { countOfSet } from '../shape/application-set.ts';
import { counted } from '../shape/span.ts';
import { EventsView } from './events-view.tsx';
import { FilteredApplications } from './filtered-applications.tsx';
import { GeneratorsView } from './generators-view.tsx';
import { ManifestView } from './manifest-view.tsx';
import { PreviewView } from './preview-view.tsx';
import { RolloutView } from './rollout-view.tsx';

export type SetViewProps = {
  view: View;
  set: ApplicationSet;
  apps: readonly Application[];
  /** How often the user has requested a preview. */
  attempt: number;
  now: number;
};

/** The view of a set that the address names. */
export function SetView({ view, set, apps, attempt, now }: SetViewProps) {
  switch (view) {
    case 'applications':
      return <Owned set={set} apps={apps} now={now} />;
    case 'rollout':
      return <RolloutView set={set} />;
    case 'generators':
    case 'preview':
      return <Evaluated key={view} view={view} set={set} attempt={attempt} />;
    case 'events':
      return <Events set={set} now={now} />;
    case 'manifest':
      return <ManifestView object={set} />;
  }
}

function Owned({ set, apps, now }: Pick<SetViewProps, 'set' | 'apps' | 'now'>) {
  const reported = countOfSet(set, apps.length);
  if (apps.length === 0 && reported === 0)
    return <p className="none-left">The set has no applications. Preview shows what it would create.</p>;
  return (
    <>
      {reported > apps.length && (
        <p className="not-shown">
          The set reports {counted(reported, 'application')}; {apps.length} can be shown to you.
        </p>
      )}
      {apps.length > 0 && <FilteredApplications apps={apps} now={now} />}
    </>
  );
}

function Evaluated({ view, set, attempt }: Pick<SetViewProps, 'view' | 'set' | 'attempt'>) {
  const preview = useSetPreview(set, attempt);
  return view === 'preview' ? (
    <PreviewView preview={preview} />
  ) : (
    <GeneratorsView set={set} preview={preview} />
  );
}

function Events({ set, now }: Pick<SetViewProps, 'set' | 'now'>) {
  return <EventsView events={useSetEvents(set)} now={now} of="set" />;
}
