import { type KubeObject, label } from '#base/model';
import type { Ctx } from '#base/std';
import type { KubeClient } from '#kubernetes/client';
import { Informer } from './informer.ts';

type Secret = KubeObject & { readonly data?: Readonly<Record<string, string>> };

const own = 'argocd-secret';

/** The secrets of the control plane, always current; values are returned one by one and never printed. */
export class SecretValues {
  readonly #own: Informer<Secret>;
  readonly #others: Informer<Secret>;
  readonly #namespace: string;

  constructor({ kube, namespace }: { kube: Pick<KubeClient, 'list' | 'watch'>; namespace: string }) {
    const secrets = { apiVersion: 'v1', kind: 'Secret', namespace };
    this.#namespace = namespace;
    // found by its name, whether or not it has the label
    this.#own = new Informer(kube, { ...secrets, fieldSelector: `metadata.name=${own}` });
    this.#others = new Informer(kube, { ...secrets, labelSelector: `${label.partOf}=argocd` });
  }

  async run(ctx: Ctx): Promise<void> {
    await Promise.all([this.#own.run(ctx), this.#others.run(ctx)]);
  }

  async whenSynced(ctx: Ctx): Promise<void> {
    await Promise.all([this.#own.whenSynced(ctx), this.#others.whenSynced(ctx)]);
  }

  /** Each change of `argocd-secret` from this call on, until `ctx` stops. */
  changes(ctx: Ctx): AsyncGenerator<unknown> {
    return this.#own.changes(ctx);
  }

  /** All data of `argocd-secret`, as encoded there; undefined when there is none. */
  data(): Secret['data'] {
    const found = this.#own.get(this.#namespace, own);
    return found && (found.data ?? {});
  }

  /**
   * compat server §1.2: a key of `argocd-secret`; a value that begins with `$` refers to another key or Secret. A reference
   * that does not resolve stays as written.
   */
  get(key: string): string | undefined {
    const value = textOf(this.#own.get(this.#namespace, own), key);
    return value === undefined ? undefined : this.resolve(value);
  }

  /** compat server §1.2: the same for a value that stands elsewhere. */
  resolve(value: string): string {
    if (!value.startsWith('$')) return value;
    const [name = '', other] = value.slice(1).split(':', 2);
    const found =
      other === undefined
        ? textOf(this.#own.get(this.#namespace, own), name)
        : textOf(this.#others.get(this.#namespace, name), other);
    return found?.trim() ?? value;
  }
}

function textOf(secret: Secret | undefined, key: string): string | undefined {
  const encoded = secret?.data?.[key];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
}
