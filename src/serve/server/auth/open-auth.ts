import type { Ctx, Task } from '#base/std';
import type { AccountsKube } from './accounts.ts';
import { LiveCredentials, type OwnSecret } from './live-credentials.ts';
import { type LoginLimits, Logins } from './login.ts';
import { PasswordPool } from './password-pool.ts';
import { Revocations, type RevocationsKube } from './revocations.ts';
import { type LiveSettings, Sessions } from './sessions.ts';

type AuthDeps = {
  readonly kube: AccountsKube & RevocationsKube;
  readonly namespace: string;
  readonly secret: OwnSecret;
  readonly settings: LiveSettings;
  readonly limits: Partial<LoginLimits>;
  /** Called when missing credentials have been created again. Must not throw. */
  onMade?(ctx: Ctx): Promise<void>;
};

/** The authentication of the API: sessions, logins, and the task that keeps both current. */
export type Auth = {
  readonly sessions: Pick<Sessions, 'verify' | 'untilEnd' | 'revoke' | 'hasLocalLogins'>;
  readonly logins: Pick<Logins, 'login'>;
  readonly run: Task;
};

/** Reads credentials and sign-outs, creating missing credentials. No user can log in before `run` runs. */
export async function openAuth(ctx: Ctx, deps: AuthDeps): Promise<Auth> {
  const { kube, namespace, secret, settings, limits, onMade } = deps;
  const credentials = await LiveCredentials.open(ctx, {
    kube,
    namespace,
    secret,
    ...(onMade && { onMade }),
  });
  const revocations = await Revocations.open(ctx, { kube, namespace });
  const sessions = new Sessions({ credentials, revocations, settings });
  const passwords = new PasswordPool();
  const logins = new Logins({ accounts: sessions, check: passwords.check, limits });
  const run: Task = async (inner) => {
    try {
      await sessions.run(inner);
    } finally {
      await passwords.close();
    }
  };
  return { sessions, logins, run };
}
