import { FairleadError } from '#base/std';

/** Anything longer is no real signature or key. */
const longest = 4 * 1024 * 1024;
const block = /-----BEGIN PGP ([A-Z ]+)-----\r?\n([\s\S]*?)-----END PGP \1-----/g;

/** The bytes of every armoured block of one kind in a text. Throws InvalidSpec for text that is too long. */
export function dearmor(text: string, kind: 'SIGNATURE' | 'PUBLIC KEY BLOCK'): Uint8Array[] {
  if (text.length > longest) throw new FairleadError('InvalidSpec', 'a key or signature has more than 4 MiB');
  return [...text.matchAll(block)]
    .filter(([, found]) => found === kind)
    .map(([, , body = '']) => Buffer.from(contentOf(body), 'base64'));
}

/** Headers end at the first empty line; the checksum, which gives no protection, is on a line of its own. */
function contentOf(body: string): string {
  const lines = body.split(/\r?\n/).map((line) => line.trim());
  const start = lines.findIndex((line) => line === '' || !/^[\w-]+: /.test(line));
  return lines
    .slice(start)
    .filter((line) => !/^=[A-Za-z0-9+/]{4}$/.test(line))
    .join('');
}
