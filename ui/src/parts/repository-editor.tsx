import { useState } from 'react';
import type { RepositoryView, TemplateView } from '#serve/api';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { saveRepository, saveTemplate, testRepository, useTemplates } from '../data/use-settings.ts';
import { Button } from '../kit/button.tsx';
import { Checkbox } from '../kit/checkbox.tsx';
import { TextArea, TextField } from '../kit/field.tsx';
import { Select } from '../kit/select.tsx';
import {
  type AccessWay,
  borrowedBy,
  borrowedFrom,
  emptyRepository,
  type RepositoryForm,
  redirectedBy,
  repositoryFormOf,
  repositoryInput,
  templateInput,
  wayOf,
  whyNotRepository,
} from '../shape/repository-draft.ts';
import { repoName } from '../shape/revision.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

type EditorProps = { onClose(): void; onDone(): void };

/** Connects a repository, or changes how it is connected. */
export function RepositoryEditor({ before, onClose, onDone }: EditorProps & { before?: RepositoryView }) {
  const send = useSend();
  const [form, setForm] = useState(before ? repositoryFormOf(before) : emptyRepository);
  const test = useAction(() => testRepository(send, repositoryInput(form, before)));
  const save = useAction(
    () => saveRepository(send, repositoryInput(form, before), before),
    () => {
      onClose();
      onDone();
    },
  );
  const why = whyNotRepository(form);
  const templates = useTemplates();
  const lender = before && borrowedFrom(before, templates.data);
  return (
    <ConfirmDialog
      title={before ? `Edit ${repoName(before.repo)}` : 'Connect a repository'}
      action={before ? 'Save' : 'Connect'}
      why={why}
      error={save.error ?? test.error}
      isRunning={save.isRunning}
      onConfirm={() => save.run()}
      onClose={onClose}
    >
      <Fields form={form} onChange={setForm} of="repository" before={before} lender={lender} />
      {!before && (
        <div className="row-tools">
          <Button
            className="small"
            why={test.isRunning ? 'The connection is tested.' : why}
            onClick={() => test.run()}
          >
            Test the connection
          </Button>
          {test.done > 0 && !test.error && !test.isRunning && (
            <span className="tone-good standing">It works.</span>
          )}
        </div>
      )}
    </ConfirmDialog>
  );
}

/** Stores credentials for every repository whose address begins with theirs, or changes them. */
export function TemplateEditor({ before, onClose, onDone }: EditorProps & { before?: TemplateView }) {
  const send = useSend();
  const [form, setForm] = useState(before ? repositoryFormOf(before) : emptyRepository);
  const save = useAction(
    () => saveTemplate(send, templateInput(form, before), before === undefined),
    () => {
      onClose();
      onDone();
    },
  );
  return (
    <ConfirmDialog
      title={before ? `Edit the template ${before.url}` : 'New credential template'}
      action={before ? 'Save' : 'Create'}
      why={whyNotRepository(form)}
      error={save.error}
      isRunning={save.isRunning}
      onConfirm={() => save.run()}
      onClose={onClose}
    >
      <Fields form={form} onChange={setForm} of="template" before={before} />
    </ConfirmDialog>
  );
}

type FieldsProps = {
  form: RepositoryForm;
  onChange(form: RepositoryForm): void;
  of: 'repository' | 'template';
  /** Absent: a new one. */
  before: RepositoryView | TemplateView | undefined;
  /** Where it borrows its credentials. */
  lender?: string | undefined;
};

const again =
  'A stored password, token or key is never sent another way: choose it at Credentials, and give it again.';

const ofTemplate =
  'The credentials of the template are sent another way only where you may update the template as well.';

