import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Ctx, type JsonObject, silent, virtualClock } from '#base/std';
import { parse } from '#lang/yaml';
import { type Received, type Reply, WebDouble } from '../../../test/notify/doubles.ts';
import { checkService, deliver, type MessageThread, openReach } from './index.ts';
import { awsSignature } from './services/aws-signature.ts';

// compat server §6.6: the requests that services receive, byte for byte, in the form that their providers document

const clock = virtualClock({ start: new Date('2026-06-01T08:00:00Z') });
const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock };
let double: WebDouble;
let threads: Map<string, MessageThread>;

beforeEach(async () => {
  double = await WebDouble.open();
  threads = new Map();
});
afterEach(() => double.close());

type Case = {
  readonly name?: string;
  readonly type: string;
  readonly options: JsonObject;
  readonly recipient?: string;
  readonly message?: string;
  readonly part?: unknown;
};

/** `URL` in options stands for the address of the double. */
async function send({
  name,
  type,
  options,
  recipient = '',
  message = 'shop is live',
  part,
}: Case): Promise<Received[]> {
  const filled = JSON.parse(JSON.stringify(options).replaceAll('URL/', `${double.url}/`)) as JsonObject;
  const service = { name: name ?? type, type, options: filled };
  expect(checkService(service)).toEqual([]);
  const store = {
    get: (key: string) => threads.get(key),
    put: (key: string, at: MessageThread) => void threads.set(key, at),
  };
  const reach = openReach(
    () => ({ egress: { loopback: true }, proxy: {}, trust: { certificates: {}, knownHosts: '' } }),
    store,
  );
  const config = {
    services: new Map([[service.name, service]]),
    secrets: { token: 'tok-secret', key: 'key-secret' },
  };
  await deliver(ctx, reach, { config, service: service.name, recipient, notification: { message, part } });
  return double.received;
}

/** A request in full, but for what Node adds. */
function print({ method, path, headers, body }: Received): string {
  const added = new Set(['host', 'connection', 'content-length', 'user-agent']);
  const lines = Object.entries(headers)
    .filter(([key]) => !added.has(key))
    .map(([key, value]) => `${key}: ${value}`)
    .sort();
  return [`${method} ${path}`, ...lines, body].join('\n');
}

const json = 'content-type: application/json; charset=utf-8';
const answers =
  (...replies: readonly Reply[]) =>
  (): Reply =>
    replies[double.received.length - 1] ?? {};

type Row = {
  readonly about: string;
  /** The page of the provider that the request was compared with. */
  readonly document: string;
  readonly sent: Case;
  readonly reply: readonly Reply[];
  readonly requests: readonly string[];
};

const rows = parse(readFileSync(`${import.meta.dirname}/testdata/requests.yaml`, 'utf8')) as readonly Row[];

/** `LONG` stands for a text longer than any provider takes. */
const lengthened = (sent: Case): Case =>
  JSON.parse(JSON.stringify(sent).replace('LONG', 'x'.repeat(20_000))) as Case;
const shortened = (request: string): string =>
  request.replace(/x{20,}/g, ({ length }) => `${length} times x`);

test.each(rows)('$about ($document)', async ({ document, sent, reply, requests }) => {
  expect(document).not.toBe('');
  double.reply = answers(...reply);
  expect((await send(lengthened(sent))).map(print).map(shortened)).toEqual(requests);
});

