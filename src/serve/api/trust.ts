import * as z from 'zod';
import { endpoint } from './endpoint.ts';

/** compat server §2.8: a host key or a TLS certificate of a repository's host; `certData` is base64. */
export type TrustedCertificate = {
  readonly serverName: string;
  readonly certType: 'ssh' | 'https';
  readonly certSubType: string;
  readonly certData?: string;
  readonly certInfo?: string;
};
export type CertificateList = { readonly items: readonly TrustedCertificate[] };

/** compat server §2.8: a key that commits may be signed with. */
export type SigningKey = {
  readonly keyID: string;
  readonly fingerprint: string;
  readonly owner: string;
  readonly trust: string;
  readonly subType: string;
  readonly keyData?: string;
};

const certificateList = z.object({
  items: z
    .array(
      z.object({
        serverName: z.string().max(255),
        certType: z.enum(['ssh', 'https']),
        certSubType: z.string().max(100).default(''),
        certData: z.string().max(1_000_000),
      }),
    )
    .max(1000)
    .default([]),
});
const publicKey = z.object({ keyData: z.string().max(4_000_000).default(''), keyID: z.string().optional() });
export type CertificateInput = z.infer<typeof certificateList>;
export type PublicKeyInput = z.infer<typeof publicKey>;

const filters = {
  hostNamePattern: 'only of hosts that this pattern matches',
  certType: 'only this kind: ssh or https',
  certSubType: 'only keys of this type, for example ssh-ed25519 or rsa',
};
const certificatesAt = '/api/v1/certificates' as const;
const keysAt = '/api/v1/gpgkeys' as const;

export const certificates = {
  list: endpoint<CertificateList>(
    'The host keys and certificates that repositories are trusted by.',
    filters,
  )('GET', certificatesAt),
  create: endpoint<CertificateList>('Adds host keys and certificates.', {
    upsert: 'true: replaces those that a host has already',
  })('POST', certificatesAt, certificateList),
  delete: endpoint<CertificateList>(
    'Deletes the host keys and certificates of hosts, and returns them.',
    filters,
  )('DELETE', certificatesAt),
} as const;

export const gpgKeys = {
  list: endpoint<{ readonly items: readonly SigningKey[] }>('The keys that commits may be signed with.', {
    keyID: 'only this key',
  })('GET', keysAt),
  create: endpoint<{
    readonly created: { readonly items: readonly SigningKey[] };
    readonly skipped: readonly string[];
  }>('Adds the keys of an armored text.', { upsert: 'true: replaces keys that are there' })(
    'POST',
    keysAt,
    publicKey,
  ),
  get: endpoint<SigningKey>('One key, with its armored text.')('GET', `${keysAt}/:keyID`),
  delete: endpoint<Record<string, never>>('Deletes a key.', { keyID: 'the key' })('DELETE', keysAt),
} as const;
