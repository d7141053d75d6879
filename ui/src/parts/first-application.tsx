import './first-application.css';
import { useState } from 'react';
import { createApplication } from '../data/application-actions.ts';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { Button } from '../kit/button.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { navigate } from '../kit/location.ts';
import { pathOf } from '../shape/address.ts';
import { applicationFor, commandsFor, firstDraft, whyNotYet } from '../shape/first-application.ts';

const steps = ['Sign in', 'Say what to track', 'Make it so'];

/** The empty state: the three commands that make an application, and a button that does it. */
export function FirstApplication() {
  const send = useSend();
  const [draft, setDraft] = useState(firstDraft);
  const create = useAction(async () => {
    const { metadata } = await createApplication(send, applicationFor(draft));
    navigate(`${pathOf({ namespace: metadata.namespace ?? 'argocd', name: metadata.name })}?deploy=all`);
  });
  const field = (name: keyof typeof draft, label: string, placeholder: string) => (
    <label>
      {label}
      <input
        className="input"
        value={draft[name]}
        placeholder={placeholder}
        spellCheck={false}
        onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
      />
    </label>
  );
  return (
    <div className="page first">
      <h1 className="sentence">
        There are no applications yet. An application ties a folder in Git to a cluster.
      </h1>
      <ol className="first-steps">
        {commandsFor(draft, location.host).map((command, at) => (
          <li key={steps[at]}>
            <h2>{steps[at]}</h2>
            <div className="command">
              <pre>{command}</pre>
              <CopyButton text={command} label={`Copy: ${steps[at]}`} />
            </div>
          </li>
        ))}
      </ol>
      <form
        className="first-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!whyNotYet(draft)) create.run();
        }}
      >
        <h2>Or fill it in here</h2>
        <div className="first-fields">
          {field('name', 'Name', 'guestbook')}
          {field('repo', 'Git repository', 'https://github.com/you/deploy.git')}
          {field('path', 'Folder', '.')}
        </div>
        {create.error && (
          <p className="complaint" role="alert">
            {create.error}
          </p>
        )}
        <Button type="submit" variant="act" why={create.isRunning ? 'Being created.' : whyNotYet(draft)}>
          Create and show what it would change
        </Button>
      </form>
    </div>
  );
}
