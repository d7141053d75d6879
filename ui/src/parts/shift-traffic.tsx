import { useState } from 'react';
import type { TrafficPlan, TrafficService } from '#serve/api';
import { useSend } from '../data/live.tsx';
import type { AppRef } from '../data/use-application.ts';
import { planTraffic, shiftTraffic } from '../data/use-traffic.ts';
import { TextField } from '../kit/field.tsx';
import { Select } from '../kit/select.tsx';
import { entryText } from '../shape/knative-traffic.ts';
import {
  firstDraft,
  type Shift,
  type ShiftDraft,
  trafficRequest,
  whyNotSplit,
  whyNotYet,
} from '../shape/traffic-shift.ts';
import { BranchField, PlannedChange, ReasonField } from './planned-change.tsx';

type Props = { service: TrafficService; place: AppRef; shift: Shift; onClose(): void; onDone(): void };

const titles = { promote: 'Promote', rollback: 'Roll back', split: 'Split the traffic of' };

/** A change of the split: how it is made, then the commit, or the override, as a preview. */
export function ShiftTraffic({ service, place, shift, onClose, onDone }: Props) {
  const send = useSend();
  const [draft, setDraft] = useState(() => firstDraft(service, shift));
  const body = trafficRequest(service, draft);
  return (
    <PlannedChange
      title={`${titles[shift.action]} ${service.name}`}
      action={draft.mode === 'commit' ? 'Commit and push' : 'Override now'}
      subject={JSON.stringify(body)}
      why={whyNotYet(draft)}
      plan={() => planTraffic(send, place, body)}
      apply={(expect) => shiftTraffic(send, place, { ...body, expect })}
      detail={({ from, to }) => `${splitText(from)} → ${splitText(to)}`}
      onClose={onClose}
      onDone={onDone}
    >
      <ShiftFields
        service={service}
        draft={draft}
        onChange={(changes) => setDraft({ ...draft, ...changes })}
      />
    </PlannedChange>
  );
}

const splitText = (entries: TrafficPlan['from']): string => entries.map(entryText).join(', ') || 'no split';

type FieldsProps = {
  service: TrafficService;
  draft: ShiftDraft;
  onChange(changes: Partial<ShiftDraft>): void;
};

function ShiftFields({ service: { may, revisions }, draft, onChange }: FieldsProps) {
  const { action, to, mode, reason, branch } = draft;
  const ready = revisions.filter(({ ready: state }) => state === 'True');
  return (
    <>
      {action === 'split' ? (
        <SplitFields draft={draft} onChange={onChange} />
      ) : (
        <Select
          label="Revision"
          value={to}
          options={ready.map(({ name, percent }) => ({ value: name, label: `${name}, ${percent}% now` }))}
          onChange={(value) => onChange({ to: value })}
        >
          All requests to
        </Select>
      )}
      <Select
        label="How"
        value={mode}
        options={[
          ...(may.commit ? [{ value: 'commit', label: 'a commit to the source: Git stays the owner' }] : []),
          ...(may.override ? [{ value: 'override', label: 'a live override, until Git catches up' }] : []),
        ]}
        onChange={(value) => onChange({ mode: value === 'override' ? 'override' : 'commit' })}
      >
        By
      </Select>
      {mode === 'commit' ? (
        <>
          <ReasonField value={reason} onChange={(value) => onChange({ reason: value })} />
          <BranchField value={branch} onChange={(value) => onChange({ branch: value })} />
        </>
      ) : (
        <TextField label="Reason" value={reason} onChange={(value) => onChange({ reason: value })} />
      )}
    </>
  );
}

function SplitFields({ draft: { split }, onChange }: Pick<FieldsProps, 'draft' | 'onChange'>) {
  return (
    <fieldset className="split-fields">
      <legend>Percent of the requests</legend>
      {Object.entries(split).map(([name, percent]) => (
        <label key={name}>
          <span className="cut">{name}</span>
          <input
            className="input"
            type="number"
            min={0}
            max={100}
            value={percent}
            onChange={({ target: { value } }) => onChange({ split: { ...split, [name]: Number(value) } })}
          />
        </label>
      ))}
      <p role="status">{whyNotSplit(split) ?? 'Together 100%.'}</p>
    </fieldset>
  );
}
