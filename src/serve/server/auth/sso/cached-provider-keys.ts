import { type Ctx, isObject, type Records } from '#base/std';
import { seal, unseal } from './seal.ts';

/** The keys that a provider announced last. */
export type ProviderKeys = { readonly issuer: string; readonly keys: readonly Record<string, unknown>[] };

/**
 * The last keys of the identity provider, for a process that starts while the provider is unavailable. They are sealed with the signing
 * key: a text in the store that we did not write counts as none, because its author could sign sessions with keys of its own.
 */
export class CachedProviderKeys {
  readonly #records: Records<string>;
  readonly #signingKey: () => Uint8Array;

  constructor(records: Records<string>, signingKey: () => Uint8Array) {
    this.#records = records;
    this.#signingKey = signingKey;
  }

  get(ctx: Ctx, issuer: string): ProviderKeys | undefined {
    const sealed = this.#records.get(ctx, nameOf(issuer));
    const found = sealed === undefined ? undefined : unseal(this.#signingKey(), 'keys', sealed);
    if (!isObject(found) || typeof found.issuer !== 'string' || !Array.isArray(found.keys)) return undefined;
    return nameOf(found.issuer) === nameOf(issuer) ? (found as ProviderKeys) : undefined;
  }

  put(ctx: Ctx, keys: ProviderKeys): void {
    this.#records.put(ctx, nameOf(keys.issuer), seal(this.#signingKey(), 'keys', keys));
  }
}

const nameOf = (issuer: string): string => issuer.replace(/\/$/, '');
