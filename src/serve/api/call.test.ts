import { expect, test } from 'vitest';
import { applications } from './applications.ts';
import { type ApiRequest, call, follow, type Send } from './call.ts';
import { clusters } from './clusters.ts';
import { fillPath, matchPath } from './endpoint.ts';
import { codeOf, statusOf } from './errors.ts';
import { projects } from './projects.ts';
import { repositories } from './repositories.ts';

function answering(status: number, body: string): { send: Send; seen: ApiRequest[] } {
  const seen: ApiRequest[] = [];
  const send: Send = async (request) => {
    seen.push(request);
    return {
      status,
      text: async () => body,
      async *lines() {
        yield* body.split('\n');
      },
    };
  };
  return { send, seen };
}

test('a call fills path and query and sends the body as JSON', async () => {
  const { send, seen } = answering(200, '{"metadata":{"name":"a/b"}}');
  await call(send, applications.sync, {
    params: { name: 'a/b' },
    query: { appNamespace: 'argocd', project: undefined, x: ['1', '2'] },
    body: { prune: true },
  });
  expect(seen[0]).toMatchObject({
    method: 'POST',
    path: '/api/v1/applications/a%2Fb/sync?appNamespace=argocd&x=1&x=2',
    body: '{"prune":true}',
  });
});

test.each([
  [
    'the envelope',
    '{"error":"x","code":5,"message":"application web not found"}',
    'application web not found',
  ],
  ['the envelope of a stream', '{"error":{"grpc_code":5,"message":"gone"}}', 'gone'],
  ['plain words', 'Not Found\n', 'Not Found'],
  ['what may not exist', '{"message":"permission denied"}', '"web" not found, or you may not see it'],
  ['nothing', '', 'the server answered 404'],
])('a refusal is thrown in the words of %s', async (_what, body, message) => {
  const { send } = answering(404, body);
  await expect(call(send, applications.get, { params: { name: 'web' } })).rejects.toMatchObject({
    code: 'NotFound',
    message,
  });
});

test.each([
  [
    'a repository',
    repositories.get,
    { repo: 'https://git.example.com/a.git' },
    'https://git.example.com/a.git',
  ],
  ['a cluster', clusters.get, { id: 'staging' }, 'staging'],
  ['a token of a role', projects.deleteToken, { iat: '1', role: 'ci', project: 'team' }, 'team'],
])('%s that may not exist is named', async (_what, endpoint, params, name) => {
  const { send } = answering(403, '{"message":"permission denied"}');
  await expect(call<undefined, unknown>(send, endpoint, { params })).rejects.toMatchObject({
    code: 'PermissionDenied',
    message: `"${name}" not found, or you may not see it`,
  });
});

test('a stream yields results and throws the error that ends it', async () => {
  const { send } = answering(
    200,
    '{"result":{"type":"ADDED"}}\n\n{"error":{"message":"slow reader","http_code":503}}',
  );
  const seen: string[] = [];
  const run = async () => {
    for await (const { type } of follow(send, applications.watch)) seen.push(type);
  };
  await expect(run()).rejects.toMatchObject({ code: 'Unavailable', message: 'slow reader' });
  expect(seen).toEqual(['ADDED']);
});

test('a stream that is refused throws before its first message', async () => {
  const { send } = answering(
    401,
    '{"error":"no session information","code":16,"message":"no session information"}',
  );
  await expect(follow(send, applications.watch).next()).rejects.toMatchObject({ code: 'Auth' });
});

test('paths match by segment, and an encoded slash stays inside its segment', () => {
  expect(matchPath('/api/v1/applications/:name/sync', '/api/v1/applications/a%2Fb/sync')).toEqual({
    name: 'a/b',
  });
  expect(matchPath('/api/v1/applications/:name', '/api/v1/applications/a/sync')).toBeUndefined();
  expect(matchPath('/api/v1/applications/:name', '/api/v1/applications/%')).toBeUndefined();
  expect(matchPath('/api/v1/applications/:name', '/api/v1/applications/')).toBeUndefined();
  expect(() => fillPath('/x/:name', {})).toThrow('/x/:name needs name');
});

test('a final star matches any number of segments', () => {
  const path = '/can-i/:resource/:action/*object';
  const given = (rest: string) => matchPath(path, `/can-i/applications/get${rest}`)?.object;
  expect([given(''), given('/'), given('/a'), given('/a/b%2Fc'), given('/%')]).toEqual([
    '',
    '',
    'a',
    'a/b/c',
    undefined,
  ]);
  expect(matchPath(path, '/can-i/applications')).toBeUndefined();
  const params = { resource: 'applications', action: 'action/apps/Deployment/restart', object: 'a/b c' };
  expect(fillPath(path, params)).toBe('/can-i/applications/action%2Fapps%2FDeployment%2Frestart/a/b%20c');
});

test('a sync request drops what it does not know and refuses what it cannot read', () => {
  expect(applications.sync.body?.parse({ prune: true, surprise: 1 })).toEqual({ prune: true });
  expect(applications.sync.body?.safeParse({ prune: 'yes' }).success).toBe(false);
  expect(applications.create.body?.safeParse({ metadata: {} }).success).toBe(false);
});

test('codes travel to HTTP and back', () => {
  expect(statusOf('PermissionDenied')).toEqual({ grpc: 7, http: 403 });
  expect([400, 401, 403, 404, 409, 429, 500, 502].map(codeOf)).toEqual([
    'InvalidSpec',
    'Auth',
    'PermissionDenied',
    'NotFound',
    'InvalidSpec',
    'LimitExceeded',
    'Internal',
    'Unavailable',
  ]);
});
