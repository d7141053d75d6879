import { useState } from 'react';
import type { AppProject } from '#base/model';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { saveProject } from '../data/use-settings.ts';
import { Checkbox } from '../kit/checkbox.tsx';
import { TextArea, TextField } from '../kit/field.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { Select } from '../kit/select.tsx';
import {
  noForm,
  projectFormOf,
  roleForm,
  roleOf,
  samplePolicy,
  whyNotRole,
  whyNotWindow,
  windowForm,
  windowOf,
  withItem,
} from '../shape/project-edit.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

type FormProps = { project: AppProject; why: string | undefined; reload(): void };

/** The form that the address opens: of a source, a destination, a window or a role. */
export function ProjectForms(props: FormProps) {
  const form = projectFormOf(useAddress().query);
  if (!form) return null;
  switch (form.of) {
    case 'sourceRepos':
      return <SourceForm {...props} />;
    case 'destinations':
      return <DestinationForm {...props} />;
    case 'syncWindows':
      return <WindowDialog {...props} id={form.id} />;
    case 'roles':
      return <RoleDialog {...props} id={form.id} />;
  }
}

/** Saves the project that an edit results in, and closes the form. */
function useEdit(edit: () => AppProject, reload: () => void) {
  const send = useSend();
  const address = useAddress();
  const onClose = () => navigate(withQuery(noForm, address));
  const save = useAction(
    async () => saveProject(send, edit(), false),
    () => {
      onClose();
      reload();
    },
  );
  return { error: save.error, isRunning: save.isRunning, onConfirm: () => save.run(), onClose };
}

function SourceForm({ project, why, reload }: FormProps) {
  const [url, setUrl] = useState('');
  const edit = useEdit(() => withItem(project, 'sourceRepos', url.trim()), reload);
  return (
    <ConfirmDialog
      title="Permit a repository"
      action="Permit"
      why={why ?? (url.trim() ? undefined : 'Its address is missing.')}
      {...edit}
    >
      <TextField
        label="Address"
        note="* is every one; !https://… excludes one"
        placeholder="https://git.example.com/shop/*"
        value={url}
        onChange={setUrl}
      />
    </ConfirmDialog>
  );
}

function DestinationForm({ project, why, reload }: FormProps) {
  const [cluster, setCluster] = useState('');
  const [namespace, setNamespace] = useState('');
  const isAddress = cluster === '*' || /^!?https?:\/\//.test(cluster);
  const edit = useEdit(
    () =>
      withItem(project, 'destinations', {
        ...(isAddress ? { server: cluster.trim() } : { name: cluster.trim() }),
        namespace: namespace.trim(),
      }),
    reload,
  );
  const missing =
    cluster.trim() && namespace.trim() ? undefined : 'Cluster and namespace are needed; * is every one.';
  return (
    <ConfirmDialog title="Permit a destination" action="Permit" why={why ?? missing} {...edit}>
      <TextField
        label="Cluster"
        note="Its name or its address; * is every one"
        placeholder="https://kubernetes.default.svc"
        value={cluster}
        onChange={setCluster}
      />
      <TextField
        label="Namespace"
        note="* is every one, also in a part of a name"
        placeholder="shop-*"
        value={namespace}
        onChange={setNamespace}
      />
    </ConfirmDialog>
  );
}

type EditProps = FormProps & {
  /** What is edited; undefined: it is new. */
  id: string | undefined;
};

function WindowDialog({ project, why, reload, id }: EditProps) {
  const at = id === undefined ? undefined : Number(id);
  const before = at === undefined ? undefined : project.spec.syncWindows?.[at];
  const [form, setForm] = useState(windowForm(before));
  const edit = useEdit(() => withItem(project, 'syncWindows', windowOf(form, before), at), reload);
  const text = (name: 'schedule' | 'duration' | 'timeZone' | 'applications' | 'namespaces' | 'clusters') => ({
    value: form[name],
    onChange: (value: string) => setForm({ ...form, [name]: value }),
  });
  const isGone = at !== undefined && before === undefined;
  return (
    <ConfirmDialog
      title={before ? 'Edit the window' : 'New window'}
      action={before ? 'Save' : 'Add'}
      why={why ?? (isGone ? 'There is no such window any more.' : whyNotWindow(form))}
      {...edit}
    >
      <Select
        label="Kind"
        value={form.kind}
        options={[
          { value: 'deny', label: 'blocks syncs while it is open' },
          { value: 'allow', label: 'permits syncs only while it is open' },
        ]}
        onChange={(kind) => setForm({ ...form, kind: kind === 'allow' ? 'allow' : 'deny' })}
      >
        It
      </Select>
      <TextField
        label="Schedule"
        note="As in cron: minute, hour, day, month, weekday"
        placeholder="0 22 * * *"
        {...text('schedule')}
      />
      <TextField label="Duration" note="30m, 8h" {...text('duration')} />
      <TextField label="Time zone" note="Empty: UTC" placeholder="Europe/Berlin" {...text('timeZone')} />
      <TextField label="Applications" note="With commas; * is every one" {...text('applications')} />
      <TextField label="Namespaces" note="With commas" {...text('namespaces')} />
      <TextField label="Clusters" note="With commas" {...text('clusters')} />
      <Checkbox
        checked={form.manualSync}
        onChange={(manualSync) => setForm({ ...form, manualSync })}
        label="A sync by hand is permitted all the same"
      />
    </ConfirmDialog>
  );
}

function RoleDialog({ project, why, reload, id }: EditProps) {
  const roles = project.spec.roles ?? [];
  const at = id === undefined ? undefined : roles.findIndex(({ name }) => name === id);
  const before = at === undefined ? undefined : roles[at];
  const [form, setForm] = useState(roleForm(before));
  const edit = useEdit(() => withItem(project, 'roles', roleOf(form, before), at), reload);
  const isGone = at !== undefined && before === undefined;
  const sample = samplePolicy(project.metadata.name, form.name);
  return (
    <ConfirmDialog
      title={before ? `Edit role ${before.name}` : 'New role'}
      action={before ? 'Save' : 'Add'}
      why={why ?? (isGone ? `There is no role ${id} any more.` : whyNotRole(form, project, before))}
      {...edit}
    >
      {!before && (
        <TextField label="Name" value={form.name} onChange={(name) => setForm({ ...form, name })} />
      )}
      <TextField
        label="Description"
        value={form.description}
        onChange={(description) => setForm({ ...form, description })}
      />
      <TextArea
        label="Policies"
        note={
          <>
            One a line, for example <code>{sample}</code>
          </>
        }
        rows={4}
        value={form.policies}
        onChange={(policies) => setForm({ ...form, policies })}
      />
      <TextField
        label="Groups"
        note="Of single sign-on, with commas; their members have the role"
        value={form.groups}
        onChange={(groups) => setForm({ ...form, groups })}
      />
    </ConfirmDialog>
  );
}
