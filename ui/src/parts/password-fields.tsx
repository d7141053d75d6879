import type { RefObject } from 'react';
import { Button } from '../kit/button.tsx';

type FieldsProps = {
  readonly password: RefObject<HTMLInputElement | null>;
  readonly error: string | undefined;
  readonly isRunning: boolean;
  readonly name?: string | undefined;
};

/** User, password and the button, inside a form. */
export function PasswordFields({ password, error, isRunning, name = 'admin' }: FieldsProps) {
  return (
    <>
      <label>
        Username
        <input className="input" name="username" autoComplete="username" defaultValue={name} required />
      </label>
      <label>
        Password
        <input
          ref={password}
          className="input"
          name="password"
          type="password"
          autoComplete="current-password"
          // biome-ignore lint/a11y/noAutofocus: the page has one purpose, and this is it
          autoFocus
          required
        />
      </label>
      {error && (
        <p className="complaint" role="alert">
          {error}
        </p>
      )}
      <Button type="submit" variant="act" why={isRunning ? 'Signing in.' : undefined}>
        Sign in
      </Button>
    </>
  );
}
