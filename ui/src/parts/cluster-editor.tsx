import { useState } from 'react';
import type { ClusterView } from '#serve/api';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { addCluster, editCluster } from '../data/use-settings.ts';
import { Checkbox } from '../kit/checkbox.tsx';
import { TextArea, TextField } from '../kit/field.tsx';
import {
  type ClusterForm,
  changedFields,
  clusterFormOf,
  clusterInput,
  emptyCluster,
  needsToken,
  whyNotCluster,
} from '../shape/cluster-draft.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

type EditorProps = {
  /** Absent: a new one. */
  cluster?: ClusterView;
  onClose(): void;
  onDone(): void;
};

/** Registers a cluster, or changes how it is registered. The server connects to it before it stores anything. */
export function ClusterEditor({ cluster, onClose, onDone }: EditorProps) {
  const send = useSend();
  const before = cluster ? clusterFormOf(cluster) : emptyCluster;
  const [form, setForm] = useState<ClusterForm>(before);
  const save = useAction(
    () =>
      cluster
        ? editCluster(send, clusterInput(form, cluster.config), changedFields(before, form))
        : addCluster(send, clusterInput(form)),
    () => {
      onDone();
      onClose();
    },
  );
  return (
    <ConfirmDialog
      title={cluster ? `Edit ${cluster.name || cluster.server}` : 'Add a cluster'}
      action={cluster ? 'Save' : 'Add'}
      why={whyNotCluster(form, cluster === undefined)}
      error={save.error}
      isRunning={save.isRunning}
      onConfirm={() => save.run()}
      onClose={onClose}
    >
      <Fields
        form={form}
        onChange={setForm}
        isNew={cluster === undefined}
        isTokenNeeded={cluster !== undefined && needsToken(before, form)}
      />
    </ConfirmDialog>
  );
}

type FieldsProps = {
  form: ClusterForm;
  onChange(form: ClusterForm): void;
  isNew: boolean;
  /** The stored one would be refused. */
  isTokenNeeded: boolean;
};

function Fields({ form, onChange, isNew, isTokenNeeded }: FieldsProps) {
  const text = (name: 'server' | 'name' | 'token' | 'authority' | 'namespaces' | 'project' | 'labels') => ({
    value: form[name],
    onChange: (value: string) => onChange({ ...form, [name]: value }),
  });
  const kept = isNew ? '' : 'Left empty, the stored one stays. ';
  return (
    <>
      {isNew && (
        <>
          <p className="faint">
            fairlead cluster add makes the service account in the cluster as well; here its token is needed.
          </p>
          <TextField label="Address" placeholder="https://203.0.113.7:6443" {...text('server')} />
        </>
      )}
      <TextField label="Name" note="Left empty: its address" {...text('name')} />
      <TextField
        label="Token"
        note={
          isTokenNeeded
            ? 'Give the stored token again: the server never sends it where the certificate is checked another way.'
            : `${kept}Of a service account that may do what its applications need`
        }
        type="password"
        autoComplete="off"
        {...text('token')}
      />
      <TextArea label="Certificate authority" note={`${kept}PEM`} rows={3} {...text('authority')} />
      <Checkbox
        checked={form.isInsecure}
        onChange={(isInsecure) => onChange({ ...form, isInsecure })}
        label="Do not check the certificate"
        note="Anyone on the way to the cluster can then read the token."
      />
      <TextField label="Namespaces" note="With commas; left empty: all" {...text('namespaces')} />
      {form.namespaces.trim() !== '' && (
        <Checkbox
          checked={form.clusterResources}
          onChange={(clusterResources) => onChange({ ...form, clusterResources })}
          label="Resources without a namespace as well"
        />
      )}
      <TextField label="Project" note="Left empty: every project may use it" {...text('project')} />
      <TextField
        label="Labels"
        note="key=value with commas; ApplicationSets select by them"
        {...text('labels')}
      />
    </>
  );
}
