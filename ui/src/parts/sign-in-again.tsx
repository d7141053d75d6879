import { type FormEvent, useRef } from 'react';
import { useSend, useSessionEnd } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { signIn, useServerSettings } from '../data/use-session.ts';
import { Button } from '../kit/button.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { addressOf } from '../kit/location.ts';
import { PasswordFields } from './password-fields.tsx';

/** Over the page, so that nothing typed is lost: the session has ended, and a new one goes on from here. */
export function SignInAgain() {
  const { hasEnded, restore } = useSessionEnd();
  return hasEnded ? <SignInDialog onDone={restore} /> : null;
}

function SignInDialog({ onDone }: { onDone(): void }) {
  const send = useSend();
  const { data: settings } = useServerSettings();
  const password = useRef<HTMLInputElement>(null);
  const login = useAction((name: string, word: string) => signIn(send, name, word), onDone);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    login.run(String(form.get('username')), String(form.get('password')));
  };
  return (
    <Dialog title="Your session has ended" onClose={() => {}}>
      <form className="confirm" onSubmit={submit}>
        <p>Sign in to continue. What you typed is still on the page.</p>
        {settings?.oidcConfig && (
          <>
            <a className="button act" href={addressOf('/auth/login')} target="_blank" rel="noreferrer">
              {settings.uiLoginButtonText ?? `Log in via ${settings.oidcConfig.name}`} in a new tab
            </a>
            <Button onClick={onDone}>I have signed in there</Button>
          </>
        )}
        {!settings?.userLoginsDisabled && (
          <PasswordFields password={password} error={login.error} isRunning={login.isRunning} />
        )}
      </form>
    </Dialog>
  );
}
