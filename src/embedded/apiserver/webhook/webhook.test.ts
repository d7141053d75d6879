import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseJson, printJson, virtualClock } from '#base/std';
import { Authority } from '#platform/certificates';
import { memoryStore } from '#platform/store';
import { createCluster, type EmbeddedCluster } from '../cluster.ts';

type Review = { request: Record<string, unknown> & { uid: string; name?: string; object?: unknown } };
type Answer = Record<string, unknown>;

const base64 = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : printJson(value)).toString('base64');
const patching = (operations: unknown): Answer => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: base64(operations),
});

/** What the webhook at each path answers. */
const behaviours: Readonly<Record<string, (review: Review) => Answer>> = {
  '/allow': () => ({ allowed: true, warnings: ['be careful'] }),
  '/deny': () => ({ allowed: false, status: { message: 'no way', code: 418, reason: 'Teapot' } }),
  '/silent': () => ({ allowed: false }),
  '/reason': () => ({
    allowed: false,
    status: { reason: 'Because', code: 200, details: { causes: [{ message: 'c' }] } },
  }),
  '/patch': () => patching([{ op: 'add', path: '/metadata/labels', value: { hooked: 'yes' } }]),
  '/again': ({ request }) =>
    patching([
      {
        op: 'add',
        path: '/data/seen',
        value: String(Object.keys((request.object as { data?: object }).data ?? {}).length),
      },
    ]),
  '/no-type': () => ({ allowed: true, patch: base64([]) }),
  '/no-json': () => ({ allowed: true, patchType: 'JSONPatch', patch: base64('nope') }),
  '/lost': () => patching([{ op: 'remove', path: '/nothing/here' }]),
  '/uid': () => ({ uid: 'other', allowed: true }),
};

/** Paths whose answer is no review. */
const oddities: Readonly<Record<string, readonly [status: number, body: string]>> = {
  '/none': [200, '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}'],
  '/kind': [200, '{"apiVersion":"v1","kind":"Pod"}'],
  '/500': [500, 'it broke'],
  '/404': [404, '404 page not found\n'],
  '/redirect': [302, ''],
  '/huge': [200, `{"x":"${'a'.repeat(4_000_000)}"}`],
};

const authority = new Authority(new Date());
const reviews: { path: string; review: Review }[] = [];
let server: Server;
let port = 0;
let cluster: EmbeddedCluster;

beforeAll(async () => {
  const { certificate, key } = authority.issue({ user: 'hook' }, { for: 'server', hosts: ['127.0.0.1'] });
  server = createServer({ key, cert: certificate }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    const review = parseJson(Buffer.concat(chunks).toString()) as Review;
    reviews.push({ path, review });
    if (path === '/slow') return;
    if (path === '/cut') {
      request.socket.destroy();
      return;
    }
    const odd = oddities[path];
    if (odd) {
      response.writeHead(odd[0]).end(odd[1]);
      return;
    }
    const told = { uid: review.request.uid, ...behaviours[path]?.(review) };
    response.end(printJson({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: told }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
  cluster = await createCluster({ store: memoryStore(), clock: virtualClock(), seed: 1 });
});

afterAll(async () => {
  await cluster.close();
  server.closeAllConnections();
  server.close();
});

async function ask(method: string, path: string, body?: unknown) {
  const {
    status,
    headers,
    body: text,
  } = await cluster.handle({
    method,
    path,
    headers: { 'content-type': 'application/json', 'user-agent': 'test' },
    signal: new AbortController().signal,
    ...(body !== undefined && { body: Buffer.from(printJson(body)) }),
  });
  return { status, warning: headers.warning, body: parseJson(String(text)) as Record<string, unknown> };
}

type Hook = { readonly path?: string; readonly [field: string]: unknown };

const configured = (kind: string, hooks: readonly Hook[]) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind}WebhookConfiguration`,
  metadata: { name: 'hooks' },
  webhooks: hooks.map(({ path = '', ...more }, index) => ({
    name: `hook${index}.example.com`,
    clientConfig: {
      url: `https://127.0.0.1:${port}${path}`,
      caBundle: base64(authority.pair.certificate),
    },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  })),
});

