import './sync.css';
import { useState } from 'react';
import type { Source } from '#base/model';
import type { AppRef } from '../data/use-application.ts';
import { Button } from '../kit/button.tsx';
import { Checkbox } from '../kit/checkbox.tsx';
import { Select } from '../kit/select.tsx';
import {
  offeredOptions,
  propagationOf,
  propagations,
  type SyncChoices,
  withOption,
  withPropagation,
} from '../shape/sync-plan.ts';
import { RevisionChanges } from './revision-changes.tsx';

export type ChoiceProps = { choices: SyncChoices; onChange(choices: SyncChoices): void };

/** Every option of a sync, those that people need most first. */
export function SyncOptions({ choices, onChange, notes }: ChoiceProps & { notes: readonly string[] }) {
  const option = (name: 'prune' | 'dryRun' | 'applyOnly' | 'force', label: string, note: string) => (
    <Checkbox
      checked={choices[name]}
      onChange={(checked) => onChange({ ...choices, [name]: checked })}
      label={label}
      note={note}
    />
  );
  return (
    <section className="sync-options" aria-label="Options">
      <h3>Options</h3>
      {option('prune', 'Prune', 'Delete what is gone from Git')}
      {option('dryRun', 'Dry run', 'Validate on the cluster, change nothing')}
      {option('applyOnly', 'Apply only', 'Leave out the hooks')}
      {option('force', 'Force', 'Delete and create again what cannot be changed')}
      <details className="more-options">
        <summary>More options</summary>
        <MoreOptions choices={choices} onChange={onChange} />
      </details>
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

function MoreOptions({ choices, onChange }: ChoiceProps) {
  const set = (changes: Partial<SyncChoices>) => onChange({ ...choices, ...changes });
  return (
    <div className="option-list">
      {offeredOptions.map(({ option, label, note }) => (
        <Checkbox
          key={option}
          checked={choices.options.includes(option)}
          onChange={(isOn) => set({ options: withOption(choices.options, option, isOn) })}
          label={label}
          note={note}
        />
      ))}
      <Select
        label="Deletion of pruned objects"
        value={propagationOf(choices.options)}
        options={propagations.map((policy) => ({ value: policy, label: policy }))}
        onChange={(policy) => set({ options: withPropagation(choices.options, policy) })}
      >
        Deletion of pruned objects
      </Select>
      <label className="select">
        <span>Retries after a failure</span>
        <input
          className="input number-input"
          inputMode="numeric"
          value={choices.retries}
          onChange={(event) => set({ retries: event.target.value })}
        />
      </label>
    </div>
  );
}

type RevisionProps = ChoiceProps & { sources: readonly Source[]; place: AppRef; now: number };

/** Another revision than the target: typed, then compared before it is synced. Of several sources, one for each. */
export function RevisionChoice({ choices, onChange, sources, place, now }: RevisionProps) {
  const [compared, setCompared] = useState('');
  const isOne = sources.length < 2;
  const typed = choices.revisions[0] ?? '';
  return (
    <section className="sync-options" aria-label="Revision">
      {sources.map((source, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a source is known by its place
        <label key={at} className="select">
          <span>{isOne ? 'Revision' : `Revision of ${sourceName(source)}`}</span>
          <input
            className="input"
            value={choices.revisions[at] ?? ''}
            placeholder={source.targetRevision || 'HEAD'}
            onChange={({ target }) =>
              onChange({
                ...choices,
                revisions: sources.map((_, one) =>
                  one === at ? target.value.trim() : (choices.revisions[one] ?? ''),
                ),
              })
            }
          />
          {isOne && (
            <Button
              className="small"
              why={typed ? undefined : 'Type a branch, a tag or a commit first.'}
              onClick={() => setCompared(typed)}
            >
              Compare
            </Button>
          )}
        </label>
      ))}
      {compared && <RevisionChanges place={place} to={compared} now={now} />}
    </section>
  );
}

const sourceName = ({ name, repoURL, chart, path }: Source): string =>
  name || [repoURL.replace(/^.*\//, ''), chart ?? path].filter(Boolean).join(' ');
