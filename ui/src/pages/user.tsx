import '../parts/settings.css';
import { useState } from 'react';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { useServerSettings, useUser, useVersion } from '../data/use-session.ts';
import { changePassword } from '../data/use-settings.ts';
import { Button } from '../kit/button.tsx';
import { TextField } from '../kit/field.tsx';
import { addressOf } from '../kit/location.ts';
import { Frame } from '../parts/frame.tsx';
import { isWebAddress } from '../shape/resource-forest.ts';

/** The signed-in user, or where to find help. */
export function UserPage({ page }: { page: 'user' | 'help' }) {
  return page === 'user' ? <User /> : <Help />;
}

function User() {
  const { data: user } = useUser();
  const isLocal = user?.iss === undefined || user.iss === 'argocd';
  const name = user?.username ?? '…';
  return (
    <Frame title="You" crumbs={[{ label: 'You' }]}>
      <div className="page">
        <h1 className="sentence">
          You are signed in as <span className="strong">{name}</span>
          {isLocal ? ', a local account' : `, by ${user?.iss}`}.
        </h1>
        <section className="section" aria-label="Groups">
          <h2>Groups</h2>
          <p>{user?.groups?.join(', ') || 'None: your rights come from your name and the default role.'}</p>
        </section>
        {isLocal && user && <Password name={name} />}
      </div>
    </Frame>
  );
}

function Password({ name }: { name: string }) {
  const send = useSend();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useAction(
    () => changePassword(send, name, current, next),
    () => {
      setCurrent('');
      setNext('');
    },
  );
  const why = current && next ? undefined : 'Both passwords are needed.';
  return (
    <section className="section narrow" aria-label="Password">
      <h2>Password</h2>
      <TextField
        label="Current"
        type="password"
        autoComplete="current-password"
        value={current}
        onChange={setCurrent}
      />
      <TextField label="New" type="password" autoComplete="new-password" value={next} onChange={setNext} />
      {change.error && (
        <p className="complaint" role="alert">
          {change.error}
        </p>
      )}
      <div>
        <Button
          variant="act"
          why={change.isRunning ? 'The request is on its way.' : why}
          onClick={() => change.run()}
        >
          Change the password
        </Button>
      </div>
      <p className="faint" role="status">
        {change.done > 0 && !change.error ? 'Changed. Your other sessions have ended.' : ''}
      </p>
    </section>
  );
}

function Help() {
  const { data: settings } = useServerSettings();
  const { data: version } = useVersion();
  const { chatUrl = '', chatText, binaryUrls = {} } = settings?.help ?? {};
  const links = Object.entries(binaryUrls).filter(([, url]) => isWebAddress(url));
  return (
    <Frame title="Help" crumbs={[{ label: 'Help' }]}>
      <div className="page">
        <h1 className="sentence">Fairlead {version?.Version ?? ''}</h1>
        <section className="section" aria-label="Help">
          <p>
            Press <kbd>?</kbd> on any page for its keys, <kbd>Ctrl K</kbd> to find anything. The API is
            described at{' '}
            <a className="textlink" href={addressOf('/swagger-ui')}>
              /swagger-ui
            </a>
            .
          </p>
          {isWebAddress(chatUrl) && (
            <p>
              <a className="textlink" href={chatUrl} target="_blank" rel="noreferrer">
                {chatText || 'Chat'}
              </a>
            </p>
          )}
          {links.length > 0 && <h2>Command line</h2>}
          <ul>
            {links.map(([name, url]) => (
              <li key={name}>
                <a className="textlink" href={url} rel="noreferrer">
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </Frame>
  );
}
