import './applications.css';
import { useMemo, useState } from 'react';
import type { Application } from '#base/model';
import { removeView, saveView, usePreferences } from '../data/preferences.ts';
import { Button } from '../kit/button.tsx';
import { TextField } from '../kit/field.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { Select } from '../kit/select.tsx';
import { facetsOf } from '../shape/application-filter.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

/** One select for each thing to filter by, the favourites, and the name under which the whole is kept. */
export function FacetBar({ apps }: { apps: readonly Application[] }) {
  const address = useAddress();
  const [isNaming, setNaming] = useState(false);
  const offered = useMemo(() => facetsOf(apps), [apps]);
  // too many to offer, and shown where a link narrows by them
  const linked = address.query.has('annotations')
    ? [{ name: 'annotations', label: 'Annotation', values: [] }]
    : [];
  const facets = [...offered, ...linked];
  const set = (name: string, value: string) =>
    navigate(withQuery({ [name]: value || undefined }, address), 'replace');
  const isStarred = address.query.get('showFavorites') === 'true';
  return (
    <div className="facets">
      {facets.map(({ name, label, values }) => (
        <Select
          key={name}
          label={label}
          value={address.query.get(name) ?? ''}
          onChange={(value) => set(name, value)}
          options={[
            { value: '', label: `${label}: any` },
            ...unlisted(address.query.get(name), values),
            // closed, the select shows the chosen one alone: it says what it is a value of
            ...values.map(({ value, count }) => ({
              value,
              label: `${address.query.get(name) === value ? `${label}: ` : ''}${value} (${count})`,
            })),
          ]}
        />
      ))}
      <Button
        className="small toggle"
        icon="star"
        aria-pressed={isStarred}
        onClick={() => set('showFavorites', isStarred ? '' : 'true')}
      >
        Favourites
      </Button>
      <Button className="small" variant="quiet" onClick={() => setNaming(true)}>
        Save this view…
      </Button>
      {isNaming && <NameView query={address.query.toString()} onClose={() => setNaming(false)} />}
    </div>
  );
}

/** A value of the address that no application has, or several of them: the select still shows it. */
function unlisted(value: string | null, values: readonly { value: string }[]) {
  return value && !values.some((one) => one.value === value) ? [{ value, label: value }] : [];
}

function NameView({ query, onClose }: { query: string; onClose(): void }) {
  const { views } = usePreferences();
  const [name, setName] = useState('');
  return (
    <ConfirmDialog
      title="Save this view"
      action="Save"
      why={name.trim() ? undefined : 'Give it a name.'}
      error={undefined}
      isRunning={false}
      onConfirm={() => {
        saveView({ name: name.trim(), query });
        onClose();
      }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        note="It stands in the side bar of this browser; its link works for all."
        value={name}
        onChange={setName}
      />
      {views.length > 0 && (
        <ul className="bulk-plan">
          {views.map((view) => (
            <li key={view.name}>
              {view.name}{' '}
              <Button
                className="small"
                variant="quiet"
                aria-label={`Remove ${view.name}`}
                onClick={() => removeView(view.name)}
              >
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
    </ConfirmDialog>
  );
}
