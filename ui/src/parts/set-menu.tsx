import { lazy } from 'react';
import type { ApplicationSet } from '#base/model';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { deleteSet } from '../data/use-application-set.ts';
import { useWhyNot } from '../data/use-may.ts';
import { navigate } from '../kit/location.ts';
import { applicationSetsPath, placeOf } from '../shape/address.ts';
import { setDeletionEffect } from '../shape/application-deletion.ts';
import { setObject } from '../shape/rights.ts';
import { DeleteByName, MoreMenu } from './more-menu.tsx';

const SetEditor = lazy(() => import('./set-editor.tsx').then((one) => ({ default: one.SetEditor })));

type MenuProps = {
  set: ApplicationSet;
  /** How many applications it has. */
  count: number;
};

/** What is done to a set seldom: edit it, delete it. */
export function SetMenu({ set, count }: MenuProps) {
  const object = setObject(set);
  const noUpdate = useWhyNot({ resource: 'applicationsets', action: 'update', object });
  const noDelete = useWhyNot({ resource: 'applicationsets', action: 'delete', object });
  return (
    <MoreMenu
      items={[
        {
          label: 'Edit…',
          note: 'with a preview',
          why: noUpdate,
          open: (close) => <SetEditor set={set} onClose={close} />,
        },
        {
          label: 'Delete…',
          note: 'with its applications',
          why: noDelete,
          open: (close) => <DeleteSet set={set} count={count} onClose={close} />,
        },
      ]}
    />
  );
}

function DeleteSet({ set, count, onClose }: MenuProps & { onClose(): void }) {
  const send = useSend();
  const deletion = useAction(
    () => deleteSet(send, placeOf(set)),
    () => navigate(applicationSetsPath),
  );
  return (
    <DeleteByName name={set.metadata.name} label="Name of the set" deletion={deletion} onClose={onClose}>
      <p>{setDeletionEffect(set, count)}</p>
    </DeleteByName>
  );
}
