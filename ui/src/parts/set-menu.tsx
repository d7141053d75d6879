import { lazy, Suspense, useState } from 'react';
import type { ApplicationSet } from '#base/model';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { deleteSet } from '../data/use-application-set.ts';
import { useWhyNot } from '../data/use-may.ts';
import { TextField } from '../kit/field.tsx';
import { Icon } from '../kit/icon.tsx';
import { navigate } from '../kit/location.ts';
import { Menu } from '../kit/menu.tsx';
import { applicationSetsPath, placeOf } from '../shape/address.ts';
import { setDeletionEffect } from '../shape/application-deletion.ts';
import { setObject } from '../shape/rights.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

const SetEditor = lazy(() => import('./set-editor.tsx').then((one) => ({ default: one.SetEditor })));

type MenuProps = {
  set: ApplicationSet;
  /** How many applications it has. */
  count: number;
};

/** What is done to a set seldom: edit it, delete it. */
export function SetMenu({ set, count }: MenuProps) {
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const object = setObject(set);
  const noUpdate = useWhyNot({ resource: 'applicationsets', action: 'update', object });
  const noDelete = useWhyNot({ resource: 'applicationsets', action: 'delete', object });
  const close = () => setOpen(undefined);
  return (
    <>
      <Menu
        label="More actions"
        items={[
          { label: 'Edit…', note: 'with a preview', why: noUpdate, onChoose: () => setOpen('edit') },
          {
            label: 'Delete…',
            note: 'with its applications',
            why: noDelete,
            onChoose: () => setOpen('delete'),
          },
        ]}
      >
        <Icon name="more" />
      </Menu>
      {open === 'edit' && (
        <Suspense fallback={null}>
          <SetEditor set={set} onClose={close} />
        </Suspense>
      )}
      {open === 'delete' && <DeleteSet set={set} count={count} onClose={close} />}
    </>
  );
}

function DeleteSet({ set, count, onClose }: MenuProps & { onClose(): void }) {
  const send = useSend();
  const [typed, setTyped] = useState('');
  const { name } = set.metadata;
  const remove = useAction(
    () => deleteSet(send, placeOf(set)),
    () => navigate(applicationSetsPath),
  );
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action={`Delete ${name}`}
      look="danger"
      why={typed === name ? undefined : `Type ${name} to confirm.`}
      error={remove.error}
      isRunning={remove.isRunning}
      onConfirm={() => remove.run()}
      onClose={onClose}
    >
      <p>{setDeletionEffect(set, count)}</p>
      <TextField label="Name of the set" value={typed} onChange={setTyped} />
    </ConfirmDialog>
  );
}
