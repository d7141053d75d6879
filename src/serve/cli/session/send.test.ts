import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import { expect, test } from 'vitest';
import { issueCertificates } from '../../../../test/certificates.ts';
import { sendTo } from './send.ts';

const ask = { method: 'GET', path: '/api/version', headers: {} } as const;

test('a server is believed whom the machine believes, and any other only when that is asked for', async () => {
  const { authority, server } = await issueCertificates(['localhost']);
  const tls = createServer({ key: server.key, cert: server.certificate }, (_request, response) => {
    response.setHeader('connection', 'close').end('here');
  }).listen(0, '127.0.0.1');
  await once(tls, 'listening');
  const { port } = tls.address() as AddressInfo;
  const entry = { server: `localhost:${port}`, 'plain-text': false, insecure: false };
  const trust = async () => createSecureContext({ ca: authority });
  try {
    await expect(sendTo(entry, undefined, {})(ask)).rejects.toThrow(
      `cannot reach localhost:${port}: its certificate is not trusted: name its authority in SSL_CERT_FILE or with --server-crt`,
    );
    expect(await (await sendTo(entry, undefined, { trust })(ask)).text()).toBe('here');
    const pinned = { ...entry, 'certificate-authority-data': Buffer.from(authority).toString('base64') };
    expect(await (await sendTo(pinned, undefined, {})(ask)).text()).toBe('here');
    const lax = { ...entry, insecure: true };
    expect(await (await sendTo(lax, undefined, {})(ask)).text()).toBe('here');
  } finally {
    tls.close();
  }
});
