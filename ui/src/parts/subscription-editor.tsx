import './settings.css';
import { useState } from 'react';
import type { Application } from '#base/model';
import { patchApplication } from '../data/application-actions.ts';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import type { AppRef } from '../data/use-application.ts';
import { useWhyNot } from '../data/use-may.ts';
import { useNotificationNames } from '../data/use-notifications.ts';
import { Button } from '../kit/button.tsx';
import { TextField } from '../kit/field.tsx';
import { Select } from '../kit/select.tsx';
import { applicationObject } from '../shape/rights.ts';
import { subscribePatch, subscriptionsOf, unsubscribePatch } from '../shape/subscriptions.ts';

type EditorProps = { app: Application; place: AppRef };

/** The annotations of an application that subscribe it, and a form for one more. What Git declares of them wins at the next sync. */
export function SubscriptionEditor({ app, place }: EditorProps) {
  const send = useSend();
  const why = useWhyNot({ resource: 'applications', action: 'update', object: applicationObject(app) });
  const change = useAction((patch: string) => patchApplication(send, place, patch));
  const busy = change.isRunning ? 'The request is on its way.' : why;
  const own = subscriptionsOf(app);
  return (
    <>
      <ul className="subscriptions" aria-label="Subscriptions of its own">
        {own.map((one) => (
          <li key={`${one.key} ${one.recipient}`} className="rule-row">
            <span>
              <b>{one.trigger || 'the default triggers'}</b> to{' '}
              {one.recipient ? `${one.service}:${one.recipient}` : one.service}
            </span>
            <Button
              className="small"
              why={busy}
              aria-label={`Unsubscribe ${one.service}${one.recipient && `:${one.recipient}`} from ${one.trigger}`}
              onClick={() => change.run(unsubscribePatch(app, one))}
            >
              Unsubscribe
            </Button>
          </li>
        ))}
      </ul>
      <Form app={app} why={busy} onPatch={change.run} />
      {change.error && (
        <p className="complaint" role="alert">
          {change.error}
        </p>
      )}
    </>
  );
}

type FormProps = { app: Application; why: string | undefined; onPatch(patch: string): void };

function Form({ app, why, onPatch }: FormProps) {
  const { data: { services = [], triggers = [] } = {} } = useNotificationNames();
  const [chosen, setChosen] = useState({ trigger: '', service: '', recipient: '' });
  const trigger = chosen.trigger || (triggers[0] ?? '');
  const service = chosen.service || (services[0] ?? '');
  const list = (names: readonly string[]) => names.map((name) => ({ value: name, label: name }));
  const missing = service ? undefined : 'No service is configured: argocd-notifications-cm has none.';
  return (
    <div className="tester">
      <Select
        label="Trigger"
        value={trigger}
        options={list(triggers)}
        onChange={(value) => setChosen({ ...chosen, trigger: value })}
      >
        On
      </Select>
      <Select
        label="Service"
        value={service}
        options={list(services)}
        onChange={(value) => setChosen({ ...chosen, service: value })}
      >
        notify
      </Select>
      <TextField
        label="Recipient"
        placeholder="a channel, an address"
        value={chosen.recipient}
        onChange={(recipient) => setChosen({ ...chosen, recipient })}
      />
      <Button
        icon="plus"
        why={why ?? missing}
        onClick={() => {
          onPatch(subscribePatch(app, { trigger, service, recipient: chosen.recipient }));
          setChosen({ ...chosen, recipient: '' });
        }}
      >
        Subscribe
      </Button>
    </div>
  );
}
