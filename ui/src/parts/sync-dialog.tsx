import './sync.css';
import { useState } from 'react';
import type { Application, ResourceKey } from '#base/model';
import type { ManagedResource, SyncRequest } from '#serve/api';
import { syncApplication } from '../data/application-actions.ts';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import type { AppRef } from '../data/use-application.ts';
import type { Loaded } from '../data/use-load.ts';
import { Button } from '../kit/button.tsx';
import { Checkbox } from '../kit/checkbox.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { navigate } from '../kit/location.ts';
import { Problem } from '../kit/problem.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { viewPath } from '../shape/address.ts';
import type { Change } from '../shape/changes.ts';
import { counted } from '../shape/span.ts';
import { firstChoices, planOf, type SyncChoices, type SyncPlan } from '../shape/sync-plan.ts';
import { DeedLabel } from './change-card.tsx';

type SyncProps = {
  app: Application;
  place: AppRef;
  managed: Loaded<ManagedResource[]>;
  onClose(): void;
};

/** First the changes, then the options, then the button with their number. */
export function SyncDialog({ app, place, managed: { data, error }, onClose }: SyncProps) {
  const send = useSend();
  const [choices, setChoices] = useState(() => firstChoices(app));
  // a dry run changes nothing but the timeline, so the page opens it
  const done = () => (choices.dryRun ? navigate(viewPath(place, 'timeline')) : onClose());
  const sync = useAction((request: SyncRequest) => syncApplication(send, place, request), done);
  const plan = data && planOf(app, data, choices);
  const why = plan
    ? sync.isRunning
      ? 'The request is on its way.'
      : undefined
    : 'The differences are not known yet.';
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
          <Button look="act" why={why} onClick={() => plan && sync.run(plan.request)}>
            {plan?.label ?? 'Sync'}
          </Button>
        </>
      }
    >
      {!plan && error && <Problem title="The differences cannot be shown" message={error.message} />}
      {!plan && !error && <Skeleton label="Loading the differences" rows={5} />}
      {plan && <Preview plan={plan} choices={choices} onChange={setChoices} />}
      <Options choices={choices} onChange={setChoices} notes={plan?.notes ?? []} />
    </Dialog>
  );
}

type ChoiceProps = { choices: SyncChoices; onChange(choices: SyncChoices): void };

function Preview({ plan, choices, onChange }: ChoiceProps & { plan: SyncPlan }) {
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
      <section className="preview">
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
          />
        ))}
      </section>
    );
  return (
    <div className="previews">
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
}: {
  change: Change;
  isChosen: boolean;
  isStaying: boolean;
  onToggle(): void;
}) {
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
    </div>
  );
}

const more = (count: number): string => (count > 0 ? ` and ${counted(count, 'more field')}` : '');

function Options({ choices, onChange, notes }: ChoiceProps & { notes: readonly string[] }) {
  const option = (name: 'prune' | 'dryRun' | 'applyOnly' | 'force', label: string, note: string) => (
    <Checkbox
      checked={choices[name]}
      onChange={(checked) => onChange({ ...choices, [name]: checked })}
      label={label}
      note={note}
    />
  );
  return (
    <section className="sync-options">
      <h3>Options</h3>
      {option('prune', 'Prune', 'Delete what is gone from Git')}
      {option('dryRun', 'Dry run', 'Validate on the cluster, change nothing')}
      {option('applyOnly', 'Apply only', 'Leave out the hooks')}
      {option('force', 'Force', 'Delete and create again what cannot be changed')}
      {notes.length > 0 && (
        <ul className="sync-notes">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </section>
  );
}
