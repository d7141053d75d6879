import './notifications.css';
import { useState } from 'react';
import { useApplications } from '../data/live.tsx';
import { useNotificationNames } from '../data/use-notifications.ts';
import { Field } from '../kit/field.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { Select } from '../kit/select.tsx';
import { placeOf } from '../shape/address.ts';
import { rehearsalIn } from '../shape/notification-preview.ts';
import { Listed } from './listed.tsx';
import { NotificationMessages } from './notification-messages.tsx';

const mostSuggested = 50;

/** What would be sent about an application: for its subscriptions, one trigger, or one template. Nothing is sent. */
export function NotificationRehearsal({ now }: { now: number }) {
  const names = useNotificationNames();
  return (
    <Listed what="triggers and templates" list={names}>
      {({ triggers, templates }) => (
        <Rehearsed
          options={[
            { value: '', label: 'its subscriptions' },
            ...triggers.map((name) => ({ value: `trigger:${name}`, label: `trigger ${name}` })),
            ...templates.map((name) => ({ value: `template:${name}`, label: `template ${name}` })),
          ]}
          now={now}
        />
      )}
    </Listed>
  );
}

type RehearsedProps = { options: readonly { value: string; label: string }[]; now: number };

function Rehearsed({ options, now }: RehearsedProps) {
  const address = useAddress();
  const { items: apps = [] } = useApplications();
  const { app: wanted, what, trigger, template } = rehearsalIn(address.query);
  const [typed, setTyped] = useState(wanted);
  const nameOf = (one: (typeof apps)[number]) => `${placeOf(one).namespace}/${one.metadata.name}`;
  const app = apps.find((one) => nameOf(one) === wanted || one.metadata.name === wanted);
  const go = (changes: Record<string, string>) => navigate(withQuery(changes, address), 'replace');
  const suggested = apps.filter((one) => nameOf(one).includes(typed)).slice(0, mostSuggested);
  return (
    <>
      <div className="tester rehearsed">
        <Field label="Application">
          <input
            className="input"
            list="rehearsed-applications"
            value={typed}
            placeholder="argocd/guestbook"
            spellCheck={false}
            onChange={({ target: { value } }) => {
              setTyped(value);
              go({ app: value });
            }}
          />
        </Field>
        <datalist id="rehearsed-applications">
          {suggested.map((one) => (
            <option key={nameOf(one)} value={nameOf(one)} />
          ))}
        </datalist>
        <Select
          label="What is rehearsed"
          value={what}
          options={options}
          onChange={(value) => go({ what: value })}
        >
          Rehearse
        </Select>
      </div>
      {app ? (
        <NotificationMessages
          place={placeOf(app)}
          rehearsal={{ ...(trigger && { trigger }), ...(template && { template }) }}
          version={app.metadata.resourceVersion ?? ''}
          now={now}
        />
      ) : (
        <p className="none-left">
          {wanted
            ? `There is no application ${wanted}, or you may not get it.`
            : 'Choose an application: its messages are rendered as they would be now, and none is sent.'}
        </p>
      )}
    </>
  );
}
