import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ctx, realClock, silent } from '#base/std';
import { type IssuedCertificates, issueCertificates } from '../../../../test/certificates.ts';
import { temporaryFolder } from '../../../../test/git-repository.ts';
import { gitCommand } from '../../../../test/manifests.ts';
import { type ProxyServer, proxyServer } from '../../../../test/proxy-server.ts';
import { type StaticServer, staticServer } from '../../../../test/static-server.ts';
import { createSources, type Sources, type SourcesConfig } from '../index.ts';

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const index = 'entries:\n  web:\n  - version: 1.0.0\n    urls: [x.tgz]\n';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let issued: IssuedCertificates;
let failures = 0;
let server: StaticServer;
let strict: StaticServer;
let proxy: ProxyServer;
let sources: Sources;
let run = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  issued = await issueCertificates(['127.0.0.1', 'charts.hidden.test']);
  const tls = { cert: issued.server.certificate, key: issued.server.key };
  const first: Parameters<typeof staticServer>[0]['first'] = (_request, response) => {
    failures -= 1;
    response.writeHead(failures >= 0 ? 503 : 200).end(index);
    return true;
  };
  server = await staticServer({ root: folder.path, first });
  const clients = { ca: issued.authority, requestCert: true, rejectUnauthorized: true };
  strict = await staticServer({ root: folder.path, tls: { ...tls, ...clients }, first });
  proxy = await proxyServer();
});
beforeEach(async () => {
  failures = 0;
  await open();
});
afterAll(async () => {
  await sources.close();
  await Promise.all([server.close(), strict.close(), proxy.close()]);
  await folder.remove();
});

async function open(more: Partial<SourcesConfig> = {}): Promise<void> {
  await sources?.close();
  run += 1;
  const hosts = ['127.0.0.1', 'charts.hidden.test'];
  const certificates = Object.fromEntries(hosts.map((host) => [host, issued.authority]));
  sources = createSources({
    cacheDir: join(folder.path, `cache-${run}`),
    git: gitCommand(),
    reach: { loopback: true },
    trust: () => ({ certificates, knownHosts: '' }),
    ...more,
  });
}
const ask = (repository: { url: string; credentials?: object; proxy?: string }) =>
  sources.resolveRevision(ctx, { ...repository, chart: 'web' }, '*');

describe('the way to a chart repository', () => {
  test('is tried again when the other side stumbles, as often as is allowed (GIT-7)', async () => {
    failures = 2;
    await expect(ask({ url: server.url })).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('status 503'),
    });
    failures = 2;
    await open({ limits: { attempts: 3 } });
    expect(await ask({ url: server.url })).toMatchObject({ commit: '1.0.0' });
  });

  test('shows a client certificate where there is one, and a broken one is an error (TLS-2, DEV-5)', async () => {
    const credentials = { tlsClientCertData: issued.client.certificate, tlsClientCertKey: issued.client.key };
    expect(await ask({ url: strict.url, credentials })).toMatchObject({ commit: '1.0.0' });
    await expect(ask({ url: strict.url })).rejects.toMatchObject({ code: 'Unavailable' });
    const half = { tlsClientCertData: issued.client.certificate };
    await expect(ask({ url: strict.url, credentials: half })).rejects.toMatchObject({ code: 'Auth' });
  });

  test('names the ConfigMap when a certificate is not believed (TLS-1)', async () => {
    await open({ trust: () => ({ certificates: {}, knownHosts: '' }) });
    await expect(ask({ url: strict.url })).rejects.toThrow('argocd-tls-certs-cm');
  });

  test('leads through the proxy of the repository (PRX-1)', async () => {
    const url = server.url.replace('127.0.0.1', 'charts.hidden.test');
    expect(await ask({ url, proxy: `http://joe:pw@127.0.0.1:${proxy.port}` })).toMatchObject({
      commit: '1.0.0',
    });
    expect(proxy.asked).toEqual(['http charts.hidden.test joe:pw']);
  });

  test('never leads to forbidden places, nor by what is no URL of the web', async () => {
    for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', '0.0.0.0', '[fd00:ec2::254]']) {
      await expect(ask({ url: `http://${host}/charts` }), host).rejects.toMatchObject({
        code: 'PermissionDenied',
      });
    }
    await expect(ask({ url: 'ftp://example.com/charts' })).rejects.toMatchObject({ code: 'InvalidSpec' });
    await expect(ask({ url: 'https://' })).rejects.toMatchObject({ code: 'InvalidSpec' });
  });

  test('an answer that does not end is cut off', async () => {
    const endless = await staticServer({
      root: folder.path,
      first: (_request, response) => {
        response.writeHead(200);
        const more = (): boolean => response.write('x'.repeat(60_000), () => response.destroyed || more());
        return more() || true;
      },
    });
    await open({ limits: { indexBytes: 1_000_000 } });
    await expect(ask({ url: endless.url })).rejects.toMatchObject({ code: 'LimitExceeded' });
    const mute = await staticServer({ root: folder.path, first: () => true });
    await open({ limits: { downloadMs: 200 } });
    await expect(ask({ url: mute.url })).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('took too long'),
    });
    await Promise.all([endless.close(), mute.close()]);
  });
});