function Fields({ form, onChange, of, before, lender }: FieldsProps) {
  const isNew = before === undefined;
  const whyNot = (name: 'proxy' | 'insecure') => {
    if (isNew) return undefined;
    if (redirectedBy(form, before).includes(name)) return again;
    return borrowedBy(form, before).includes(name) ? ofTemplate : undefined;
  };
  const set = (changes: Partial<RepositoryForm>) => onChange({ ...form, ...changes });
  const text = textIn(form, set);
  return (
    <>
      <Select
        label="Type"
        value={form.type}
        options={['git', 'helm', 'oci'].map((type) => ({ value: type, label: type }))}
        onChange={(type) => set({ type: type === 'helm' || type === 'oci' ? type : 'git' })}
      >
        Type
      </Select>
      {isNew &&
        (of === 'repository' ? (
          <TextField
            label="Address"
            placeholder="https://git.example.com/shop/deploy.git"
            {...text('address')}
          />
        ) : (
          <TextField
            label="Addresses begin with"
            placeholder="https://git.example.com/shop"
            {...text('address')}
          />
        ))}
      {of === 'repository' && (
        <>
          <TextField label="Name" note="Needed for a chart repository" {...text('name')} />
          <TextField label="Project" note="Empty: every project may use it" {...text('project')} />
        </>
      )}
      <Credentials form={form} onChange={onChange} isNew={isNew} lender={lender} />
      {of === 'repository' && (
        <>
          <Checkbox
            checked={form.insecure}
            onChange={(insecure) => set({ insecure })}
            label="Without checking its identity"
            note={whyNot('insecure') ?? 'Certificates and host keys are not verified'}
          />
          {form.type === 'git' && (
            <Checkbox
              checked={form.enableLfs}
              onChange={(enableLfs) => set({ enableLfs })}
              label="Fetch large files (Git LFS)"
            />
          )}
        </>
      )}
      {form.type === 'helm' && (
        <Checkbox
          checked={form.enableOCI}
          onChange={(enableOCI) => set({ enableOCI })}
          label="Charts in a registry (OCI)"
        />
      )}
      <details className="more-fields">
        <summary>Client certificate and proxy</summary>
        <TextArea label="Client certificate, as PEM" rows={3} {...text('tlsClientCertData')} />
        <TextArea label="Its private key, as PEM" rows={3} {...text('tlsClientCertKey')} />
        <TextField
          label="Proxy"
          note={whyNot('proxy')}
          placeholder="http://proxy.example.com:3128"
          {...text('proxy')}
        />
        <TextField label="Hosts without the proxy" note="With commas" {...text('noProxy')} />
      </details>
    </>
  );
}

type CredentialsProps = Pick<FieldsProps, 'form' | 'onChange' | 'lender'> & { isNew: boolean };

const ways: Readonly<Record<AccessWay, string>> = {
  stored: 'as stored',
  none: 'nothing: it is public, or a template fits',
  password: 'user and password or token',
  token: 'bearer token',
  ssh: 'SSH key',
  github: 'GitHub App',
  google: 'Google service account',
  azure: 'Azure service principal',
  workload: 'Azure workload identity',
};

function Credentials({ form, onChange, isNew, lender }: CredentialsProps) {
  const set = (changes: Partial<RepositoryForm>) => onChange({ ...form, ...changes });
  const text = textIn(form, set);
  const secret = { type: 'password', autoComplete: 'new-password' };
  const way = wayOf(form);
  const offered = (Object.keys(ways) as AccessWay[]).filter((one) => !isNew || one !== 'stored');
  return (
    <>
      <Select
        label="Credentials"
        value={way}
        options={offered.map((one) => ({
          value: one,
          label: one === 'stored' && lender ? 'of a template' : ways[one],
        }))}
        note={way === 'stored' && lender}
        onChange={(value) => set({ way: offered.find((one) => one === value) })}
      >
        Credentials
      </Select>
      {way === 'password' && (
        <>
          <TextField label="User" autoComplete="off" {...text('username')} />
          <TextField label="Password or token" {...secret} {...text('password')} />
        </>
      )}
      {way === 'token' && <TextField label="Bearer token" {...secret} {...text('bearerToken')} />}
      {way === 'ssh' && <TextArea label="Private SSH key" {...text('sshPrivateKey')} />}
      {way === 'google' && (
        <TextArea label="Key of the service account, as JSON" {...text('gcpServiceAccountKey')} />
      )}
      {way === 'azure' && (
        <>
          <TextField label="Id of the client" {...text('azureServicePrincipalClientId')} />
          <TextField label="Its secret" {...secret} {...text('azureServicePrincipalClientSecret')} />
          <TextField label="Id of the tenant" {...text('azureServicePrincipalTenantId')} />
        </>
      )}
      {way === 'github' && (
        <>
          <TextField label="Id of the App" {...text('githubAppID')} />
          <TextField
            label="Id of the installation"
            note="Empty: the one of the organisation in the address"
            {...text('githubAppInstallationID')}
          />
          <TextField
            label="Address of GitHub Enterprise"
            note="Empty: github.com"
            placeholder="https://github.example.com/api/v3"
            {...text('githubAppEnterpriseBaseUrl')}
          />
          <TextArea label="Private key of the App" {...text('githubAppPrivateKey')} />
        </>
      )}
    </>
  );
}

type TextName = {
  [K in keyof RepositoryForm]: RepositoryForm[K] extends string ? K : never;
}[keyof RepositoryForm];

const textIn =
  (form: RepositoryForm, set: (changes: Partial<RepositoryForm>) => void) =>
  (name: Exclude<TextName, 'type'>) => ({
    value: form[name],
    onChange: (value: string) => set({ [name]: value }),
  });
