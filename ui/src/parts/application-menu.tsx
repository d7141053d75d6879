import { lazy, useState } from 'react';
import type { Application } from '#base/model';
import { deleteApplication } from '../data/application-actions.ts';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import type { AppRef } from '../data/use-application.ts';
import { useWhyNot } from '../data/use-may.ts';
import { useServerSettings } from '../data/use-session.ts';
import { CopyButton } from '../kit/copy-button.tsx';
import { addressOf, navigate } from '../kit/location.ts';
import { Select } from '../kit/select.tsx';
import { applicationsPath } from '../shape/address.ts';
import { type DeletionChoice, deletionChoices, deletionEffect } from '../shape/application-deletion.ts';
import { isWebAddress } from '../shape/resource-forest.ts';
import { applicationObject } from '../shape/rights.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { DeleteByName, MoreMenu } from './more-menu.tsx';

const ApplicationEditor = lazy(() =>
  import('./application-editor.tsx').then((one) => ({ default: one.ApplicationEditor })),
);

/** What is done to an application seldom: edit it, delete it, copy its badge. */
export function ApplicationMenu({ app, place }: { app: Application; place: AppRef }) {
  const { data: settings } = useServerSettings();
  const object = applicationObject(app);
  const noUpdate = useWhyNot({ resource: 'applications', action: 'update', object });
  const noDelete = useWhyNot({ resource: 'applications', action: 'delete', object });
  const noBadge = settings?.statusBadgeEnabled
    ? undefined
    : 'Badges are off: statusbadge.enabled in argocd-cm.';
  return (
    <MoreMenu
      items={[
        {
          label: 'Edit…',
          note: 'form and YAML',
          why: noUpdate,
          open: (close) => <ApplicationEditor app={app} onClose={close} />,
        },
        {
          label: 'Status badge…',
          note: 'a picture for a README',
          why: noBadge,
          open: (close) => <Badge place={place} root={settings?.statusBadgeRootUrl} onClose={close} />,
        },
        {
          label: 'Delete…',
          note: 'with or without its resources',
          why: noDelete,
          open: (close) => <DeleteApplication app={app} place={place} onClose={close} />,
        },
      ]}
    />
  );
}

function DeleteApplication({ app, place, onClose }: { app: Application; place: AppRef; onClose(): void }) {
  const send = useSend();
  const [choice, setChoice] = useState<DeletionChoice>('foreground');
  const deletion = useAction(
    () => deleteApplication(send, place, choice),
    () => navigate(applicationsPath),
  );
  const label = 'Name of the application';
  return (
    <DeleteByName name={app.metadata.name} label={label} deletion={deletion} onClose={onClose}>
      <p>{deletionEffect(app, choice)}</p>
      <Select
        label="Its resources"
        value={choice}
        options={deletionChoices}
        onChange={(value) =>
          setChoice(deletionChoices.find((one) => one.value === value)?.value ?? 'foreground')
        }
      >
        Its resources
      </Select>
    </DeleteByName>
  );
}

type BadgeProps = {
  place: AppRef;
  /** Where readers of the badge reach this installation (`statusbadge.url`); absent: as this page does. */
  root: string | undefined;
  onClose(): void;
};

function Badge({ place, root, onClose }: BadgeProps) {
  const query = new URLSearchParams({ name: place.name, namespace: place.namespace, revision: 'true' });
  const own = `${location.origin}${addressOf('/api/badge')}?${query}`;
  const picture =
    root && isWebAddress(root) ? `${root.replace(/\/$/, '')}${addressOf('/api/badge')}?${query}` : own;
  const page = `${location.origin}${addressOf(`/applications/${place.namespace}/${place.name}`)}`;
  const markdown = `[![${place.name}](${picture})](${page})`;
  return (
    <ConfirmDialog
      title="Status badge"
      action="Done"
      error={undefined}
      isRunning={false}
      onConfirm={onClose}
      onClose={onClose}
    >
      <img src={own} alt={`Status of ${place.name}`} height="20" />
      <p className="secret">
        <code>{markdown}</code>
        <CopyButton text={markdown} label="Copy the Markdown" />
      </p>
    </ConfirmDialog>
  );
}
