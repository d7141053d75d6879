import { type Ctx, runAll, type Task } from '#base/std';
import { LivePolicy, type LivePolicyDeps } from '../rbac/live-policy.ts';
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
  readonly settings: LiveSettings & LivePolicyDeps['settings'];
  readonly projects: LivePolicyDeps['projects'];
  readonly apps: LivePolicyDeps['apps'];
  readonly limits: Partial<LoginLimits>;
  /** Called when missing credentials have been created again. Must not throw. */
  onMade?(ctx: Ctx): Promise<void>;
  readonly onPolicyProblems?: LivePolicyDeps['onProblems'];
};

/** Authentication and authorisation of the API: sessions, logins, the policy, and the task that keeps them current. */
export type Auth = {
  readonly sessions: Pick<Sessions, 'verify' | 'untilEnd' | 'revoke' | 'hasLocalLogins'>;
  readonly logins: Pick<Logins, 'login'>;
  readonly policy: LivePolicy;
  readonly run: Task;
};

/** Reads credentials and sign-outs, creating missing credentials. No user can log in before `run` runs. */
export async function openAuth(ctx: Ctx, deps: AuthDeps): Promise<Auth> {
  const { kube, namespace, secret, settings, projects, apps, limits, onMade, onPolicyProblems } = deps;
  const credentials = await LiveCredentials.open(ctx, {
    kube,
    namespace,
    secret,
    ...(onMade && { onMade }),
  });
  const revocations = await Revocations.open(ctx, { kube, namespace });
  const sessions = new Sessions({ credentials, revocations, settings });
  const policy = new LivePolicy({
    namespace,
    settings,
    projects,
    apps,
    ...(onPolicyProblems && { onProblems: onPolicyProblems }),
  });
  const passwords = new PasswordPool();
  const logins = new Logins({ accounts: sessions, check: passwords.check, limits });
  const run: Task = async (inner) => {
    try {
      await runAll(inner, [(one) => sessions.run(one), (one) => policy.run(one)]);
    } finally {
      await passwords.close();
    }
  };
  return { sessions, logins, policy, run };
}