/** Creates a ConfigMap while these webhooks are there. */
async function withHooks(kind: 'Mutating' | 'Validating', hooks: readonly Hook[], name = 'a') {
  const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`;
  const made = await ask('POST', path, configured(kind, hooks));
  expect(made.status, printJson(made.body)).toBe(201);
  reviews.length = 0;
  try {
    return await ask('POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { name },
      data: { a: 'b' },
    });
  } finally {
    await ask('DELETE', `${path}/hooks`);
    await ask('DELETE', `/api/v1/namespaces/default/configmaps/${name}`);
  }
}

const failed = 'Internal error occurred: failed calling webhook "hook0.example.com": ';

describe('a webhook', () => {
  test('is shown the request as a real server shows it, and may warn', async () => {
    const { status, warning } = await withHooks('Validating', [{ path: '/allow' }]);
    expect(status).toBe(201);
    expect(warning).toBe('299 - "be careful"');
    const { uid, object, ...request } = reviews[0]?.review.request ?? { uid: '' };
    expect(uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(object).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } });
    expect(request).toEqual({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'a',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'system:admin', groups: ['system:masters', 'system:authenticated'] },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    });
  });

  test.each([
    ['/deny', 418, 'Teapot', 'admission webhook "hook0.example.com" denied the request: no way'],
    [
      '/silent',
      400,
      undefined,
      'admission webhook "hook0.example.com" denied the request without explanation',
    ],
    ['/reason', 400, 'Because', 'admission webhook "hook0.example.com" denied the request: Because'],
  ])('at %s refuses in its own words', async (path, code, reason, message) => {
    const { status, body } = await withHooks('Validating', [{ path }]);
    expect([status, body.reason, body.message]).toEqual([code, reason, message]);
  });

  test('changes an object, and the next one sees the change', async () => {
    const { status, body } = await withHooks('Mutating', [{ path: '/patch' }, { path: '/again' }]);
    expect(status).toBe(201);
    expect(body).toMatchObject({ metadata: { labels: { hooked: 'yes' } }, data: { a: 'b', seen: '1' } });
  });

  test('that asks for it looks again at what another has changed', async () => {
    const hooks = [{ path: '/again', reinvocationPolicy: 'IfNeeded' }, { path: '/patch' }];
    const { body } = await withHooks('Mutating', hooks);
    expect(body).toMatchObject({ data: { seen: '2' } });
  });

  test('is asked once for each state of an object, however often the write is tried', async () => {
    await withHooks('Mutating', [{ path: '/patch' }, { path: '/patch' }, { path: '/patch' }]);
    expect(reviews.map(({ path }) => path)).toEqual(['/patch', '/patch', '/patch']);
  });

  test('is left alone by requests that its selectors and conditions leave out', async () => {
    const deny = { path: '/deny' };
    const { status } = await withHooks('Validating', [
      { ...deny, namespaceSelector: { matchLabels: { no: 'such' } } },
      { ...deny, objectSelector: { matchLabels: { no: 'such' } } },
      { ...deny, matchConditions: [{ name: 'other', expression: "request.name == 'b'" }] },
      {
        ...deny,
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['*'] }],
      },
    ]);
    expect(status).toBe(201);
    expect(reviews).toEqual([]);
  });
});

describe('a webhook that gives no answer fails the request', () => {
  test.each([
    [
      'Validating',
      '/uid',
      /^received invalid webhook response: expected response.uid="[0-9a-f-]+", got "other"$/,
    ],
    ['Validating', '/none', 'received invalid webhook response: webhook response was absent'],
    [
      'Validating',
      '/patch',
      'received invalid webhook response: validating webhook may not return response.patch',
    ],
    [
      'Mutating',
      '/no-type',
      'received invalid webhook response: webhook returned response.patch but not response.patchType',
    ],
    [
      'Mutating',
      '/no-json',
      "received undecodable patch in webhook response: invalid character 'o' in literal null (expecting 'u')",
    ],
    [
      'Validating',
      '/kind',
      'failed to call webhook: no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      'Validating',
      '/500',
      'failed to call webhook: an error on the server ("it broke") has prevented the request from succeeding',
    ],
    ['Validating', '/404', 'failed to call webhook: the server could not find the requested resource'],
    ['Validating', '/redirect', 'failed to call webhook: the server answered 302'],
    [
      'Validating',
      '/slow',
      /^failed to call webhook: Post "https:\/\/127.0.0.1:\d+\/slow\?timeout=1s": context deadline exceeded$/,
    ],
    ['Validating', '/cut', /^failed to call webhook: Post "https:\/\/127.0.0.1:\d+\/cut\?timeout=1s": EOF$/],
    ['Validating', '/huge', /^failed to call webhook: Post ".*": the answer is larger than 3 MiB$/],
  ] as const)('%s %s', async (kind, path, why) => {
    const { status, body } = await withHooks(kind, [{ path, timeoutSeconds: 1 }]);
    expect(status).toBe(500);
    const message = String(body.message);
    expect(message.startsWith(failed)).toBe(true);
    if (typeof why === 'string') expect(message.slice(failed.length)).toBe(why);
    else expect(message.slice(failed.length)).toMatch(why);
  });

  test('unless its failure policy is to ignore that', async () => {
    const hooks = ['/uid', '/500', '/cut', '/huge'].map((path) => ({ path, failurePolicy: 'Ignore' }));
    const { status, body } = await withHooks('Mutating', hooks);
    expect(status).toBe(201);
    expect(body).toMatchObject({ data: { a: 'b' } });
  });

  test('because nobody runs behind a service', async () => {
    const kubernetes = { service: { name: 'kubernetes', namespace: 'default' } };
    const alone = await withHooks('Validating', [{ clientConfig: kubernetes }]);
    expect(alone.body.message).toBe(
      `${failed}failed to call webhook: Post "https://kubernetes.default.svc:443?timeout=10s": no endpoints available for service "kubernetes"`,
    );
    const clientConfig = { service: { name: 'hook', namespace: 'default', path: '/x' } };
    const { body } = await withHooks('Validating', [{ clientConfig }]);
    expect(body.message).toBe(
      `${failed}failed to call webhook: Post "https://hook.default.svc:443/x?timeout=10s": service "hook" not found`,
    );
  });

  test('because its certificate is not to be trusted', async () => {
    const clientConfig = { url: `https://127.0.0.1:${port}/allow` };
    const { body } = await withHooks('Validating', [{ clientConfig }]);
    expect(String(body.message)).toContain('x509: certificate signed by unknown authority');
  });

  test('and a patch that does not apply fails it whatever the policy', async () => {
    const { status } = await withHooks('Mutating', [{ path: '/lost', failurePolicy: 'Ignore' }]);
    expect(status).toBe(500);
  });
});
