import { createCipheriv, createDecipheriv, createHmac, randomBytes, scryptSync } from 'node:crypto';
import type { Ctx } from '#base/std';
import type { ApplicationRenderer } from '#engine';

type TemplateHost = NonNullable<ConstructorParameters<typeof ApplicationRenderer>[1]>;

/** compat sources 4.6: the machine as far as the functions of templates may use it. */
export const templateHost = ({ clock }: Pick<Ctx, 'clock'>): TemplateHost => ({
  now: () => clock.now().getTime(),
  randomBytes,
  ciphers: {
    // 32 MB of memory, and twice that is permitted
    scrypt: (password, salt) => scryptSync(password, salt, 64, { N: 32_768, r: 8, p: 2, maxmem: 64 << 20 }),
    hmacSha256: (key, data) => createHmac('sha256', key).update(data).digest(),
    aes: (way, { key, iv, data }) => {
      const cipher =
        way === 'encrypt' ? createCipheriv('aes-256-cbc', key, iv) : createDecipheriv('aes-256-cbc', key, iv);
      cipher.setAutoPadding(false);
      return Buffer.concat([cipher.update(data), cipher.final()]);
    },
  },
});