test('Slack: later messages of a group answer in its thread, or replace its first message', async () => {
  double.reply = answers(
    ...['1.1', '1.2', '1.3', '1.4', '1.5'].map((ts) => ({
      body: JSON.stringify({ ok: true, channel: 'C9', ts }),
    })),
  );
  const options = { token: 'tok-secret', apiURL: 'URL/api' };
  const one = (part: object): Case => ({
    type: 'slack',
    options,
    recipient: 'ops',
    part: { groupingKey: 'shop', ...part },
  });
  await send(one({}));
  await send(one({ notifyBroadcast: true }));
  await send(one({ deliveryPolicy: 'Update' }));
  await send(one({ deliveryPolicy: 'PostAndUpdate' }));
  const text = '"text":"shop is live"';
  expect(double.received.map(({ path, body }) => `${path} ${body}`)).toEqual([
    `/api/chat.postMessage {${text},"channel":"ops"}`,
    `/api/chat.postMessage {${text},"channel":"ops","thread_ts":"1.1","reply_broadcast":true}`,
    `/api/chat.update {${text},"channel":"C9","ts":"1.1"}`,
    `/api/chat.update {${text},"channel":"C9","ts":"1.1"}`,
    `/api/chat.postMessage {${text},"channel":"ops","thread_ts":"1.1"}`,
  ]);
});

test('Alertmanager: every target gets the alert, and one that takes it is enough', async () => {
  const { port } = double;
  const options = { targets: [`127.0.0.1:${port}`, '127.0.0.1:1'], bearerToken: 'tok-secret' };
  await send({
    type: 'alertmanager',
    options,
    part: { labels: { alertname: 'x' }, generatorURL: 'https://x' },
  });
  expect(double.received.map(print)).toEqual([
    `POST /api/v2/alerts\nauthorization: Bearer tok-secret\n${json}\n[{"labels":{"alertname":"x"},"annotations":{"message":"shop is live"},"generatorURL":"https://x"}]`,
  ]);
  const none = { type: 'alertmanager', options: { targets: ['127.0.0.1:1'] }, part: { labels: { a: 'b' } } };
  await expect(send(none)).rejects.toThrow('http://127.0.0.1:1 is unreachable: ECONNREFUSED');
});

test.each([
  '@169.254.169.254/',
  '//169.254.169.254/',
  '\\\\169.254.169.254/',
  '/../..',
  'https://169.254.169.254/',
])('webhook: the path %s of a template stays on the host of the service', async (path) => {
  await send({ name: 'hook', type: 'webhook', options: { url: 'URL/x' }, part: { path } });
  expect(double.received).toHaveLength(1);
});

test('Amazon SQS: the queue is found, then gets the message, both signed', async () => {
  double.reply = answers({ body: '{"QueueUrl":"http://q/1234/builds"}' }, { body: '{}' });
  await send({
    type: 'awssqs',
    options: {
      region: 'eu-west-1',
      account: '1234',
      endpointUrl: 'URL/',
      key: 'AKIDEXAMPLE',
      secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    },
    recipient: 'builds',
    part: { messageAttributes: { env: 'prod' }, messageGroupId: 'g' },
  });
  expect(
    double.received.map(({ headers, body }) => [
      headers['x-amz-target'],
      headers['x-amz-date'],
      headers['content-type'],
      body,
    ]),
  ).toEqual([
    [
      'AmazonSQS.GetQueueUrl',
      '20260601T080000Z',
      'application/x-amz-json-1.0',
      '{"QueueName":"builds","QueueOwnerAWSAccountId":"1234"}',
    ],
    [
      'AmazonSQS.SendMessage',
      '20260601T080000Z',
      'application/x-amz-json-1.0',
      '{"QueueUrl":"http://q/1234/builds","MessageBody":"shop is live","MessageAttributes":{"env":{"DataType":"String","StringValue":"prod"}},"MessageGroupId":"g"}',
    ],
  ]);
});

test('Amazon: signature version 4, as the package aws4 signs the same request', () => {
  const payload = '{"QueueName":"builds","QueueOwnerAWSAccountId":"1234"}';
  const headers = {
    'content-length': String(payload.length),
    'content-type': 'application/x-amz-json-1.0',
    host: 'sqs.test:4566',
    'x-amz-date': '20260601T080000Z',
    'x-amz-target': 'AmazonSQS.GetQueueUrl',
  };
  const keys = {
    region: 'eu-west-1',
    key: 'AKIDEXAMPLE',
    secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  };
  expect(awsSignature(keys, new URL('http://sqs.test:4566/'), { headers, payload })).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260601/eu-west-1/sqs/aws4_request, SignedHeaders=content-length;content-type;host;x-amz-date;x-amz-target, Signature=faf20fde7e166889dbc9d3d55b1c9280e0ccdcf1efeb7a92b61fc80d738a8d67',
  );
});

