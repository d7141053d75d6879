import './terminal.css';
import { type ClipboardEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import type { Application } from '#base/model';
import { type AppRef, useManifest } from '../data/use-application.ts';
import { useWhyNot } from '../data/use-may.ts';
import { useTerminal } from '../data/use-terminal.ts';
import { Button } from '../kit/button.tsx';
import { addressOf } from '../kit/location.ts';
import { Select } from '../kit/select.tsx';
import { containersOf } from '../shape/logs.ts';
import type { TreeItem } from '../shape/resource-forest.ts';
import { applicationObject } from '../shape/rights.ts';
import { keyText, TerminalScreen } from '../shape/terminal-screen.ts';

type TerminalProps = { readonly app: Application; readonly place: AppRef; readonly item: TreeItem };

/** A shell in a container of a pod, for users with `exec, create`. */
export function TerminalView({ app, place, item }: TerminalProps) {
  const { data: manifest } = useManifest(place, item);
  const whyNot = useWhyNot({ resource: 'exec', action: 'create', object: applicationObject(app) });
  const containers = containersOf(manifest);
  const [chosen, setChosen] = useState('');
  const container = chosen || containers[0];
  if (whyNot) return <p className="none-left">{whyNot}</p>;
  if (!container) return <p className="none-left">Reading the containers of the pod.</p>;
  const url = urlOf({ app, place, item }, container);
  return (
    <div className="terminal">
      {containers.length > 1 && (
        <Select
          label="Container"
          value={container}
          onChange={setChosen}
          options={containers.map((name) => ({ value: name, label: name }))}
        />
      )}
      <Shell key={url} url={url} name={`${item.name}, ${container}`} />
    </div>
  );
}

function urlOf({ app, place, item }: TerminalProps, container: string): string {
  const query = new URLSearchParams({
    pod: item.name,
    namespace: item.namespace,
    container,
    appName: place.name,
    appNamespace: place.namespace,
    projectName: app.spec.project || 'default',
  });
  const { protocol, host } = window.location;
  return `${protocol === 'https:' ? 'wss' : 'ws'}://${host}${addressOf('/terminal')}?${query}`;
}

const size = { rows: 24, columns: 80 };

function Shell({ url, name }: { url: string; name: string }) {
  const [screen] = useState(() => new TerminalScreen(size));
  const [, setVersion] = useState(0);
  const box = useRef<HTMLTextAreaElement>(null);
  const line = useTerminal({ url }, (text) => {
    screen.write(text);
    setVersion((before) => before + 1);
  });
  useEffect(() => box.current?.focus(), []);
  useEffect(() => box.current?.scrollTo({ top: box.current.scrollHeight }));
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation(); // no shortcut of the page while a shell is typed to
    const text = keyText(event);
    if (text === undefined) return;
    event.preventDefault();
    line.type(text);
  };
  const onPaste = (event: ClipboardEvent) => {
    event.preventDefault();
    line.type(event.clipboardData.getData('text'));
  };
  return (
    <>
      <textarea
        ref={box}
        className="terminal-screen"
        aria-label={`Terminal in ${name}. Shift and Tab leave it.`}
        spellCheck={false}
        autoCapitalize="off"
        readOnly={line.state !== 'open'}
        rows={size.rows}
        value={screenText(screen, line.state === 'open')}
        onChange={() => {}}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <p className="terminal-foot">
        {words[line.state]}
        {line.state === 'ended' && <Button onClick={line.again}>Connect again</Button>}
      </p>
    </>
  );
}

const words = {
  connecting: 'Connecting…',
  open: 'Connected. What you type runs in the container; its beginning is in the audit log.',
  ended: 'The shell has ended.',
};

/** The cursor is a block, where it is on the screen. */
function screenText({ rows, cursor }: TerminalScreen, hasCursor: boolean): string {
  return rows
    .map((row, at) => {
      if (!hasCursor || at !== cursor.row) return row;
      const wide = row.padEnd(cursor.column + 1);
      const under = wide[cursor.column];
      return `${wide.slice(0, cursor.column)}${under === ' ' ? '▁' : under}${wide.slice(cursor.column + 1)}`;
    })
    .join('\n');
}
