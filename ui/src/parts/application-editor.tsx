import './editor.css';
import { useState } from 'react';
import type { Application } from '#base/model';
import { FairleadError } from '#base/std';
import { createApplication } from '../data/application-actions.ts';
import { updateApplication } from '../data/draft-actions.ts';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { usePreview } from '../data/use-preview.ts';
import { useClusters, useProjects } from '../data/use-settings.ts';
import { Button } from '../kit/button.tsx';
import { Checkbox } from '../kit/checkbox.tsx';
import { CodeEditor } from '../kit/code-editor.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Field, TextField } from '../kit/field.tsx';
import { navigate } from '../kit/location.ts';
import { useNow } from '../kit/use-now.ts';
import { pathOf, placeOf } from '../shape/address.ts';
import {
  type ApplicationForm,
  applicationIn,
  declaredText,
  emptyApplication,
  formOf,
  whyNotReady,
  withForm,
} from '../shape/application-draft.ts';
import { declaredApplication } from '../shape/declared.ts';
import { DraftEffect } from './draft-effect.tsx';

/** An application as a form and as YAML, side by side: a change of one is a change of the other. The server judges it. */
export function ApplicationEditor({ app, onClose }: { app?: Application; onClose(): void }) {
  const send = useSend();
  const [draft, setDraft] = useState(() => app ?? emptyApplication());
  const [text, setText] = useState(() => declaredText(draft));
  const [problem, setProblem] = useState<string>();
  const preview = usePreview(draft, declaredApplication, app && placeOf(app));
  const now = useNow(60_000);
  const save = useAction(
    () => (app ? updateApplication(send, declaredApplication(draft)) : createApplication(send, draft)),
    () => (app ? onClose() : navigate(pathOf(placeOf(draft)))),
  );
  const change = (form: ApplicationForm) => {
    const next = withForm(draft, form);
    setDraft(next);
    setText(declaredText(next));
    setProblem(undefined);
  };
  const type = (typed: string) => {
    setText(typed);
    try {
      setDraft(applicationIn(typed));
      setProblem(undefined);
    } catch (thrown) {
      setProblem(FairleadError.from(thrown).message);
    }
  };
  const form = formOf(draft);
  const why = problem ?? whyNotReady(form, draft.spec.sources !== undefined);
  const error = save.error ?? preview.error;
  return (
    <Dialog
      title={app ? `Edit ${app.metadata.name}` : 'New application'}
      place="wide"
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button why={preview.whyNotRun ?? why} onClick={() => preview.run()}>
            Preview
          </Button>
          <Button
            variant="act"
            why={save.isRunning ? 'The request is on its way.' : (why ?? preview.whyNotSave)}
            onClick={() => save.run()}
          >
            {app ? 'Save' : 'Create'}
          </Button>
        </>
      }
    >
      <div className="app-editor">
        <FormFields
          form={form}
          onChange={change}
          isNew={app === undefined}
          hasSources={draft.spec.sources !== undefined}
        />
        <div className="app-editor-text">
          <CodeEditor label="Application as YAML" value={text} onChange={type} problem={problem} />
          {(problem ?? error) && (
            <p className="complaint" role="alert">
              {problem ?? error}
            </p>
          )}
          {preview.rendered && <DraftEffect rendered={preview.rendered} draft={draft} now={now} />}
        </div>
      </div>
    </Dialog>
  );
}

type FormProps = {
  form: ApplicationForm;
  onChange(form: ApplicationForm): void;
  isNew: boolean;
  hasSources: boolean;
};

function FormFields({ form, onChange, isNew, hasSources }: FormProps) {
  const text = (name: 'name' | 'repo' | 'path' | 'revision' | 'namespace' | 'cluster' | 'project') => ({
    value: form[name],
    onChange: (value: string) => onChange({ ...form, [name]: value }),
  });
  const box = (
    name: 'isAutomated' | 'prune' | 'selfHeal' | 'createNamespace',
    label: string,
    note: string,
  ) => (
    <Checkbox
      checked={form[name]}
      onChange={(isOn) => onChange({ ...form, [name]: isOn })}
      label={label}
      note={note}
    />
  );
  return (
    <div className="app-editor-form">
      {isNew && <TextField label="Name" {...text('name')} />}
      <ProjectField form={form} onChange={onChange} />
      {hasSources ? (
        <p className="faint">It has several sources: they are edited in the YAML.</p>
      ) : (
        <>
          <TextField
            label="Repository"
            placeholder="https://git.example.com/shop/deploy.git"
            {...text('repo')}
          />
          <Field label="Made from">
            <select
              className="input"
              value={form.isChart ? 'chart' : 'path'}
              onChange={({ target }) => onChange({ ...form, isChart: target.value === 'chart' })}
            >
              <option value="path">A directory in Git</option>
              <option value="chart">A Helm chart</option>
            </select>
          </Field>
          <TextField label={form.isChart ? 'Chart' : 'Path'} {...text('path')} />
          <TextField
            label="Revision"
            note={form.isChart ? 'A version of the chart, or a range' : 'A branch, a tag or a commit'}
            {...text('revision')}
          />
        </>
      )}
      <ClusterField form={form} onChange={onChange} />
      <TextField label="Namespace" {...text('namespace')} />
      {box('createNamespace', 'Create the namespace', 'if it is missing')}
      {box('isAutomated', 'Auto-sync', 'Git is applied without a user')}
      {form.isAutomated && box('prune', 'Prune', 'Delete what is gone from Git')}
      {form.isAutomated && box('selfHeal', 'Self-heal', 'Undo changes in the cluster')}
    </div>
  );
}

type PickerProps = Pick<FormProps, 'form' | 'onChange'>;

function ProjectField({ form, onChange }: PickerProps) {
  const { data = [] } = useProjects();
  const names = [...new Set([form.project, ...data.map(({ metadata }) => metadata.name)])];
  return (
    <Field label="Project">
      <select
        className="input"
        value={form.project}
        onChange={(event) => onChange({ ...form, project: event.target.value })}
      >
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </Field>
  );
}

function ClusterField({ form, onChange }: PickerProps) {
  const { data = [] } = useClusters();
  const known = data.map(({ server, name }) => ({ value: server, label: name || server }));
  const isKnown = known.some(({ value }) => value === form.cluster);
  return (
    <Field label="Cluster">
      <select
        className="input"
        value={form.cluster}
        onChange={(event) => onChange({ ...form, cluster: event.target.value })}
      >
        {!isKnown && <option value={form.cluster}>{form.cluster}</option>}
        {known.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </Field>
  );
}
