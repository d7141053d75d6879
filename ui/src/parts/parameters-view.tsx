import './parameters.css';
import { useState } from 'react';
import type { Application, Source } from '#base/model';
import type { AppDetails } from '#serve/api';
import { detailsOf, updateApplication } from '../data/draft-actions.ts';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import type { AppRef } from '../data/use-application.ts';
import { type Loaded, useLoad } from '../data/use-load.ts';
import { useWhyNot } from '../data/use-may.ts';
import { usePreview } from '../data/use-preview.ts';
import { Button } from '../kit/button.tsx';
import { CodeEditor } from '../kit/code-editor.tsx';
import { TextArea, TextField } from '../kit/field.tsx';
import { navigate, useAddress, withQuery } from '../kit/location.ts';
import { Problem } from '../kit/problem.tsx';
import { Select } from '../kit/select.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { declaredApplication } from '../shape/declared.ts';
import {
  editableSources,
  type ParameterText,
  parameterProblem,
  parametersOf,
  type SettableParameters,
  withoutOverrides,
  withSource,
} from '../shape/parameters.ts';
import { applicationObject } from '../shape/rights.ts';
import { DraftEffect } from './draft-effect.tsx';
import { ParameterRows } from './parameter-rows.tsx';

type ViewProps = { app: Application; place: AppRef; now: number };

/** What can be set in a source of the application: what its repository offers, and what the application sets. */
export function ParametersView({ app, place, now }: ViewProps) {
  const address = useAddress();
  const sources = editableSources(app);
  const at = Math.min(Math.max(0, Number(address.query.get('source') ?? 0) || 0), sources.length - 1);
  const source = sources[at];
  if (!source)
    return (
      <p className="none-left">
        Its source is hydrated by the server: its parameters are in the YAML, under Edit.
      </p>
    );
  return (
    <div className="settable">
      {sources.length > 1 && (
        <Select
          label="Source"
          value={String(at)}
          onChange={(value) => navigate(withQuery({ source: value }, address), 'replace')}
          options={sources.map((one, i) => ({ value: String(i), label: nameOf(one, i) }))}
        >
          Source
        </Select>
      )}
      <SourceParameters key={at} app={app} place={place} now={now} at={at} source={source} />
    </div>
  );
}

const nameOf = ({ name, path, chart, ref, repoURL }: Source, at: number): string =>
  `${at + 1}. ${name ?? chart ?? path ?? ref ?? repoURL}`;

function SourceParameters({ app, place, now, at, source }: ViewProps & { at: number; source: Source }) {
  const send = useSend();
  const [edited, setEdited] = useState<Application>();
  const [round, setRound] = useState(0); // another one begins with what is stored
  const whyNot = useWhyNot({ resource: 'applications', action: 'update', object: applicationObject(app) });
  const details = useDetails(app, source);
  const draft = edited ?? app;
  const current = editableSources(draft)[at] ?? source;
  const preview = usePreview(draft, declaredApplication, place);
  const save = useAction(
    () => updateApplication(send, declaredApplication(draft)),
    () => begin(),
  );
  const begin = () => {
    setEdited(undefined);
    setRound((before) => before + 1);
  };
  const change = (next: Source) => setEdited(withSource(draft, at, next));
  const same = edited ? undefined : 'Nothing is changed.';
  const why = whyNot ?? same ?? parameterProblem(current);
  const problem = save.error ?? preview.error;
  return (
    <>
      <Fields key={round} source={current} details={details} onChange={change} />
      {problem && (
        <p className="complaint" role="alert">
          {problem}
        </p>
      )}
      {preview.rendered && <DraftEffect rendered={preview.rendered} draft={draft} now={now} />}
      <div className="settable-foot">
        <p className="faint" role="status">
          {save.done > 0 && !edited ? 'Saved.' : ''}
        </p>
        <Button why={same} onClick={begin}>
          Discard
        </Button>
        <Button why={why ?? preview.whyNotRun} onClick={() => preview.run()}>
          Preview
        </Button>
        <Button
          variant="act"
          why={why ?? (save.isRunning ? onItsWay : preview.whyNotSave)}
          onClick={() => save.run()}
        >
          Save
        </Button>
      </div>
    </>
  );
}

const onItsWay = 'The request is on its way.';

function useDetails(app: Application, source: Source): Loaded<AppDetails> {
  const send = useSend();
  const { repoURL, path = '', chart = '', targetRevision = '' } = source;
  return useLoad([repoURL, path, chart].join(' '), targetRevision, () =>
    detailsOf(send, app, { source, bare: withoutOverrides(source) }),
  );
}

type FieldsProps = { source: Source; details: Loaded<AppDetails>; onChange(source: Source): void };

function Fields({ source, details: { data, error }, onChange }: FieldsProps) {
  if (!data && !error) return <Skeleton label="Reading the source" rows={6} />;
  return (
    <>
      {error && !data && <Problem title="What the source offers cannot be shown" message={error.message} />}
      <Groups {...parametersOf(source, data)} onChange={onChange} />
    </>
  );
}

type GroupsProps = SettableParameters & { onChange(source: Source): void };

/** The fields, then the tables; short fields of which none is set come last. */
function Groups({ texts, tables, onChange }: GroupsProps) {
  const [areLast] = useState(() => texts.every(({ value, form }) => value === '' && form === 'line'));
  const fields = texts.length > 0 && (
    <div className="parameter-texts">
      {texts.map((text) => (
        <TextOf key={text.label} text={text} onChange={onChange} />
      ))}
    </div>
  );
  return (
    <>
      {!areLast && fields}
      {tables.map((table) => (
        <ParameterRows key={table.title} table={table} onChange={onChange} />
      ))}
      {areLast && fields}
    </>
  );
}

function TextOf({ text, onChange }: { text: ParameterText; onChange(source: Source): void }) {
  const { label, note, value, form } = text;
  const change = (next: string) => onChange(text.change(next));
  const [typed, setTyped] = useState<string>(); // the text itself: what is parsed from it is printed otherwise
  if (form === 'line') return <TextField label={label} note={note} value={value} onChange={change} />;
  const shown = typed ?? value;
  const type = (next: string) => {
    setTyped(next);
    change(next);
  };
  if (form === 'lines') return <TextArea label={label} note={note} value={shown} onChange={type} rows={3} />;
  return (
    <div className="field parameter-yaml">
      <span>
        {label} <small>{note}</small>
      </span>
      <CodeEditor label={label} value={shown} onChange={type} problem={undefined} />
    </div>
  );
}
