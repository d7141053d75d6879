import type { TrustedCertificate } from '#serve/api';

/** compat server §2.8: what a user pasted, as the API takes it: base64 of the PEM text, or of the key in a line of known_hosts. */
export function certificateFrom(
  certType: TrustedCertificate['certType'],
  host: string,
  text: string,
): TrustedCertificate {
  const trimmed = text.trim();
  if (certType === 'https') {
    if (!host.trim()) throw new Error('the host that the certificate is for is missing');
    return { serverName: host.trim(), certType, certSubType: '', certData: base64(`${trimmed}\n`) };
  }
  const parts = trimmed.split(/\s+/);
  const [name, kind = '', key = ''] = parts.length >= 3 ? parts : [host.trim(), ...parts];
  const serverName = host.trim() || (name ?? '');
  if (!serverName || !/^(?:ssh-|ecdsa-|sk-)/.test(kind) || !key)
    throw new Error('want a line of known_hosts: host, type and key');
  return { serverName, certType, certSubType: kind, certData: base64(key) };
}

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