const app = generateKeyPairSync('rsa', { modulusLength: 2048 });
const githubOptions = {
  appID: '7',
  installationID: 8,
  privateKey: app.privateKey.export({ type: 'pkcs1', format: 'pem' }),
  enterpriseBaseURL: 'URL/',
};
const about = { repoURLPath: 'git@github.com:acme/shop.git', revisionPath: 'abcdef1234' };
const github = (part: object): Case => ({
  type: 'github',
  options: githubOptions,
  part: { ...about, ...part },
});
const token = { status: 201, body: '{"token":"tok-secret","expires_at":"2026-06-01T09:00:00Z"}' };
const spoken = () =>
  double.received
    .slice(1)
    .map(({ method, path, body }) => `${method} ${path.replace('/api/v3/repos/acme/shop', '')} ${body}`);

test('GitHub: a status as an App, with a token that its key has signed for', async () => {
  double.reply = answers(token, { status: 201, body: '{}' });
  await send(github({ status: { state: 'success', label: 'cd', targetURL: 'https://x' } }));
  const [login, status] = double.received;
  expect(login?.path).toBe('/api/v3/app/installations/8/access_tokens');
  const [head, payload, signature] = String(login?.headers.authorization).replace('Bearer ', '').split('.');
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${payload}`),
    createPublicKey(app.privateKey),
    Buffer.from(signature ?? '', 'base64url'),
  );
  expect([isSigned, JSON.parse(Buffer.from(payload ?? '', 'base64url').toString()).iss]).toEqual([
    true,
    expect.anything(),
  ]);
  expect(status && print(status)).toBe(
    `POST /api/v3/repos/acme/shop/statuses/abcdef1234\naccept: application/vnd.github+json\nauthorization: Bearer tok-secret\n${json}\nx-github-api-version: 2022-11-28\n{"state":"success","target_url":"https://x","description":"shop is live","context":"cd"}`,
  );
});

test('GitHub: a deployment and its status', async () => {
  double.reply = answers(token, { status: 201, body: '{"id":5}' }, { status: 201, body: '{}' });
  await send(
    github({
      deployment: {
        environment: 'prod',
        environmentURL: 'https://shop',
        logURL: 'https://log',
        autoMerge: false,
        requiredContexts: [],
      },
    }),
  );
  expect(spoken()).toEqual([
    'POST /deployments {"ref":"abcdef1234","environment":"prod","description":"shop is live","auto_merge":false,"required_contexts":[]}',
    'POST /deployments/5/statuses {"state":"success","log_url":"https://log","environment_url":"https://shop","environment":"prod","description":"shop is live"}',
  ]);
});

test('GitHub: a comment with a tag replaces the one before', async () => {
  double.reply = answers(
    token,
    { body: '[{"number":3}]' },
    { body: '[{"id":1,"body":"other"},{"id":2,"body":"old <!-- argocd-notifications cd -->"}]' },
    {},
  );
  await send(github({ pullRequestComment: { content: 'live', commentTag: 'cd' } }));
  expect(spoken()).toEqual([
    'GET /commits/abcdef1234/pulls ',
    'GET /issues/3/comments?per_page=100 ',
    'PATCH /issues/comments/2 {"body":"live\\n\\n<!-- argocd-notifications cd -->"}',
  ]);
});

test('GitHub: a check run and a dispatch; a commit with too many statuses is no failure', async () => {
  double.reply = answers(
    token,
    { status: 422, body: '{"message":"This SHA and context has reached the maximum number of statuses."}' },
    { status: 201, body: '{}' },
    { status: 204 },
  );
  await send(
    github({
      status: { state: 'success' },
      checkRun: {
        name: 'cd',
        status: 'completed',
        conclusion: 'success',
        output: { title: 't', summary: 's' },
      },
      repositoryDispatch: { eventType: 'live', clientPayload: '{"a":1}' },
    }),
  );
  expect(spoken()).toEqual([
    'POST /statuses/abcdef1234 {"state":"success","description":"shop is live"}',
    'POST /check-runs {"name":"cd","head_sha":"abcdef1234","status":"completed","conclusion":"success","output":{"title":"t","summary":"s"}}',
    'POST /dispatches {"event_type":"live","client_payload":{"a":1}}',
  ]);
});

type Failure = readonly [about: string, sent: Case, reply: Reply, error: object];
const hook: Case = { name: 'hook', type: 'webhook', options: { url: 'URL/x' } };

test.each<Failure>([
  [
    'a refused key',
    hook,
    { status: 401, body: 'bad tok-secret' },
    { code: 'Auth', message: 'it answered 401: bad ***; check its key' },
  ],
  [
    'a refused message',
    hook,
    { status: 400, body: 'key-secret' },
    { code: 'InvalidSpec', message: 'it answered 400: ***' },
  ],
  [
    'a rate limit',
    hook,
    { status: 429, headers: { 'retry-after': '90' } },
    { code: 'Unavailable', retryAfterMs: 90_000 },
  ],
  ['an outage', hook, { status: 500 }, { code: 'Unavailable', message: 'it answered 500' }],
  [
    'a redirect',
    hook,
    { status: 302, headers: { location: 'http://169.254.169.254/' } },
    { code: 'InvalidSpec', message: expect.stringContaining('redirects are not followed') },
  ],
  [
    'a channel that Slack does not know',
    { type: 'slack', options: { token: 'tok-secret', apiURL: 'URL/' } },
    { body: '{"ok":false,"error":"channel_not_found"}' },
    { code: 'InvalidSpec', message: 'Slack refused: channel_not_found' },
  ],
  [
    'a card that Teams does not take',
    { type: 'teams', options: { recipientUrls: { a: 'URL/' } }, recipient: 'a' },
    { body: 'Summary or Text is required.' },
    { code: 'InvalidSpec' },
  ],
  [
    'a recipient without an address',
    { type: 'teams', options: { recipientUrls: { a: 'URL/' } }, recipient: 'b' },
    {},
    { code: 'InvalidSpec', message: 'recipientUrls has no b; it has a' },
  ],
  [
    'attachments that are no JSON',
    { type: 'slack', options: { token: 'tok-secret', apiURL: 'URL/' }, part: { attachments: '[{' } },
    {},
    {
      code: 'InvalidSpec',
      message: expect.stringContaining('attachments of the template is neither JSON nor YAML'),
    },
  ],
  [
    'a deployment without a revision',
    { type: 'newrelic', options: { apiURL: 'URL/', apiKey: 'key-secret' }, recipient: '42' },
    {},
    { code: 'InvalidSpec', message: expect.stringContaining('newrelic.revision') },
  ],
  [
    'a repository that leads elsewhere',
    github({ status: { state: 'success' }, repoURLPath: 'https://github.com/../../x' }),
    {},
    { code: 'InvalidSpec' },
  ],
])('%s is an error that says what may help', async (_about, sent, reply, error) => {
  double.reply = () => reply;
  await expect(send(sent)).rejects.toMatchObject(error);
});

test.each<[string, JsonObject, string]>([
  ['slack', {}, 'token must be set'],
  ['carrier-pigeon', {}, 'there is no type of service carrier-pigeon; there are slack, email, webhook'],
  ['nats', {}, 'not supported yet: services of type nats'],
  ['slack', { token: 't', signingSecret: 's' }, 'signingSecret has no effect: it is for commands'],
  [
    'grafana',
    { apiUrl: 'u', apiKey: 'k', colour: 'c' },
    'colour has no effect: services of type grafana have no such option',
  ],
])('options of %s %j: %s', (type, options, message) => {
  expect(checkService({ name: 'x', type, options })[0]?.message).toContain(message);
});
