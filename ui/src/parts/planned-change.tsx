import './sync.css';
import './traffic-panel.css';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import type { TrafficPlan, UndoPlan } from '#serve/api';
import { useAction } from '../data/use-action.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { TextField } from '../kit/field.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { unifiedLines } from '../shape/traffic-shift.ts';
import { DiffLines } from './diff-lines.tsx';
import { Notices } from './notices.tsx';

type Props<Plan> = {
  title: string;
  /** The words on the button that carries the plan out. */
  action: string;
  /** What the plan depends on: a preview is of this and of nothing else. */
  subject: string;
  /** Whether nothing has to be chosen first, so that the preview is requested as the dialog opens. */
  isReady?: boolean;
  /** What is missing for a preview. */
  why?: string | undefined;
  plan(): Promise<Plan>;
  /** Carries out the plan with this hash, and no other one. */
  apply(expect: string): Promise<unknown>;
  /** What else the preview says of a plan. */
  detail?(plan: Plan): string;
  onClose(): void;
  onDone(): void;
  /** The form. */
  children: ReactNode;
};

/** A change of a Knative Service: its form, then the plan as a preview, then the button that carries out exactly that plan. */
export function PlannedChange<Plan extends TrafficPlan | UndoPlan>(props: Props<Plan>) {
  const { title, action, subject, isReady = false, why, detail, onClose, children } = props;
  const [seen, setSeen] = useState<{ subject: string; plan: Plan }>();
  const plan = seen?.subject === subject ? seen.plan : undefined;
  const { run, isRunning, error } = useAction(async (hash?: string) => {
    if (hash === undefined) return setSeen({ subject, plan: await props.plan() });
    await props.apply(hash);
    props.onDone();
  });
  const open = useEffectEvent(() => isReady && run());
  useEffect(() => {
    open();
  }, []);
  const busy = isRunning ? 'The request is on its way.' : undefined;
  return (
    <Dialog
      title={title}
      place="sheet"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button why={why ?? busy} onClick={() => run()}>
            Preview
          </Button>
          {!plan?.isNoChange && (
            <Button
              variant="act"
              why={busy ?? (plan ? undefined : 'Preview it first.')}
              onClick={() => run(plan?.hash)}
            >
              {action}
            </Button>
          )}
        </>
      }
    >
      <div className="shift">
        {children}
        {error && (
          <p className="complaint" role="alert">
            {error}
          </p>
        )}
        {!plan && isRunning && <Skeleton label="Loading the preview" rows={3} />}
        {plan && <Planned plan={plan} detail={detail?.(plan)} />}
      </div>
    </Dialog>
  );
}

function Planned({ plan, detail }: { plan: TrafficPlan | UndoPlan; detail: string | undefined }) {
  const { resolved, isNoChange, warnings, diff, file, branch, repoURL, commitMessage } = plan;
  return (
    <section aria-label="What would happen">
      <h3>What would happen</h3>
      <p className="capital">{resolved}</p>
      {detail && <p className="faint">{detail}</p>}
      {isNoChange && <p role="status">Nothing would change: it is so already.</p>}
      <Notices notices={warnings.map((message) => ({ title: 'Warning', message, tone: 'warn' }))} />
      {diff && (
        <>
          <p>
            <code>{file}</code> on branch <code>{branch}</code> of <code>{repoURL}</code>:{' '}
            {commitMessage?.split('\n')[0]}
          </p>
          <DiffLines lines={unifiedLines(diff)} mode="inline" />
        </>
      )}
    </section>
  );
}

/** Where a commit goes. */
export function BranchField({ value, onChange }: { value: string; onChange(branch: string): void }) {
  return (
    <TextField
      label="Branch"
      note="Empty: the one that the application tracks. Another one is for a pull request."
      value={value}
      onChange={onChange}
    />
  );
}

/** Why the change is made, which the commit records. */
export function ReasonField({ value, onChange }: { value: string; onChange(reason: string): void }) {
  return <TextField label="Reason, for the commit message" value={value} onChange={onChange} />;
}
