import { lazy, Suspense, useState } from 'react';
import type { Application } from '#base/model';
import type { ResourceAction } from '#serve/api';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import type { AppRef } from '../data/use-application.ts';
import { useWhyNotEach } from '../data/use-may.ts';
import {
  type DeletionWay,
  deleteResource,
  runResourceAction,
  useResourceActions,
} from '../data/use-resource.ts';
import { Icon } from '../kit/icon.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { Menu, type MenuItem } from '../kit/menu.tsx';
import { Select } from '../kit/select.tsx';
import { whyNoSync } from '../shape/failing-sync.ts';
import type { TreeItem } from '../shape/resource-forest.ts';
import { applicationObject, resourceAction } from '../shape/rights.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

const EditResource = lazy(() => import('./edit-resource.tsx').then((one) => ({ default: one.EditResource })));

type Open =
  | { readonly what: 'edit' | 'delete' }
  | { readonly what: 'action'; readonly action: ResourceAction };

/** The deeds that a resource offers, each behind a confirmation; those that the user may not do say why. */
export function ResourceMenu({ app, place, item }: { app: Application; place: AppRef; item: TreeItem }) {
  const address = useAddress();
  const [open, setOpen] = useState<Open>();
  const ref = { ...place, key: item.key, version: item.version };
  const { data: actions = [] } = useResourceActions(ref, item.resourceVersion ?? '');
  const object = applicationObject(app);
  const right = (action: string | readonly [string, string]) => ({
    resource: 'applications',
    action,
    object,
  });
  const [noSync, noUpdate, noDelete, ...noActions] = useWhyNotEach([
    right('sync'),
    right(resourceAction('update', item.key)),
    right(resourceAction('delete', item.key)),
    ...actions.map(({ name }) => right(`action/${item.group}/${item.kind}/${name}`)),
  ]);
  const close = () => setOpen(undefined);
  const items: MenuItem[] = [
    ...(item.sync
      ? [
          {
            label: 'Sync…',
            note: 'only this resource',
            why: whyNoSync(app) ?? noSync,
            onChoose: () => navigate(withQuery({ deploy: item.key }, address)),
          },
        ]
      : []),
    ...actions.map((action, at) => ({
      label: action.displayName || capital(action.name),
      note: 'an action of its kind',
      why: action.disabled ? 'It makes no sense in the present state.' : noActions[at],
      onChoose: () => setOpen({ what: 'action', action }),
    })),
    {
      label: 'Edit…',
      note: 'rehearsed by the cluster before it is saved',
      why: noUpdate,
      onChoose: () => setOpen({ what: 'edit' }),
    },
    {
      label: 'Delete…',
      note: 'after a confirmation',
      why: noDelete,
      onChoose: () => setOpen({ what: 'delete' }),
    },
  ];
  return (
    <>
      <Menu label={`Actions on ${item.name}`} variant="quiet" items={items}>
        <Icon name="more" />
      </Menu>
      {open?.what === 'edit' && (
        <Suspense fallback={null}>
          <EditResource place={place} item={item} onClose={close} />
        </Suspense>
      )}
      {open?.what === 'delete' && <DeleteResource place={place} item={item} onClose={close} />}
      {open?.what === 'action' && (
        <RunAction place={place} item={item} action={open.action} onClose={close} />
      )}
    </>
  );
}

const capital = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replaceAll('-', ' ')}`;

type DeedProps = { place: AppRef; item: TreeItem; onClose(): void };

const ways: readonly { value: DeletionWay; label: string }[] = [
  { value: 'foreground', label: 'Delete what it owns first' },
  { value: 'force', label: 'Delete at once, without waiting' },
  { value: 'orphan', label: 'Leave what it owns' },
];

function DeleteResource({ place, item, onClose }: DeedProps) {
  const send = useSend();
  const [way, setWay] = useState<DeletionWay>('foreground');
  const remove = useAction(
    () => deleteResource(send, { ...place, key: item.key, version: item.version }, way),
    onClose,
  );
  return (
    <ConfirmDialog
      title={`Delete ${item.kind} ${item.name}?`}
      action={`Delete ${item.name}`}
      variant="danger"
      error={remove.error}
      isRunning={remove.isRunning}
      onConfirm={() => remove.run()}
      onClose={onClose}
    >
      <p>
        {item.sync && !item.isPrunable
          ? 'It is in Git: the application is out of sync afterwards, and a sync creates it again.'
          : 'It is not in Git: its owner may create it again.'}
      </p>
      <Select
        label="How it is deleted"
        value={way}
        options={ways}
        onChange={(value) => setWay(ways.find((one) => one.value === value)?.value ?? 'foreground')}
      />
    </ConfirmDialog>
  );
}

function RunAction({ place, item, action, onClose }: DeedProps & { action: ResourceAction }) {
  const send = useSend();
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries((action.params ?? []).map(({ name, default: value = '' }) => [name, value])),
  );
  const ref = { ...place, key: item.key, version: item.version };
  const run = useAction(
    () => runResourceAction(send, ref, { name: action.name, parameters: values }),
    onClose,
  );
  const name = action.displayName || capital(action.name);
  return (
    <ConfirmDialog
      title={`${name} ${item.kind} ${item.name}?`}
      action={name}
      error={run.error}
      isRunning={run.isRunning}
      onConfirm={() => run.run()}
      onClose={onClose}
    >
      <p>
        The action <code>{action.name}</code> changes the live object in namespace {item.namespace || 'none'}.
      </p>
      {(action.params ?? []).map(({ name: parameter }) => (
        <label key={parameter}>
          {parameter}
          <input
            className="input"
            value={values[parameter] ?? ''}
            onChange={(event) => setValues({ ...values, [parameter]: event.target.value })}
          />
        </label>
      ))}
    </ConfirmDialog>
  );
}
