/** A commit or tag, split: the signed payload, and the armoured signature over it. */
export type SignedObject = { readonly payload: Uint8Array; readonly signature: string };

const begin = '-----BEGIN PGP SIGNATURE-----';

/**
 * Splits a commit from its signature; undefined: it has none. Signatures of other kinds (SSH, X.509) count as none
 * (sources INT-9). Works on bytes: a message need not be UTF-8.
 */
export function signedCommit(bytes: Uint8Array): SignedObject | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  const end = text.indexOf('\n\n');
  const rows = text.slice(0, end < 0 ? text.length : end).split('\n');
  const kept: string[] = [];
  const signature: string[] = [];
  let into: string[] | undefined = kept;
  for (const row of rows) {
    if (!row.startsWith(' ')) into = destination(row, kept, signature);
    into?.push(row.replace(/^gpgsig /, '').replace(into === signature ? /^ / : /^$/, ''));
  }
  const armored = signature.join('\n');
  if (!armored.startsWith(begin)) return undefined;
  const rest = end < 0 ? '' : text.slice(end);
  return { payload: Buffer.from(`${kept.join('\n')}${rest}`, 'latin1'), signature: `${armored}\n` };
}

/** A second signature header would be ambiguous: it stays in the payload, which then does not match. */
function destination(row: string, kept: string[], signature: string[]): string[] | undefined {
  if (row.startsWith('gpgsig ') && signature.length === 0) return signature;
  return row.startsWith('gpgsig-sha256 ') ? undefined : kept;
}

/** Splits an annotated tag from the signature at its end; undefined: it has none. */
export function signedTag(bytes: Uint8Array): SignedObject | undefined {
  const text = Buffer.from(bytes).toString('latin1');
  const at = text.lastIndexOf(`\n${begin}\n`);
  if (at < 0) return undefined;
  return { payload: Buffer.from(text.slice(0, at + 1), 'latin1'), signature: text.slice(at + 1) };
}
