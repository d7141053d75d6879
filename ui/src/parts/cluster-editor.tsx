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
  redirectedBy,
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
        redirected={cluster ? redirectedBy(before, form) : []}
      />
    </ConfirmDialog>
  );
}

type FieldsProps = {
  form: ClusterForm;
  onChange(form: ClusterForm): void;
  isNew: boolean;
  /** What would send a stored token or password another way: the server would refuse it. */
  redirected: ReturnType<typeof redirectedBy>;
};

type TextName = {
  [K in keyof ClusterForm]: ClusterForm[K] extends string ? K : never;
}[keyof ClusterForm];

const textIn =
  ({ form, onChange }: FieldsProps) =>
  (name: TextName) => ({
    value: form[name],
    onChange: (value: string) => onChange({ ...form, [name]: value }),
  });

function Fields(props: FieldsProps) {
  const { form, onChange, isNew } = props;
  const text = textIn(props);
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
      <Connection {...props} />
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

const again =
  'A stored token or password is never sent another way, nor to a server that is checked another way: give it again.';

function Connection(props: FieldsProps) {
  const { form, onChange, isNew, redirected } = props;
  const text = textIn(props);
  const secret = { type: 'password', autoComplete: 'new-password' };
  const kept = isNew ? '' : 'Left empty, the stored one stays. ';
  const because = (name: (typeof redirected)[number], note: string) =>
    redirected.includes(name) ? again : note;
  return (
    <>
      <TextField
        label="Token"
        note={
          redirected.length > 0
            ? 'Give the stored token again, or the user and the password.'
            : `${kept}Of a service account that may do what its applications need`
        }
        {...secret}
        {...text('token')}
      />
      <TextArea
        label="Certificate authority"
        note={because('authority', `${kept}PEM`)}
        rows={3}
        {...text('authority')}
      />
      <Checkbox
        checked={form.isInsecure}
        onChange={(isInsecure) => onChange({ ...form, isInsecure })}
        label="Do not check the certificate"
        note={because(
          'isInsecure',
          'Anyone on the way to the cluster can then read the token or the password.',
        )}
      />
      <details className="more-fields">
        <summary>User and password, proxy</summary>
        <TextField label="User" note={`${kept}Instead of a token`} autoComplete="off" {...text('username')} />
        <TextField label="Password" note={kept} {...secret} {...text('password')} />
        <TextField
          label="Proxy"
          note={because('proxy', 'Left empty: the cluster is reached without one')}
          placeholder="http://proxy.example.com:3128"
          {...text('proxy')}
        />
      </details>
    </>
  );
}
