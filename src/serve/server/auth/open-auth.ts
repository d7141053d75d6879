import { type Ctx, FairleadError, type Records, runAll, type Task } from '#base/std';
import type { KubeClient } from '#kubernetes/client';
import { LivePolicy, type LivePolicyDeps } from '../rbac/live-policy.ts';
import { AccountStore } from './account-store.ts';
import type { AccountsKube } from './accounts.ts';
import { LiveCredentials, type OwnSecret } from './live-credentials.ts';
import { LockoutRecord } from './lockout-record.ts';
import { type LoginLimits, Logins } from './login.ts';
import { PasswordPool } from './password-pool.ts';
import { Revocations, type RevocationsKube } from './revocations.ts';
import { type LiveProjects, type LiveSettings, Sessions } from './sessions.ts';
import type { SsoReach, SsoSettings } from './sso/live-provider.ts';
import { Sso } from './sso/sso.ts';
import { type NewToken, signToken } from './tokens.ts';

type AuthDeps = {
  readonly kube: AccountsKube & RevocationsKube & Pick<KubeClient, 'get'>;
  readonly namespace: string;
  /** `argocd-secret`, and values that refer to Secrets. */
  readonly secret: OwnSecret & { resolve(value: string): string };
  readonly settings: LiveSettings & SsoSettings & LivePolicyDeps['settings'];
  readonly projects: LivePolicyDeps['projects'] & LiveProjects;
  readonly apps: LivePolicyDeps['apps'];
  readonly limits: Partial<LoginLimits>;
  /** How the identity provider is reached; left out: it is not. */
  readonly reachProvider?: SsoReach;
  /** Facts that outlast a restart. */
  readonly records?: Records<string>;
  /** The token of the Azure workload identity of this machine, where it has one. */
  readonly azureToken?: () => Promise<string>;
  /** Called when missing credentials have been created again. Must not throw. */
  onMade?(ctx: Ctx): Promise<void>;
  readonly onPolicyProblems?: LivePolicyDeps['onProblems'];
};

/** Authentication and authorisation of the API: sessions, logins, accounts, the policy, and the task that keeps them current. */
export type Auth = {
  readonly sessions: Pick<
    Sessions,
    'verify' | 'untilEnd' | 'revoke' | 'renewed' | 'hasLocalLogins' | 'isAnonymousAllowed'
  >;
  readonly logins: Pick<Logins, 'login' | 'confirm'>;
  readonly sso: Sso;
  readonly accounts: AccountStore;
  /** The hash of a new password, computed outside of this process. */
  hashPassword(ctx: Ctx, password: string): Promise<string>;
  /** Signs a token with the current key. */
  signToken(token: NewToken): Promise<string>;
  readonly policy: LivePolicy;
  readonly run: Task;
};

const unreachable: SsoReach = () => async () => {
  throw new FairleadError('Unavailable', 'no identity provider is reached from here');
};

/** Reads credentials and sign-outs, creating missing credentials. No user can log in before `run` runs. */
export async function openAuth(ctx: Ctx, deps: AuthDeps): Promise<Auth> {
  const { kube, namespace, secret, settings, projects, apps, limits, onMade, onPolicyProblems } = deps;
  const credentials = await LiveCredentials.open(ctx, {
    kube,
    namespace,
    secret,
    settings,
    ...(onMade && { onMade }),
  });
  const revocations = await Revocations.open(ctx, { kube, namespace });
  const resolve = (value: string): string => secret.resolve(value);
  const { records, azureToken } = deps;
  const reach = deps.reachProvider ?? unreachable;
  const sso = new Sso({ credentials, settings, resolve, reach, records, azureToken });
  const sessions = new Sessions({ credentials, revocations, settings, projects, namespace, sso });
  const policy = new LivePolicy({
    namespace,
    settings,
    projects,
    apps,
    ...(onPolicyProblems && { onProblems: onPolicyProblems }),
  });
  const passwords = new PasswordPool();
  const logins = new Logins({ accounts: sessions, check: passwords.check, limits });
  const failures = await LockoutRecord.open(ctx, { kube, namespace }, logins.lockout);
  const accounts = new AccountStore({ kube, namespace, credentials, settings });
  const run: Task = async (inner) => {
    try {
      await runAll(inner, [(one) => sessions.run(one), (one) => policy.run(one), (one) => failures.run(one)]);
    } finally {
      await passwords.close();
    }
  };
  return {
    ...{ sessions, logins, sso, accounts, policy, run },
    hashPassword: passwords.hash,
    signToken: (token) => signToken(credentials.current().signingKey, token),
  };
}
