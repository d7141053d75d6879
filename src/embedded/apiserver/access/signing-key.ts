import {
  createPrivateKey,
  createPublicKey,
  createSign,
  createVerify,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { sha256 } from '#base/std';
import { json, type Store } from '#platform/store';

type Pair = { readonly id: string; readonly secret: KeyObject; readonly open: KeyObject };

/** The signing key of service account tokens: created on first use, stored with the objects. */
export class TokenSigningKey {
  readonly #store: Store;
  #pair: Pair | undefined;
  #saved: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Resolves when everything signed so far can be verified after a restart. */
  get saved(): Promise<void> {
    return this.#saved;
  }

  sign(claims: object): string {
    const { id, secret } = this.#key();
    const head = encoded({ alg: 'ES256', kid: id });
    const text = `${head}.${encoded(claims)}`;
    const signature = createSign('sha256').update(text).sign({ key: secret, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  }

  /** The claims of a token that this key has signed; undefined for any other text. */
  verify(token: string): Readonly<Record<string, unknown>> | undefined {
    const [head = '', body = '', signature = '', ...rest] = token.split('.');
    if (signature === '' || rest.length > 0) return undefined;
    const { id, open } = this.#key();
    const { alg, kid } = decoded(head) ?? {};
    if (alg !== 'ES256' || kid !== id) return undefined;
    const bytes = Buffer.from(signature, 'base64url');
    if (bytes.length !== 64) return undefined; // two numbers of 32 bytes; anything else is not a signature
    const check = createVerify('sha256').update(`${head}.${body}`);
    const isOurs = check.verify({ key: open, dsaEncoding: 'ieee-p1363' }, bytes);
    return isOurs ? decoded(body) : undefined;
  }

  /** The public key, for programs that verify tokens elsewhere. */
  published(): object {
    const { id, open } = this.#key();
    return { keys: [{ use: 'sig', kid: id, alg: 'ES256', ...open.export({ format: 'jwk' }) }] };
  }

  #key(): Pair {
    this.#pair ??= this.#load() ?? this.#make();
    return this.#pair;
  }

  #load(): Pair | undefined {
    const kept = this.#table().get('service-accounts');
    return kept === undefined ? undefined : pairOf(createPrivateKey(kept));
  }

  #make(): Pair {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const text = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    this.#saved = this.#store.write([this.#table().put('service-accounts', text)]);
    this.#saved.catch(() => {}); // `saved` reports the error
    return pairOf(privateKey);
  }

  #table() {
    return this.#store.table('cluster-keys', json<string>());
  }
}

function pairOf(secret: KeyObject): Pair {
  const open = createPublicKey(secret);
  return { id: sha256(String(open.export({ type: 'spki', format: 'pem' }))).slice(0, 43), secret, open };
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function decoded(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
