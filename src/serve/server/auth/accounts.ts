import { randomBytes, randomInt } from 'node:crypto';
import { hash } from '@node-rs/bcrypt';
import { type KubeObject, parseBool } from '#base/model';
import { type Ctx, isObject } from '#base/std';
import { hasReason, type KubeClient } from '#kubernetes/client';

export const secretName = 'argocd-secret';
const initialName = 'argocd-initial-admin-secret';
/** compat server §4.1 */
const cost = 10;
const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

/** compat server §1.5: a token for programs, as `argocd-secret` lists it; times in seconds. */
export type ListedToken = { readonly id: string; readonly iat: number; readonly exp?: number };

/** What `argocd-secret` holds of one account. */
export type AccountCredentials = {
  /** Empty: the account has no password. */
  readonly passwordHash: string;
  readonly passwordMtime: Date;
  readonly tokens: readonly ListedToken[];
};

/** The token signing key and the accounts of `argocd-secret`. Never printed, never logged. */
export type Credentials = {
  readonly signingKey: Uint8Array;
  readonly accounts: ReadonlyMap<string, AccountCredentials>;
};

type SecretView = KubeObject & { data?: Record<string, string>; type?: string };
export type AccountsKube = Pick<KubeClient, 'find' | 'create' | 'patch'>;

/**
 * Reads the credentials, creating missing ones (compat server §4.1). A new admin password is written to its own Secret
 * before its hash, so that no crash leaves a hash whose password is lost. Safe to run in many replicas. While `admin.enabled` is
 * false there is no password to make (compat server §1.5).
 */
export async function loadCredentials(ctx: Ctx, kube: AccountsKube, namespace: string): Promise<Credentials> {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: secretName };
  for (;;) {
    const secret = (await kube.find(ctx, ref)) as SecretView | undefined;
    const credentials = readCredentials(secret?.data ?? {});
    const missing = await missingIn(ctx, kube, namespace, credentials);
    if (credentials && !missing) return credentials;
    await store(ctx, kube, { namespace, secret, missing: missing ?? {} });
  }
}

type Missing = {
  readonly namespace: string;
  readonly secret: SecretView | undefined;
  readonly missing: Data;
};

async function store(ctx: Ctx, kube: AccountsKube, { namespace, secret, missing }: Missing): Promise<void> {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: secretName };
  try {
    if (secret) {
      const version = secret.metadata.resourceVersion;
      const body = { metadata: { resourceVersion: version }, data: missing };
      await kube.patch(ctx, ref, { type: 'merge', body });
    } else await kube.create(ctx, secretOf(namespace, secretName, missing));
  } catch (error) {
    // another replica was faster: its credentials are read
    if (!hasReason(error, 'Conflict') && !hasReason(error, 'AlreadyExists')) throw error;
  }
}

async function missingIn(
  ctx: Ctx,
  kube: AccountsKube,
  namespace: string,
  credentials: Credentials | undefined,
): Promise<Data | undefined> {
  const lacks = lacksPassword(credentials) && (await isAdminEnabled(ctx, kube, namespace));
  const password = lacks ? await newPassword(ctx, kube, namespace) : undefined;
  return credentials ? password : { ...newKey(), ...password };
}

/** From the cluster itself: at a start the settings are not known yet. A text that is no boolean counts as true. */
async function isAdminEnabled(ctx: Ctx, kube: AccountsKube, namespace: string): Promise<boolean> {
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'argocd-cm' };
  const map = (await kube.find(ctx, ref)) as SecretView | undefined;
  return parseBool(map?.data?.['admin.enabled'] ?? 'true') !== false;
}

/** Whether `admin` has no password. */
export const lacksPassword = (credentials: Credentials | undefined): boolean =>
  !credentials?.accounts.get('admin')?.passwordHash;

/** Undefined when the key is missing. */
export function readCredentials(data: Readonly<Record<string, string>>): Credentials | undefined {
  const key = data['server.secretkey'];
  if (!key) return undefined;
  const names = Object.keys(data).flatMap((one) => /^accounts\.([^.]+)\.[^.]+$/.exec(one)?.[1] ?? []);
  const accounts = ['admin', ...names].map((name) => [name, accountIn(data, name)] as const);
  return { signingKey: Buffer.from(key, 'base64'), accounts: new Map(accounts) };
}

/** compat server §1.5: the key of a value of an account. */
export const accountKey = (name: string, value: 'password' | 'passwordMtime' | 'tokens'): string =>
  name === 'admin' ? `admin.${value}` : `accounts.${name}.${value}`;

/** An unreadable time is the beginning of all times, an unreadable list lists no token. */
export function accountIn(data: Readonly<Record<string, string>>, name: string): AccountCredentials {
  const value = (of: Parameters<typeof accountKey>[1]): string => text(data[accountKey(name, of)] ?? '');
  const mtime = new Date(value('passwordMtime'));
  return {
    passwordHash: value('password'),
    passwordMtime: Number.isNaN(mtime.getTime()) ? new Date(0) : mtime,
    tokens: tokensIn(value('tokens')),
  };
}

function tokensIn(list: string): readonly ListedToken[] {
  try {
    const read: unknown = JSON.parse(list || '[]');
    return Array.isArray(read) ? read.filter(isListed) : [];
  } catch {
    return [];
  }
}

const isListed = (one: unknown): one is ListedToken =>
  isObject(one) && typeof one.id === 'string' && typeof one.iat === 'number';

/** Whether tokens of one are valid with the other, as far as the key decides. */
export const hasSameKey = (a: Credentials, b: Credentials): boolean =>
  Buffer.compare(a.signingKey, b.signingKey) === 0;

export const hasSamePassword = (a?: AccountCredentials, b?: AccountCredentials): boolean =>
  a?.passwordHash === b?.passwordHash && a?.passwordMtime.getTime() === b?.passwordMtime.getTime();

type Data = Readonly<Record<string, string>>;

const newKey = (): Data => ({ 'server.secretkey': base64(randomBytes(32).toString('base64')) });

async function newPassword(ctx: Ctx, kube: AccountsKube, namespace: string): Promise<Data> {
  const password = await initialPassword(ctx, kube, namespace);
  return {
    'admin.password': base64(await hash(password, { cost })),
    'admin.passwordMtime': base64(`${ctx.clock.now().toISOString().slice(0, 19)}Z`),
  };
}

/** The password of an earlier, interrupted start if there is one, else a new one, written before its hash. */
async function initialPassword(ctx: Ctx, kube: AccountsKube, namespace: string): Promise<string> {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: initialName };
  const found = (await kube.find(ctx, ref)) as SecretView | undefined;
  if (found?.data?.password) return text(found.data.password);
  const password = Array.from({ length: 16 }, () => letters[randomInt(letters.length)]).join('');
  try {
    await kube.create(ctx, secretOf(namespace, initialName, { password: base64(password) }));
    return password;
  } catch (error) {
    if (hasReason(error, 'AlreadyExists')) return initialPassword(ctx, kube, namespace);
    throw error;
  }
}

function secretOf(namespace: string, name: string, data: Record<string, string>): SecretView {
  const labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'argocd' };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, labels }, type: 'Opaque', data };
}

export const base64 = (value: string): string => Buffer.from(value).toString('base64');
const text = (value: string): string => Buffer.from(value, 'base64').toString('utf8');
