import { afterEach, expect, test } from 'vitest';
import { type Ctx, type JsonObject, realClock, silent } from '#base/std';
import { issueCertificates } from '../../../test/certificates.ts';
import { MailDouble } from '../../../test/notify/doubles.ts';
import { checkService, deliver, openReach } from './index.ts';

// compat server §6.6: mail, to a real SMTP server

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let server: MailDouble | undefined;
afterEach(() => server?.close());

type Mail = {
  readonly options?: JsonObject;
  readonly recipient?: string;
  readonly part?: object;
  readonly trusted?: string;
};

async function send({ options = {}, recipient = 'ops@example.com', part, trusted }: Mail): Promise<void> {
  const all = { host: 'localhost', port: server?.port, from: 'cd@example.com', ...options };
  const service = { name: 'email', type: 'email', options: all };
  expect(checkService(service)).toEqual([]);
  const outside = () => ({
    egress: { loopback: true },
    proxy: {},
    trust: { certificates: trusted ? { localhost: trusted } : {}, knownHosts: '' },
  });
  const reach = openReach(outside, { get: () => undefined, put: () => {} });
  const config = { services: new Map([['email', service]]), secrets: { password: 'pass-secret' } };
  const notification = { message: 'shop is live ü', part };
  await deliver(ctx, reach, { config, service: 'email', recipient, notification });
}

const login = { username: 'cd', password: 'pass-secret' };

test('a plain text with a subject, without anything that a template could add to the headers', async () => {
  server = await new MailDouble().open();
  await send({ part: { subject: 'live\r\nBcc: all@example.com', body: 'it is live' } });
  const [mail] = server.received;
  expect(mail).toMatchObject({ from: 'cd@example.com', to: ['ops@example.com'] });
  expect(mail?.text).toMatch(/^Subject: live Bcc: all@example\.com\r?$/m);
  expect(mail?.text).not.toMatch(/^Bcc:/m);
  expect(mail?.text).toMatch(/^Content-Type: text\/plain; charset=utf-8/m);
  expect(mail?.text).toContain('it is live');
});

test('html where the service says so; the message where the template has no body', async () => {
  server = await new MailDouble().open();
  await send({ options: { html: true } });
  expect(server.received[0]?.text).toMatch(/^Content-Type: text\/html/m);
  expect(server.received[0]?.text).toContain('shop is live =C3=BC');
});

test('with STARTTLS and a login, when the certificate is trusted', async () => {
  const { authority, server: issued } = await issueCertificates(['localhost']);
  const tls = { key: issued.key, cert: issued.certificate };
  server = await new MailDouble({ users: { cd: 'pass-secret' }, tls }).open();
  await expect(send({ options: login })).rejects.toThrow(/certificate/);
  await send({ options: login, trusted: authority });
  expect(server.received).toMatchObject([{ user: 'cd' }]);
  await send({ options: { ...login, insecure_skip_verify: true } });
  expect(server.received).toHaveLength(2);
});

test('a wrong password is Auth, and no error has it', async () => {
  server = await new MailDouble({ users: { cd: 'other' } }).open();
  const failure = send({ options: login });
  await expect(failure).rejects.toMatchObject({ code: 'Auth' });
  await expect(failure).rejects.not.toThrow('pass-secret');
});

test.each([
  [451, 'Unavailable'],
  [550, 'InvalidSpec'],
])('a server that answers %i: %s', async (responseCode, code) => {
  server = await new MailDouble().open();
  server.refusal = Object.assign(new Error('not now'), { responseCode });
  await expect(send({})).rejects.toMatchObject({ code, message: expect.stringContaining('not now') });
});

test.each(['', 'ops', 'a@b.example, c@d.example', 'x <a@b.example>', 'a@b.example\r\nRCPT TO:<c@d.example>'])(
  'the recipient %j is refused before anything is sent',
  async (recipient) => {
    server = await new MailDouble().open();
    await expect(send({ recipient })).rejects.toMatchObject({ code: 'InvalidSpec' });
    expect(server.received).toEqual([]);
  },
);

test('a server that is not there is Unavailable', async () => {
  server = undefined;
  await expect(send({ options: { port: 1 } })).rejects.toMatchObject({
    code: 'Unavailable',
    message: 'localhost:1 is unreachable: ECONNREFUSED',
  });
});
