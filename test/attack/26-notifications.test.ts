import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Application } from '#base/model';
import { type Ctx, type JsonObject, realClock, silent } from '#base/std';
import { deliver, openReach } from '#control/deliver';
import { readNotifications, renderNotification } from '#control/notify';
import { MailDouble, WebDouble } from '../notify/doubles.ts';

// Class 26 for notifications: a team that writes its own argocd-notifications-cm reaches no service of this machine, reads no secret
// of others, holds no core, and writes no header that is not its own.

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
let web: WebDouble;
let mail: MailDouble;
beforeEach(async () => {
  web = await WebDouble.open();
  mail = await new MailDouble().open();
});
afterEach(() => Promise.all([web.close(), mail.close()]));

type Sent = {
  readonly type: string;
  readonly options: JsonObject;
  readonly recipient?: string;
  readonly part?: unknown;
};

/** Delivers as the controller does; by default nothing of this machine may be reached. */
function send({ type, options, recipient = '', part }: Sent, mayReachThisMachine = false): Promise<void> {
  const trust = { certificates: {}, knownHosts: '' };
  const outside = () => ({ egress: { loopback: mayReachThisMachine }, proxy: {}, trust });
  const reach = openReach(outside, { get: () => undefined, put: () => {} });
  const services = new Map([['x', { name: 'x', type, options }]]);
  const config = { services, secrets: { token: 'marked-secret' } };
  return deliver(ctx, reach, { config, service: 'x', recipient, notification: { message: 'm', part } });
}

test.each([
  ['its address', () => web.url],
  ['its name', () => `http://localhost:${web.port}`],
  ['an address of IPv6 that is one of IPv4', () => `http://[::ffff:127.0.0.1]:${web.port}`],
  ['an address as a number', () => `http://2130706433:${web.port}`],
  ['no address', () => `http://0.0.0.0:${web.port}`],
])('a webhook does not reach this machine by %s', async (_what, url) => {
  await expect(send({ type: 'webhook', options: { url: url() } })).rejects.toMatchObject({
    code: 'PermissionDenied',
  });
  expect(web.received).toEqual([]);
});

test.each([
  ['slack', () => ({ token: 't', apiURL: web.url })],
  ['alertmanager', () => ({ targets: [`127.0.0.1:${web.port}`] })],
  ['teams', () => ({ recipientUrls: { a: web.url } })],
])('%s does not reach this machine', async (type, options) => {
  const part = { labels: { a: 'b' } };
  await expect(send({ type, options: options(), recipient: 'a', part })).rejects.toMatchObject({
    code: 'PermissionDenied',
  });
  expect(web.received).toEqual([]);
});

const mailOptions = () => ({ host: '127.0.0.1', port: mail.port, from: 'cd@example.com' });

test('a mail does not reach this machine', async () => {
  const sent = { type: 'email', options: mailOptions(), recipient: 'a@b.example' };
  await expect(send(sent)).rejects.toMatchObject({ code: 'PermissionDenied' });
  expect(mail.received).toEqual([]);
});

test('a subject adds no header and no recipient to a mail', async () => {
  const part = { subject: 'x\r\nBcc: evil@c.example\r\n\r\nanother body' };
  await send({ type: 'email', options: mailOptions(), recipient: 'a@b.example', part }, true);
  expect(mail.received).toMatchObject([{ to: ['a@b.example'] }]);
  const [head = ''] = (mail.received[0]?.text ?? '').split('\r\n\r\n');
  expect(head).not.toMatch(/^bcc:/im);
});

test.each(['a@b.example, evil@c.example', 'a@b.example\r\nRCPT TO:<evil@c.example>', '<a@b.example>', ''])(
  'a recipient that is more than one address, %j, gets no mail',
  async (recipient) => {
    await expect(send({ type: 'email', options: mailOptions(), recipient }, true)).rejects.toMatchObject({
      code: 'InvalidSpec',
    });
    expect(mail.received).toEqual([]);
  },
);

test('a value with a line break adds no header to a request', async () => {
  const headers = [{ name: 'x-team', value: 'a\r\nauthorization: Bearer stolen' }];
  await expect(send({ type: 'webhook', options: { url: web.url, headers } }, true)).rejects.toThrow();
  expect(web.received).toEqual([]);
});

test('what a service answers is quoted without the secrets', async () => {
  web.reply = () => ({ status: 400, body: 'no such token marked-secret' });
  await expect(send({ type: 'webhook', options: { url: web.url } }, true)).rejects.toThrow(
    'no such token ***',
  );
});

const app = {
  metadata: { name: 'shop', namespace: 'team', uid: 'u' },
  spec: { project: 'default', source: { repoURL: 'https://git.example/x' }, destination: {} },
} as unknown as Application;

function rendered(message: string, more: { readonly isSelfService?: boolean } = {}): string {
  const data = { 'service.slack': 'token: t', 'template.x': JSON.stringify({ message }) };
  const source = { namespace: 'team', data, secrets: { token: 'marked-secret' }, argocdUrl: '', ...more };
  const config = readNotifications(source);
  const subject = { app, project: undefined, now: () => 0, commit: () => undefined };
  const destination = { service: 'slack', recipient: 'a' };
  return renderNotification({ config, templates: ['x'], destination }, subject).notification.message;
}

test('a configuration of a team does not print the secrets', () => {
  expect(rendered('{{.secrets.token}}')).toBe('marked-secret');
  expect(rendered('<{{.secrets}}>', { isSelfService: true })).not.toContain('marked-secret');
});

test.each([
  ['loops', '{{range until 1000}}{{range until 1000}}{{$x := 1}}{{end}}{{end}}', 'more than 200000 steps'],
  [
    'calls itself',
    '{{define "a"}}{{template "a" .}}{{template "a" .}}{{end}}{{template "a" .}}',
    'deeper than',
  ],
  ['grows', '{{range until 1000}}{{repeat 10000 "x"}}{{end}}', 'more than 4000000 bytes'],
])('a template that %s ends', (_what, message, error) => {
  expect(() => rendered(message)).toThrow(error);
});
