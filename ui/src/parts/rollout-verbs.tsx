import { useState } from 'react';
import type { Application } from '#base/model';
import { knativeOf, type Rollout, type RolloutReplicaSet, templateOfRevision } from '#engine/rollouts';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import type { AppRef } from '../data/use-application.ts';
import { useWhyNot } from '../data/use-may.ts';
import { patchResource, runResourceAction } from '../data/use-resource.ts';
import { Button } from '../kit/button.tsx';
import type { TreeItem } from '../shape/resource-forest.ts';
import { applicationObject } from '../shape/rights.ts';
import { type RolloutRevision, revisionText } from '../shape/rollout-progress.ts';
import { imageChanges, type RolloutVerb, whyNotBackTo } from '../shape/rollout-verbs.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { UndoRevision } from './undo-revision.tsx';

type Props = { app: Application; place: AppRef; item: TreeItem };

/** What can be done to a Rollout, each after a confirmation that says what will happen. */
export function RolloutVerbs({ verbs, ...props }: Props & { verbs: readonly RolloutVerb[] }) {
  return (
    <div className="rollout-verbs">
      {verbs.map((verb) => (
        <Verb key={verb.label} {...props} verb={verb} />
      ))}
    </div>
  );
}

function Verb({ app, place, item, verb }: Props & { verb: RolloutVerb }) {
  const send = useSend();
  const [isOpen, setOpen] = useState(false);
  const { label, action, variant, does, why } = verb;
  const object = applicationObject(app);
  const denied = useWhyNot({
    resource: 'applications',
    action: `action/${item.group}/${item.kind}/${action}`,
    object,
  });
  const ref = { ...place, key: item.key, version: item.version };
  const run = useAction(
    () => runResourceAction(send, ref, { name: action, parameters: {} }),
    () => setOpen(false),
  );
  const reason = why ?? denied;
  return (
    <>
      <Button
        className="small"
        variant={variant === 'act' && !reason ? 'act' : 'plain'}
        why={reason}
        onClick={() => setOpen(true)}
      >
        {label}…
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={`${label} ${item.name}?`}
          action={label}
          variant={variant === 'danger' ? 'danger' : 'act'}
          error={run.error}
          isRunning={run.isRunning}
          onConfirm={() => run.run()}
          onClose={() => setOpen(false)}
        >
          <p className="capital">{does}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

type RevertProps = Props & {
  rollout: Rollout;
  sets: readonly RolloutReplicaSet[];
  from: RolloutRevision | undefined;
  to: RolloutRevision;
};

/** The way back to an earlier revision: by a commit where Knative has the template, otherwise in the Rollout. */
export function RevertRevision(props: RevertProps) {
  const { app, place, item, rollout, to } = props;
  const [isOpen, setOpen] = useState(false);
  const denied = useWhyNot({ resource: 'applications', action: 'update', object: applicationObject(app) });
  if (to.isCurrent) return null;
  const close = () => setOpen(false);
  const { service } = knativeOf(rollout) ?? {};
  return (
    <>
      <Button
        icon="back"
        className="small"
        aria-label={`Go back to revision ${to.revision}`}
        why={whyNotBackTo(rollout) ?? denied}
        hint="Go back to this revision"
        onClick={() => setOpen(true)}
      />
      {isOpen && !service && <RestoreTemplate {...props} onClose={close} />}
      {isOpen && service && (
        <UndoRevision
          place={place}
          rollout={rollout}
          service={{ name: service, namespace: item.namespace }}
          to={to}
          onClose={close}
        />
      )}
    </>
  );
}

type RestoreProps = RevertProps & { onClose(): void };

/** compat rollouts §8: the template of an earlier revision becomes the current one. */
function RestoreTemplate({ app, place, item, rollout, sets, from, to, onClose }: RestoreProps) {
  const send = useSend();
  const ref = { ...place, key: item.key, version: item.version };
  const run = useAction(async () => {
    const value = templateOfRevision(rollout, sets, to.revision);
    const patch = JSON.stringify([{ op: 'replace', path: '/spec/template', value }]);
    return patchResource(send, ref, patch, { type: 'json' });
  }, onClose);
  const isHealed = app.spec.syncPolicy?.automated?.selfHeal === true;
  return (
    <ConfirmDialog
      title={`Go back to ${revisionText(to)}?`}
      action={`Go back to revision ${to.revision}`}
      error={run.error}
      isRunning={run.isRunning}
      onConfirm={() => run.run()}
      onClose={onClose}
    >
      <p>
        The template of {item.name} becomes that of revision {to.revision}, with the steps that it has now.
      </p>
      <ul className="image-changes">
        {imageChanges(from, to).map((change) => (
          <li key={change}>
            <code>{change}</code>
          </li>
        ))}
      </ul>
      <p>
        {isHealed
          ? 'Git declares another template, and self-heal writes it back within seconds: revert the commit instead.'
          : 'Git declares another template: the application is OutOfSync until the commit is reverted, and a sync undoes this.'}
      </p>
    </ConfirmDialog>
  );
}
