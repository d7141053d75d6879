import './sync.css';
import { useState } from 'react';
import { type Application, effectiveSources, type ResourceKey } from '#base/model';
import type { ManagedResource, SyncRequest } from '#serve/api';
import { syncApplication } from '../data/application-actions.ts';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { type AppRef, useSyncWindows } from '../data/use-application.ts';
import type { Loaded } from '../data/use-load.ts';
import { useWhyNot } from '../data/use-may.ts';
import { Button } from '../kit/button.tsx';
import { Checkbox } from '../kit/checkbox.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { navigate } from '../kit/location.ts';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { viewPath } from '../shape/address.ts';
import type { Change } from '../shape/changes.ts';
import { applicationObject } from '../shape/rights.ts';
import { counted } from '../shape/span.ts';
import { choicesFor, planOf, type SyncChoices, type SyncPreview } from '../shape/sync-plan.ts';
import { windowNotice } from '../shape/windows.ts';
import { ChangeCard, DeedLabel } from './change-card.tsx';
import { Notices } from './notices.tsx';
import { type ChoiceProps, RevisionChoice, SyncOptions } from './sync-options.tsx';

type SyncProps = {
  app: Application;
  place: AppRef;
  /** The resources that it is about. */
  wanted: 'all' | readonly ResourceKey[];
  managed: Loaded<ManagedResource[]>;
  onClose(): void;
  now: number;
};

/** First the changes, then the options, then the button with their number. */
export function SyncDialog({ app, place, wanted, managed: { data, error }, onClose, now }: SyncProps) {
  const send = useSend();
  const held = windowNotice(app, useSyncWindows(place, app, now).data ?? {});
  const forbidden = useWhyNot({ resource: 'applications', action: 'sync', object: applicationObject(app) });
  const [choices, setChoices] = useChoices(app, data, wanted);
  // a dry run changes nothing but the timeline, so the page opens it
  const done = () => (choices.dryRun ? navigate(viewPath(place, 'timeline')) : onClose());
  const sync = useAction((request: SyncRequest) => syncApplication(send, place, request), done);
  const plan = data && planOf(app, data, choices);
  const why = sync.isRunning ? 'The request is on its way.' : (forbidden ?? whyOf(plan));
  return (
    <Dialog
      title={`Sync ${app.metadata.name}`}
      place="sheet"
      onClose={onClose}
      foot={
        <>
          {sync.error && (
            <p className="complaint" role="alert">
              {sync.error}
            </p>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant={plan?.isPruning ? 'danger' : 'act'}
            why={why}
            onClick={() => plan && sync.run(plan.request)}
          >
            {plan?.label ?? 'Sync'}
          </Button>
        </>
      }
    >
      {!plan && error && <Problem title="The differences cannot be shown" message={error.message} />}
      {!plan && !error && <Skeleton label="Loading the differences" rows={5} />}
      {held && (
        <div className="sync-window">
          <Notices notices={[held]} />
        </div>
      )}
      {plan && <Preview plan={plan} choices={choices} onChange={setChoices} now={now} />}
      <SyncOptions choices={choices} onChange={setChoices} notes={plan?.notes ?? []} />
      <RevisionChoice
        choices={choices}
        onChange={setChoices}
        place={place}
        sources={effectiveSources(app.spec)}
        now={now}
      />
    </Dialog>
  );
}

/** What the address names, until the user chooses something else. */
function useChoices(app: Application, data: ManagedResource[] | undefined, wanted: SyncProps['wanted']) {
  const [chosen, choose] = useState<SyncChoices>();
  return [chosen ?? choicesFor(app, data ?? [], wanted), choose] as const;
}

const whyOf = (plan: SyncPreview | undefined): string | undefined =>
  plan ? plan.why : 'The differences are not known yet.';

function Preview({ plan, choices, onChange, now }: ChoiceProps & { plan: SyncPreview; now: number }) {
  const { creates, changes, prunes, kept } = plan;
  if (creates.length + changes.length + prunes.length + kept.length === 0) {
    return <p className="none-left">Nothing differs. A sync would only run hooks.</p>;
  }
  const toggle = (key: ResourceKey) => {
    const without = new Set(choices.without);
    if (!without.delete(key)) without.add(key);
    onChange({ ...choices, without });
  };
  const list = (deed: Change['deed'], items: readonly Change[], whyOff = '') =>
    items.length > 0 && (
      <section className={deed === 'prune' && !whyOff ? 'preview pruning' : 'preview'}>
        <h3>
          <DeedLabel deed={deed} /> {items.length}
          {whyOff && <small>{whyOff}</small>}
        </h3>
        {items.map((change) => (
          <PreviewRow
            key={change.key}
            change={change}
            isChosen={!choices.without.has(change.key)}
            isStaying={whyOff !== ''}
            onToggle={() => toggle(change.key)}
            now={now}
          />
        ))}
      </section>
    );
  const choose = (isAll: boolean) => {
    const all = [...creates, ...changes, ...prunes, ...kept].map(({ key }) => key);
    onChange({ ...choices, without: new Set(isAll ? [] : all) });
  };
  return (
    <div className="previews">
      <div className="choose-all">
        <Button variant="quiet" className="small" onClick={() => choose(true)}>
          Choose all
        </Button>
        <Button variant="quiet" className="small" onClick={() => choose(false)}>
          Choose none
        </Button>
      </div>
      {list('create', creates)}
      {list('change', changes)}
      {list('prune', prunes, choices.prune ? '' : 'will stay, because prune is off')}
      {list('keep', kept, 'no longer in Git, kept by Prune=false')}
    </div>
  );
}

function PreviewRow({
  change,
  isChosen,
  isStaying,
  onToggle,
  now,
}: {
  change: Change;
  isChosen: boolean;
  isStaying: boolean;
  onToggle(): void;
  now: number;
}) {
  const [isOpen, setOpen] = useState(false);
  const paths = change.fields.map(({ path }) => path);
  return (
    <div className={isChosen && !isStaying ? 'preview-row' : 'preview-row left-out'}>
      <Checkbox
        checked={isChosen}
        onChange={onToggle}
        label={
          <>
            <b>{change.name}</b> <span className="faint">{change.kind}</span>
          </>
        }
        note={paths.length > 0 ? `${paths.slice(0, 3).join(', ')}${more(paths.length - 3)}` : ''}
      />
      {change.deed !== 'keep' && (
        <Button
          variant="quiet"
          className="small"
          aria-expanded={isOpen}
          aria-label={`Differences of ${change.name}`}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? 'Hide' : 'Show'}
        </Button>
      )}
      {isOpen && <ChangeCard change={change} mode="fields" now={now} />}
    </div>
  );
}

const more = (count: number): string => (count > 0 ? ` and ${counted(count, 'more field')}` : '');
