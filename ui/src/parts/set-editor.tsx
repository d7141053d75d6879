import './sync.css';
import { type ReactNode, useState } from 'react';
import type { ApplicationSet } from '#base/model';
import { FairleadError } from '#base/std';
import type { ApplicationSetPreview } from '#serve/api';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { previewSet, saveSet } from '../data/use-application-set.ts';
import { Button } from '../kit/button.tsx';
import { CodeEditor } from '../kit/code-editor.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { navigate } from '../kit/location.ts';
import { Select } from '../kit/select.tsx';
import { placeOf, setViewPath } from '../shape/address.ts';
import { declaredSetText, setIn, setStarts, startText } from '../shape/set-draft.ts';
import { PreviewView } from './preview-view.tsx';

/** A set as YAML: the server evaluates it and shows what it would create, update and delete; only then it is saved. */
export function SetEditor({ set, onClose }: { set?: ApplicationSet; onClose(): void }) {
  const [start, setStart] = useState('git-folders');
  const [text, setText] = useState(() => (set ? declaredSetText(set) : startText(start)));
  const begin = (value: string) => {
    setStart(value);
    setText(startText(value));
  };
  const starts = !set && (
    <Select label="Generates an application for" value={start} options={setStarts} onChange={begin}>
      Generates an application for
    </Select>
  );
  return (
    <Editor set={set} text={text} onChange={setText} onClose={onClose}>
      {starts}
    </Editor>
  );
}

type EditorProps = {
  set: ApplicationSet | undefined;
  text: string;
  onChange(text: string): void;
  onClose(): void;
  children: ReactNode;
};

function Editor({ set, text, onChange, onClose, children }: EditorProps) {
  const send = useSend();
  const [seen, setSeen] = useState<{ text: string; preview: ApplicationSetPreview }>();
  const { draft, problem } = readText(text, set?.metadata.name);
  const preview = useAction(async () => draft && setSeen({ text, preview: await previewSet(send, draft) }));
  const save = useAction(
    async () => draft && saveSet(send, draft, set === undefined),
    () => (set || !draft ? onClose() : navigate(setViewPath(placeOf(draft)))),
  );
  const isSeen = seen?.text === text; // any other text needs another preview
  const complaint = problem ?? save.error ?? preview.error;
  const notSeen = isSeen ? undefined : 'Preview it first, and see what it would do.';
  const foot = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button why={preview.isRunning ? 'The server evaluates it.' : problem} onClick={() => preview.run()}>
        Preview
      </Button>
      <Button
        variant="act"
        why={save.isRunning ? 'The request is on its way.' : (problem ?? notSeen)}
        onClick={() => save.run()}
      >
        {set ? 'Save' : 'Create'}
      </Button>
    </>
  );
  const title = set ? `Edit ${set.metadata.name}` : 'New ApplicationSet';
  return (
    <Dialog title={title} place="sheet" onClose={onClose} foot={foot}>
      <div className="editor">
        {children}
        <CodeEditor label="ApplicationSet as YAML" value={text} onChange={onChange} problem={problem} />
        {complaint && (
          <p className="complaint" role="alert">
            {complaint}
          </p>
        )}
        {isSeen && <PreviewView preview={{ data: seen.preview }} />}
      </div>
    </Dialog>
  );
}

type ReadText = { readonly draft?: ApplicationSet; readonly problem?: string };

/** The set of the text, or what is wrong with it; `name` is that of the one which is edited. */
function readText(text: string, name: string | undefined): ReadText {
  try {
    const draft = setIn(text);
    const isOther = name !== undefined && draft.metadata.name !== name;
    return isOther ? { problem: `A set cannot be renamed: it is called ${name}.` } : { draft };
  } catch (thrown) {
    return { problem: FairleadError.from(thrown).message };
  }
}
