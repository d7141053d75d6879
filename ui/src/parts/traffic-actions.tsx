import { useState } from 'react';
import { parseTime } from '#base/model';
import type { TrafficService } from '#serve/api';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import type { AppRef } from '../data/use-application.ts';
import { endOverride } from '../data/use-traffic.ts';
import { Button } from '../kit/button.tsx';
import { entryText } from '../shape/knative-traffic.ts';
import { ago } from '../shape/time.ts';
import { type Shift, shiftVerbs } from '../shape/traffic-shift.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { ShiftTraffic } from './shift-traffic.tsx';

type Props = { service: TrafficService; place: AppRef; onDone(): void };

/** What moves the traffic: each opens on a preview of the commit, or of the override. */
export function TrafficActions({ service, place, onDone }: Props) {
  const [shift, setShift] = useState<Shift>();
  const close = () => setShift(undefined);
  return (
    <div className="rollout-verbs">
      {shiftVerbs(service).map(({ label, shift: wanted, why }) => (
        <Button
          key={label}
          className="small"
          variant={label === 'Promote' && !why ? 'act' : 'plain'}
          why={why}
          onClick={() => setShift(wanted)}
        >
          {label}…
        </Button>
      ))}
      {shift && (
        <ShiftTraffic
          service={service}
          place={place}
          shift={shift}
          onClose={close}
          onDone={() => {
            close();
            onDone();
          }}
        />
      )}
    </div>
  );
}

/** An override that Git has not caught up with: who, since when, why, and its end. */
export function TrafficOverride({ service, place, now, onDone }: Props & { now: number }) {
  const send = useSend();
  const [isOpen, setOpen] = useState(false);
  const { override, declared, name, namespace, may } = service;
  const end = useAction(
    () => endOverride(send, { ...place, service: name, serviceNamespace: namespace }),
    () => {
      setOpen(false);
      onDone();
    },
  );
  if (!override) return null;
  const at = parseTime(override.at);
  return (
    <section className="override tone-warn" aria-label="Override">
      <p>
        <b>Overridden</b> by {override.by}
        {at !== undefined && ` ${ago(at, now)}`}: “{override.reason}”. Git does not declare this yet.
      </p>
      <Button
        className="small"
        why={may.override ? undefined : 'You may not: an override is ended by those who may make one.'}
        onClick={() => setOpen(true)}
      >
        End it…
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={`End the override of ${name}?`}
          action="End the override"
          error={end.error}
          isRunning={end.isRunning}
          onConfirm={() => end.run()}
          onClose={() => setOpen(false)}
        >
          <p>
            {declared
              ? `The split becomes what Git declares: ${declared.map(entryText).join(', ')}.`
              : 'Git declares no split: all requests go to the latest ready revision.'}
          </p>
        </ConfirmDialog>
      )}
    </section>
  );
}
