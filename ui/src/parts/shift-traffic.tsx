import './sync.css';
import { useState } from 'react';
import type { TrafficPlan, TrafficService } from '#serve/api';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import type { AppRef } from '../data/use-application.ts';
import { planTraffic, shiftTraffic } from '../data/use-traffic.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { TextField } from '../kit/field.tsx';
import { Select } from '../kit/select.tsx';
import { entryText } from '../shape/knative-traffic.ts';
import {
  firstDraft,
  type Shift,
  type ShiftDraft,
  trafficRequest,
  unifiedLines,
  whyNotSplit,
  whyNotYet,
} from '../shape/traffic-shift.ts';
import { DiffLines } from './diff-lines.tsx';
import { Notices } from './notices.tsx';

type Props = { service: TrafficService; place: AppRef; shift: Shift; onClose(): void; onDone(): void };

const titles = { promote: 'Promote', rollback: 'Roll back', split: 'Split the traffic of' };

/** A change of the split: how it is made, then the commit as a preview, then the button that does it. */
export function ShiftTraffic({ service, place, shift, onClose, onDone }: Props) {
  const send = useSend();
  const [draft, setDraft] = useState(() => firstDraft(service, shift));
  const [plan, setPlan] = useState<TrafficPlan>();
  const body = trafficRequest(service, draft);
  const preview = useAction(async () => setPlan(await planTraffic(send, place, body)));
  const apply = useAction(
    () => shiftTraffic(send, place, { ...body, ...(plan && { expect: plan.hash }) }),
    onDone,
  );
  const problem = apply.error ?? preview.error;
  return (
    <Dialog
      title={`${titles[shift.action]} ${service.name}`}
      place="sheet"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button why={whyNotYet(draft)} onClick={() => preview.run()}>
            Preview
          </Button>
          <Button variant="act" why={whyNotApply(plan, apply.isRunning)} onClick={() => apply.run()}>
            {draft.mode === 'commit' ? 'Commit and push' : 'Override now'}
          </Button>
        </>
      }
    >
      <div className="shift">
        <ShiftFields
          service={service}
          draft={draft}
          onChange={(changes) => {
            setDraft({ ...draft, ...changes });
            setPlan(undefined); // a preview is of what stands above it
          }}
        />
        {problem && (
          <p className="complaint" role="alert">
            {problem}
          </p>
        )}
        {plan && <Planned plan={plan} />}
      </div>
    </Dialog>
  );
}

function whyNotApply(plan: TrafficPlan | undefined, isRunning: boolean): string | undefined {
  if (isRunning) return 'The request is on its way.';
  if (!plan) return 'Preview it first.';
  return plan.isNoChange ? 'It is so already.' : undefined;
}

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
      <TextField
        label={mode === 'override' ? 'Reason' : 'Reason, for the commit message'}
        value={reason}
        onChange={(value) => onChange({ reason: value })}
      />
      {mode === 'commit' && (
        <TextField
          label="Branch"
          note="Empty: the one that the application tracks. Another one is for a pull request."
          value={branch}
          onChange={(value) => onChange({ branch: value })}
        />
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

function Planned({ plan }: { plan: TrafficPlan }) {
  const { resolved, from, to, warnings, diff, file, branch, commitMessage } = plan;
  const words = (entries: TrafficPlan['from']) => entries.map(entryText).join(', ') || 'no split';
  return (
    <section aria-label="What would happen">
      <h3>What would happen</h3>
      <p className="capital">{resolved}</p>
      <p className="faint">
        {words(from)} → {words(to)}
      </p>
      <Notices notices={warnings.map((message) => ({ title: 'Warning', message, tone: 'warn' }))} />
      {diff && (
        <>
          <p>
            <code>{file}</code> on <code>{branch}</code>: {commitMessage?.split('\n')[0]}
          </p>
          <DiffLines lines={unifiedLines(diff)} mode="inline" />
        </>
      )}
    </section>
  );
}
