import { X509Certificate } from 'node:crypto';
import { FairleadError } from '#base/std';

export type TlsCertificate = { readonly subType: string; readonly subject: string; readonly pem: string };

const block = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;
/** compat server §1.8 */
const most = 256;

/** The certificates of a text. Throws InvalidSpec when there is none, or one that cannot be read. */
export function certificatesIn(text: string, host: string): readonly TlsCertificate[] {
  const blocks = text.match(block) ?? [];
  if (blocks.length === 0 || blocks.length > most)
    throw new FairleadError(
      'InvalidSpec',
      `certData of ${host} has ${blocks.length} PEM certificates: give 1 to ${most}`,
    );
  return blocks.map((pem) => {
    try {
      const { subject, publicKey } = new X509Certificate(pem);
      const kind = publicKey.asymmetricKeyType ?? '';
      const subType = kind === 'ec' ? 'ecdsa' : kind;
      return { subType, subject: (subject ?? '').split('\n').reverse().join(','), pem };
    } catch (error) {
      throw new FairleadError(
        'InvalidSpec',
        `certData of ${host} has a certificate that cannot be read`,
        error,
      );
    }
  });
}
