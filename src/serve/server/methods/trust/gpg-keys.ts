import { type Ctx, FairleadError } from '#base/std';
import type { PublicKeyInput, SigningKey } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import { changeData, dataOf, type TrustDeps } from './config-map.ts';

export type GpgDeps = TrustDeps & {
  /** The keys of an armored text, each with an armored text of its own. Throws InvalidSpec for one without keys. */
  readKeys(text: string): readonly (Omit<SigningKey, 'trust'> & { readonly keyData: string })[];
};

const keysMap = 'argocd-gpg-keys-cm';
const onKeys = (action: string) => ({ resource: 'gpgkeys', action, object: '' });

/** compat server §1.8: the last sixteen digits of a fingerprint. Throws InvalidSpec for anything else. */
function idOf(text: string): string {
  const id = text.trim().toUpperCase().slice(-16);
  if (!/^(?:[0-9A-F]{24})?[0-9A-F]{16}$/i.test(text.trim()))
    throw new FairleadError(
      'InvalidSpec',
      `${JSON.stringify(text)} is no key: give 16 digits, or a fingerprint`,
    );
  return id;
}

/** compat: keys that an administrator stored are trusted as far as the projects name them. */
const trust = 'unknown';

function shown({ readKeys }: GpgDeps, keyID: string, text: string): SigningKey {
  try {
    const found = readKeys(text).find((key) => key.keyID === keyID) ?? readKeys(text)[0];
    if (found) return { ...found, keyID, trust };
  } catch {} // one that cannot be read is shown, so that it can be deleted
  return { keyID, fingerprint: '', owner: 'cannot be read', trust, subType: '' };
}

const withoutData = ({ keyData: _data, ...key }: SigningKey): SigningKey => key;

export async function list(
  ctx: Ctx,
  deps: GpgDeps,
  { query, permissions }: MethodCall,
): Promise<{ items: readonly SigningKey[] }> {
  permissions.require(onKeys('get'));
  const wanted = query.get('keyID');
  const entries = Object.entries(await dataOf(ctx, deps, keysMap)).filter(
    ([id]) => !wanted || id === idOf(wanted),
  );
  return { items: entries.map(([id, text]) => withoutData(shown(deps, id, text))).sort(byId) };
}

const byId = (a: SigningKey, b: SigningKey): number => (a.keyID < b.keyID ? -1 : 1);

export async function get(ctx: Ctx, deps: GpgDeps, { params, permissions }: MethodCall): Promise<SigningKey> {
  permissions.require(onKeys('get'));
  const id = idOf(params.keyID ?? '');
  const text = (await dataOf(ctx, deps, keysMap))[id];
  if (text === undefined) throw absent(id);
  return { ...shown(deps, id, text), keyData: text };
}

const absent = (id: string): FairleadError => new FairleadError('NotFound', `no key ${id} is configured`);

/** compat server §2.8: keys that are there are skipped unless `upsert` is given. */
export async function create(
  ctx: Ctx,
  deps: GpgDeps,
  { body, query, permissions }: MethodCall<PublicKeyInput>,
): Promise<{ created: { items: readonly SigningKey[] }; skipped: readonly string[] }> {
  permissions.require(onKeys('create'));
  if (body.keyData.trim() === '') throw new FairleadError('InvalidSpec', 'submitted key data is empty');
  const keys = deps.readKeys(body.keyData);
  const upsert = query.get('upsert') === 'true';
  return changeData(ctx, deps, keysMap, (data) => {
    const added = keys.filter(({ keyID }) => upsert || !Object.hasOwn(data, keyID));
    const skipped = keys.filter((key) => !added.includes(key)).map(({ keyID }) => keyID);
    const texts = Object.fromEntries(added.map(({ keyID, keyData }) => [keyID, keyData]));
    const items = added.map((key) => withoutData({ ...key, trust }));
    return { data: { ...data, ...texts }, result: { created: { items }, skipped } };
  });
}

export async function remove(
  ctx: Ctx,
  deps: GpgDeps,
  { query, permissions }: MethodCall,
): Promise<Record<string, never>> {
  permissions.require(onKeys('delete'));
  const id = idOf(query.get('keyID') ?? '');
  return changeData(ctx, deps, keysMap, (data) => {
    if (!Object.hasOwn(data, id)) throw absent(id);
    const { [id]: _gone, ...left } = data;
    return { data: left, result: {} };
  });
}
