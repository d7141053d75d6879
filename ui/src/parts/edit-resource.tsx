import './sync.css';
import { useState } from 'react';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { type AppRef, useManifest } from '../data/use-application.ts';
import { patchResource } from '../data/use-resource.ts';
import { Button } from '../kit/button.tsx';
import { CodeEditor } from '../kit/code-editor.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Skeleton } from '../kit/skeleton.tsx';
import { editable, patchOf } from '../shape/edited-manifest.ts';
import { diffLines } from '../shape/line-diff.ts';
import type { TreeItem } from '../shape/resource-forest.ts';
import { DiffLines } from './diff-lines.tsx';

/** The live manifest as a text to change: the server rehearses the change, shows what comes of it, and only then saves. */
export function EditResource({ place, item, onClose }: { place: AppRef; item: TreeItem; onClose(): void }) {
  const { data, error } = useManifest(place, item);
  const [kept] = useState<{ manifest: string | undefined }>({ manifest: undefined });
  kept.manifest ??= data; // what the user began with: a change of the live object must not replace the typed text
  if (kept.manifest) return <Editor place={place} item={item} manifest={kept.manifest} onClose={onClose} />;
  return (
    <Dialog title={titleOf(item)} place="sheet" onClose={onClose}>
      {error ? (
        <p className="complaint">{error.message}</p>
      ) : (
        <Skeleton label="Loading the manifest" rows={8} />
      )}
    </Dialog>
  );
}

const titleOf = ({ kind, name }: TreeItem): string => `Edit ${kind} ${name}`;

type EditorProps = { place: AppRef; item: TreeItem; manifest: string; onClose(): void };

function Editor({ place, item, manifest, onClose }: EditorProps) {
  const send = useSend();
  const [text, setText] = useState(() => editable(manifest));
  const [rehearsed, setRehearsed] = useState<string>();
  const ref = { ...place, key: item.key, version: item.version };
  const check = useAction(async () => {
    const patch = patchOf(manifest, text);
    setRehearsed(patch ? await patchResource(send, ref, patch, { dryRun: true }) : manifest);
  });
  const save = useAction(async () => patchResource(send, ref, patchOf(manifest, text)), onClose);
  const change = (value: string) => {
    setText(value);
    setRehearsed(undefined);
  };
  const problem = save.error ?? check.error;
  const lines =
    rehearsed === undefined ? [] : diffLines(editable(manifest, 'cluster'), editable(rehearsed, 'cluster'));
  const isSame = rehearsed !== undefined && lines.every(({ sign }) => sign === ' ');
  const notSeen = rehearsed === undefined ? 'Rehearse it first, and see what would change.' : undefined;
  const foot = (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button why={check.isRunning ? 'The cluster rehearses it.' : undefined} onClick={() => check.run()}>
        Rehearse
      </Button>
      <Button
        variant="act"
        why={notSeen ?? (isSame ? 'Nothing would change.' : undefined)}
        onClick={() => save.run()}
      >
        Save
      </Button>
    </>
  );
  return (
    <Dialog title={titleOf(item)} place="sheet" onClose={onClose} foot={foot}>
      <div className="editor">
        <CodeEditor label="Manifest" value={text} onChange={change} problem={problem} />
        {problem && (
          <p className="complaint" role="alert">
            {problem}
          </p>
        )}
        {isSame && <p className="none-left">The cluster would change nothing.</p>}
        {rehearsed !== undefined && !isSame && (
          <section aria-label="What would change">
            <h3>What the cluster would change</h3>
            <DiffLines lines={lines} mode="inline" />
          </section>
        )}
      </div>
    </Dialog>
  );
}
