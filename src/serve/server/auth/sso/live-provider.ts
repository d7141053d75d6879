import type { OidcSettings, Settings } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { OidcProvider, type OidcRequest } from '#serve/oidc';

export type SsoSettings = {
  readonly current: { readonly server: Pick<Settings['server'], 'oidc' | 'oidcInsecure' | 'sessionMs'> };
};

/** How the provider is reached: what of its certificate is checked is the settings'. */
export type SsoReach = (terms: { readonly insecure: boolean; readonly authorities: string }) => OidcRequest;

export type ProviderDeps = {
  readonly settings: SsoSettings;
  /** compat server §1.2: a value that may refer to a Secret. */
  resolve(value: string): string;
  readonly reach: SsoReach;
  /** The token of the Azure workload identity of this machine. Throws Auth where it has none. */
  readonly azureToken?: (() => Promise<string>) | undefined;
};

const noIdentity = async (): Promise<string> => {
  throw new FairleadError(
    'Auth',
    'azure.useWorkloadIdentity is set, and this machine has no workload identity: set AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_FEDERATED_TOKEN_FILE, as the webhook of Azure Workload Identity does',
  );
};

type Known = { readonly of: string; readonly provider: Promise<OidcProvider> };

/**
 * The provider of `oidc.config`, by the settings and secrets of each moment (dev server §1.1: no restart). Its discovery
 * document is fetched when it is first needed, and again after a failure.
 */
export class LiveProvider {
  readonly #deps: ProviderDeps;
  #known: Known | undefined;

  constructor(deps: ProviderDeps) {
    this.#deps = deps;
  }

  /** Undefined: there is no single sign-on. References to Secrets are resolved. */
  get settings(): OidcSettings | undefined {
    const { settings, resolve } = this.#deps;
    const { oidc } = settings.current.server;
    if (!oidc) return undefined;
    const [issuer, clientId, clientSecret, cliClientId] = [
      oidc.issuer,
      oidc.clientId,
      oidc.clientSecret,
      oidc.cliClientId,
    ].map(resolve) as [string, string, string, string];
    return { ...oidc, issuer, clientId, clientSecret, cliClientId, rootCa: resolve(oidc.rootCa) };
  }

  /** Throws NotFound without settings, Unavailable or InvalidSpec where the provider cannot be used. */
  async get(ctx: Ctx): Promise<OidcProvider> {
    const oidc = this.settings;
    if (!oidc) throw new FairleadError('NotFound', 'single sign-on is not configured: set oidc.config');
    const insecure = this.#deps.settings.current.server.oidcInsecure;
    const { issuer, clientId, clientSecret, rootCa, azureWorkloadIdentity } = oidc;
    const of = JSON.stringify([issuer, clientId, clientSecret, rootCa, insecure, azureWorkloadIdentity]);
    if (this.#known?.of === of) return this.#known.provider;
    const request = this.#deps.reach({ insecure, authorities: rootCa });
    const by = azureWorkloadIdentity
      ? { clientAssertion: this.#deps.azureToken ?? noIdentity }
      : { clientSecret };
    const provider = OidcProvider.discover({ issuer, clientId, request, ...by });
    const known = { of, provider };
    this.#known = known;
    provider.catch((error: unknown) => {
      if (this.#known === known) this.#known = undefined;
      ctx.log.warn('identity provider unavailable: logins with it fail', { issuer, error });
    });
    return provider;
  }
}
