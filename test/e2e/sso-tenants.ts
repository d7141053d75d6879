import { CookieJar, logInAtProvider } from '../cookie-jar.ts';
import { type IdentityProvider, startIdentityProvider } from '../identity-provider.ts';
import { startTenants, type Tenants } from './tenants.ts';

const accounts = {
  mia: { email: 'mia@shop.example', groups: ['shop-devs'] },
  noah: { email: 'noah@shop.example', groups: [] },
  lee: { email: 'lee@shop.example', groups: ['shop-devs'], isBrief: true },
  /** A group of the policies of "GitOps with ArgoCD". */
  paula: { email: 'paula@pay.example', groups: ['payments-team'] },
  ada: { email: 'ada@shop.example', groups: ['ops', 'admin'] },
};

export type SsoTenants = {
  readonly tenants: Tenants;
  readonly provider: IdentityProvider;
  readonly url: string;
  /** Changes `oidc.config`; what is given is added to the usual settings. */
  configureSso(more?: Readonly<Record<string, unknown>>): Promise<void>;
  newJar(): CookieJar;
  /** A browser in which this person is logged in. */
  login(account: keyof typeof accounts, jar?: CookieJar): Promise<CookieJar>;
  stop(): Promise<void>;
};

/** Fairlead with two projects, and an identity provider whose group shop-devs is the role dev of the project shop. */
export async function startSsoTenants(seconds?: number): Promise<SsoTenants> {
  const tenants = await startTenants();
  const { fairlead, configure } = tenants;
  const url = fairlead.url;
  const provider = await startIdentityProvider({ url, accounts, ...(seconds && { seconds }) });
  const { issuer, authority, clientSecret } = provider;
  const stringData = { 'oidc.clientSecret': clientSecret };
  const patch = JSON.stringify({ stringData });
  await fairlead.kubectl('-n', 'argocd', 'patch', 'secret', 'argocd-secret', '--type=merge', '-p', patch);
  const usual = {
    ...{
      name: 'Example',
      issuer,
      clientID: 'fairlead',
      clientSecret: '$oidc.clientSecret',
      rootCA: authority,
    },
    cliClientID: 'fairlead-cli',
    requestedScopes: ['openid', 'email', 'groups'],
  };
  const newJar = () => new CookieJar(authority);
  const configureSso = async (more: Readonly<Record<string, unknown>> = {}): Promise<void> => {
    const config = JSON.stringify({ ...usual, ...more });
    await configure('argocd-cm', { url, 'oidc.config': config });
  };
  await configureSso();
  const rights = [
    'g, shop-devs, proj:shop:dev',
    'p, shop-devs, applications, get, shop/*, allow',
    'p, shop-devs, applications, sync, shop/*, allow',
    'g, shop-devs, shop-devs',
    'g, ops, role:readonly',
  ].join('\n');
  await configure('argocd-rbac-cm', { 'policy.sso.csv': rights });
  const login: SsoTenants['login'] = async (account, jar = newJar()) => {
    const start = `${url}/auth/login?return_url=/applications`;
    const page = await logInAtProvider(jar, start, account);
    const done = await jar.ask(page.location ?? '');
    if (done.location !== `${url}/applications`)
      throw new Error(`logged in at ${done.location}: ${done.text}`);
    return jar;
  };
  const stop = async (): Promise<void> => {
    await provider.stop().catch(() => {});
    await fairlead.stop();
  };
  return { tenants, provider, url, configureSso, newJar, login, stop };
}
