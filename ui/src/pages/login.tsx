import './login.css';
import { type FormEvent, useEffect, useRef } from 'react';
import { useSend } from '../data/live.tsx';
import { useAction } from '../data/use-action.ts';
import { signIn, useServerSettings } from '../data/use-session.ts';
import { addressOf, navigate, useAddress } from '../kit/location.ts';
import { Logo } from '../parts/frame.tsx';
import { PasswordFields } from '../parts/password-fields.tsx';
import { ThemeSwitch } from '../parts/theme-switch.tsx';
import { returnPath } from '../shape/address.ts';
import { ssoProblem } from '../shape/sso-problem.ts';

export function LoginPage() {
  const send = useSend();
  const { query } = useAddress();
  const { data: settings } = useServerSettings();
  const password = useRef<HTMLInputElement>(null);
  const login = useAction(
    (name: string, word: string) => signIn(send, name, word),
    () => navigate(returnPath(query), 'replace'),
  );
  const problem = ssoProblem(query);
  useEffect(() => {
    document.title = 'Sign in · Fairlead';
  }, []);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    login.run(String(form.get('username')), String(form.get('password')));
    password.current?.select();
  };
  return (
    <main className="login">
      <div className="login-theme">
        <ThemeSwitch />
      </div>
      <form className="login-card" onSubmit={submit}>
        <Logo size={36} />
        <h1>Sign in to Fairlead</h1>
        {problem && (
          <p className="complaint" role="alert">
            {problem}
          </p>
        )}
        {settings?.oidcConfig && (
          <a className="button act" href={ssoAddress(returnPath(query))}>
            {settings.uiLoginButtonText ?? `Log in via ${settings.oidcConfig.name}`}
          </a>
        )}
        {!settings?.userLoginsDisabled && (
          <>
            <PasswordFields password={password} error={login.error} isRunning={login.isRunning} />
            <p className="faint">
              The first password is in the file <code>admin-password</code> of the data folder.
            </p>
          </>
        )}
      </form>
    </main>
  );
}

const ssoAddress = (path: string): string =>
  addressOf(`/auth/login?return_url=${encodeURIComponent(addressOf(path))}`);
