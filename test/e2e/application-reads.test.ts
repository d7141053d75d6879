import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Application, KubeObject } from '#base/model';
import { type ApiGround, at, poll, startApi } from './api-ground.ts';
import { forget } from './fairlead.ts';
import type { Actor } from './tenants.ts';

// The methods that read applications (server §2.8), through one started program.

let tenants: ApiGround;
const ask: ApiGround['send'] = (...sent) => tenants.send(...sent);

beforeAll(async () => {
  tenants = await startApi();
});
afterAll(async () => {
  await tenants.fairlead.stop();
  forget(tenants.fairlead);
});

describe('server §2.6: the list', () => {
  type Listed = { metadata: { resourceVersion?: string; continue?: string }; items: Application[] };
  const list = async (query: string, who: Actor = 'admin'): Promise<Listed> =>
    (await ask('GET', `${at}${query}`, undefined, who)).body as unknown as Listed;
  const names = async (query: string, who: Actor = 'admin'): Promise<string[]> =>
    (await list(query, who)).items.map(({ metadata }) => metadata.name);

  test.each([
    ['', ['api', 'vault', 'web']],
    ['?projects=shop', ['api', 'web']],
    ['?project=shop&project=bank', ['api', 'vault', 'web']],
    ['?name=web', ['web']],
    ['?appNamespace=argocd', ['api', 'vault', 'web']],
    ['?appNamespace=elsewhere', []],
    ['?selector=team%3Dnone', []],
    ['?fairlead.search=VAULT', ['vault']],
    ['?fairlead.search=shop%20web', ['web']],
    ['?fairlead.search=nothing', []],
    ['?fairlead.limit=2', ['api', 'vault']],
  ])('%s: %j', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  test('by repository', async () => {
    expect(await names(`?repo=${encodeURIComponent(tenants.repository)}`)).toEqual(['api']);
  });

  test('page after page, of what the caller may see', async () => {
    const first = await list('?fairlead.limit=1', 'dev');
    const next = await list(`?fairlead.limit=1&fairlead.continue=${first.metadata.continue}`, 'dev');
    expect([first, next].map(({ items }) => items.map(({ metadata }) => metadata.name))).toEqual([
      ['api'],
      ['web'],
    ]);
    expect(next.metadata.continue).toBeUndefined();
    expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(0);
  });

  test.each([
    ['?fairlead.limit=0', 'fairlead.limit: 0 is no number of applications'],
    ['?fairlead.limit=ten', 'fairlead.limit: ten is no number'],
    ['?fairlead.continue=*', 'fairlead.continue is not from a list'],
    ['?selector=%3D%3D', ''],
  ])('%s is refused', async (query, message) => {
    const { status, body } = await ask('GET', `${at}${query}`);
    expect([status, body.message]).toEqual([400, expect.stringContaining(message)]);
  });

  test('with the chosen fields only, and always with the metadata of the list', async () => {
    const fields = 'items.metadata.name,items.spec.project,items.status.operationState.operation.sync';
    const { metadata, items } = await list(`?name=api&fields=${fields}`);
    expect(metadata.resourceVersion).toBeDefined();
    expect(items).toEqual([
      {
        metadata: { name: 'api' },
        spec: { project: 'shop' },
        status: {
          operationState: { operation: { sync: expect.objectContaining({ resources: expect.any(Array) }) } },
        },
      },
    ]);
    const [rest] = (await list('?name=api&fields=-items.status,items.spec.source')).items;
    expect([Object.keys(rest ?? {}).sort(), rest?.spec.source]).toEqual([
      ['apiVersion', 'kind', 'metadata', 'spec'],
      undefined,
    ]);
  });

  test('a stream that is opened with the version of a list begins with what is newer', async () => {
    const { metadata } = await list('');
    const label = JSON.stringify({ metadata: { labels: { seen: 'later' } } });
    await ask('PATCH', `${at}/web?validate=false`, { patch: label, patchType: 'merge' });
    const query = `resourceVersion=${metadata.resourceVersion}&fields=result.type,result.application.metadata.name`;
    const stream = await tenants.ask('admin', 'GET', `/api/v1/stream/applications?${query}`);
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    const [first] = ((await reader?.read())?.value ?? '').split('\n');
    expect(JSON.parse(first ?? '')).toEqual({
      result: { type: 'ADDED', application: { metadata: { name: 'web' } } },
    });
    await reader?.cancel();
  });
});

describe('server §2.8: logs', () => {
  type Entry = { content: string; timeStamp: string; timeStampStr: string; last: boolean; podName: string };
  const entriesOf = (text: string): Entry[] =>
    text
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { result: Entry }).result);
  const read = async (path: string) => {
    const answer = await tenants.ask('admin', 'GET', `${at}/api${path}`);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const podNames = async (): Promise<string[]> => {
    const { nodes } = (await ask('GET', `${at}/api/resource-tree`)).body as {
      nodes: { kind: string; name: string }[];
    };
    return nodes.filter(({ kind }) => kind === 'Pod').map(({ name }) => name);
  };

  test('of every pod, sorted by time, with a last message', async () => {
    const entries = entriesOf((await read('/logs')).text);
    expect(new Set(entries.map(({ podName }) => podName))).toEqual(new Set([...(await podNames()), '']));
    const times = entries.map(({ timeStampStr }) => Date.parse(timeStampStr));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(entries.map(({ last }) => last)).toEqual([...entries.slice(1).map(() => false), true]);
    expect(entries[0]).toEqual({
      content: expect.stringContaining('container web of image web:1'),
      timeStamp: expect.stringMatching(/^\d{4}-.*:\d\dZ$/),
      timeStampStr: expect.any(String),
      last: false,
      podName: expect.any(String),
    });
  });

  test.each([
    ['?kind=Deployment&group=apps&resourceName=web', 5],
    ['?kind=Deployment&group=apps&resourceName=other', 0],
    ['?namespace=elsewhere', 0],
    ['?tailLines=1', 3],
    ['?filter=CONTAINER', 3],
    ['?filter=CONTAINER&matchCase=true', 1],
    ['?filter=!container', 3],
    ['?container=web&sinceSeconds=86400', 5],
    ['?sinceTime=2999-01-01T00:00:00Z', 1],
    ['?untilTime=2000-01-01T00:00:00Z', 1],
  ])('%s: %i messages', async (query, count) => {
    const entries = entriesOf((await read(`/logs${query}`)).text);
    expect(entries).toHaveLength(count);
    expect(entries.at(-1)?.last ?? true).toBe(true);
  });

  test('of one pod, as a stream, as events and as a file', async () => {
    const [pod = ''] = await podNames();
    expect(entriesOf((await read(`/pods/${pod}/logs`)).text)).toHaveLength(3);
    const file = await read(`/pods/${pod}/logs?download=true&container=web`);
    expect([file.headers.get('content-disposition'), file.text.split('\n').length]).toEqual([
      `attachment; filename="${pod}-web.log"`,
      3,
    ]);
    const followed = await fetch(`${tenants.fairlead.url}${at}/api/pods/${pod}/logs?follow=true`, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${tenants.tokens.admin}` },
    });
    const reader = followed.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toMatch(/^data: \{"result":\{"content":"container web/);
    await reader?.cancel();
  });

  test.each([
    ['/logs?tailLines=many', 'type mismatch, parameter: tailLines'],
    ['/logs?untilTime=soon', 'invalid untilTime parameter value: soon'],
    ['/logs?sinceTime=soon', 'invalid sinceTime parameter value: soon'],
  ])('%s is refused', async (path, message) => {
    const { status, text } = await read(path);
    expect([status, JSON.parse(text)]).toEqual([
      400,
      {
        error: {
          grpc_code: 3,
          http_code: 400,
          http_status: 'Bad Request',
          message: expect.stringContaining(message),
        },
      },
    ]);
  });

  test('a container that does not exist is reported in a line, too many pods are refused', async () => {
    expect(entriesOf((await read('/logs?container=none')).text)[0]?.content).toMatch(/none/);
    await tenants.configure('argocd-cm', { 'server.maxPodLogsToRender': '1' });
    await poll(async () => (await read('/logs')).status).toBe(400);
    expect((await read('/logs')).text).toContain('max pods to view logs are reached');
    await tenants.configure('argocd-cm', { 'server.maxPodLogsToRender': null });
  });

  test('a reader without logs, get is refused, and one that loses it is cut off', async () => {
    const path = `${at}/api/logs?follow=true`;
    expect((await ask('GET', path, undefined, 'dev')).text).toContain(
      'permission denied: logs, get, shop/api',
    );
    const policy = 'p, proj:shop:dev, logs, get, shop/*, allow';
    await tenants.configure('argocd-rbac-cm', { 'policy.extra.csv': policy });
    const open = () => tenants.ask('dev', 'GET', path);
    const statusOf = async () => {
      const { status, body } = await open();
      await body?.cancel();
      return status;
    };
    await poll(statusOf).toBe(200);
    const stream = await open();
    await tenants.configure('argocd-rbac-cm', { 'policy.extra.csv': null });
    await expect(stream.text()).rejects.toThrow();
  });
});

describe('server §2.8: manifests, differences, revisions and links', () => {
  const manifestsOf = ({ body }: { body: Record<string, unknown> }): KubeObject[] =>
    (body.manifests as string[]).map((text) => JSON.parse(text) as KubeObject);

  test('the target manifests, marked as the application’s and masked', async () => {
    const answer = await ask('GET', `${at}/api/manifests`);
    expect(answer.body).toEqual({
      manifests: expect.any(Array),
      namespace: 'api',
      server: 'https://kubernetes.default.svc',
      revision: expect.stringMatching(/^[0-9a-f]{40}$/),
      sourceType: 'Directory',
      commands: [],
    });
    const objects = manifestsOf(answer);
    expect(objects.map(({ kind }) => kind).sort()).toEqual(['ConfigMap', 'Deployment', 'Secret']);
    expect(objects.find(({ kind }) => kind === 'Secret')).toMatchObject({
      stringData: { password: '++++++++' },
    });
    const again = await ask('GET', `${at}/api/manifests?revision=${answer.body.revision}&noCache=true`);
    expect(again.body).toEqual(answer.body);
  });

  const [cm, foreign] = ['settings', 'argocd-cm'].map((name) =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { colour: 'green' } }),
  );
  const diffOf = async (...manifests: readonly (string | undefined)[]) => {
    const query = manifests.map((text) => `targetManifests=${encodeURIComponent(text ?? '')}`).join('&');
    return (await ask('GET', `${at}/api/server-side-diff?${query}`)).body as {
      modified: boolean;
      items: { name: string; modified: boolean; liveState: string; targetState: string }[];
    };
  };

  test('the differences that a server-side apply would make', async () => {
    const none = await diffOf();
    expect([none.modified, none.items.length]).toEqual([false, 3]);
    const { modified, items } = await diffOf(cm);
    expect([modified, items.map(({ name }) => name)]).toEqual([true, ['settings']]);
    expect(JSON.parse(items[0]?.targetState ?? '')).toMatchObject({ data: { colour: 'green' } });
    expect(JSON.parse(items[0]?.liveState ?? '')).toMatchObject({ metadata: { uid: expect.any(String) } });
  });

  test('an object of others is not shown, whatever the manifest names', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'other', namespace: 'api' } };
    const stored = { ...secret, stringData: { password: 'canary-of-others', note: 'canary-note' } };
    await tenants.fairlead.apply(stored);
    const { items } = await diffOf(JSON.stringify(secret));
    expect(items.map(({ name, liveState }) => [name, liveState])).toEqual([['other', 'null']]);
    expect((await diffOf(foreign)).items.map(({ liveState }) => liveState)).toEqual(['null']);
  });

  test.each([
    ['/manifests?revision=absent', 404, /absent/],
    ['/server-side-diff?targetManifests=x', 400, /./],
    ['/revisions/absent/metadata', 404, /unable to resolve 'absent' to a commit SHA/],
    ['/revisions/HEAD/metadata?sourceIndex=7', 400, /source index 7 not found/],
    ['/revisions/HEAD/metadata?versionId=77', 400, /version ID 77 not found in history/],
    ['/revisions/HEAD/chartdetails', 400, /no chart specified for application: api/],
    ['/revisions/HEAD/ocimetadata', 400, /no OCI source specified for application: api/],
    ['/resource/links?kind=ConfigMap&namespace=argocd&resourceName=argocd-cm', 404, /not part of/],
  ])('%s: %i', async (path, status, message) => {
    const answer = await ask('GET', `${at}/api${path}`);
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)]);
  });

  test('the author of a revision, of the spec and of the history', async () => {
    const revision = (await tenants.app()).status?.sync?.revision;
    const commit = {
      author: expect.stringContaining('Ann Author'),
      message: expect.any(String),
      date: expect.any(String),
    };
    expect((await ask('GET', `${at}/api/revisions/${revision}/metadata`)).body).toEqual(commit);
    expect(
      (await ask('GET', `${at}/api/revisions/${revision}/metadata?versionId=0&sourceIndex=0`)).body,
    ).toEqual(commit);
  });

  test('links of the application and of a resource, where their condition holds', async () => {
    const links = (rows: readonly object[]) => JSON.stringify(rows);
    await tenants.configure('argocd-cm', {
      'application.links': links([
        {
          title: 'Logs',
          url: 'https://logs.example/{{.app.spec.destination.namespace}}',
          'icon.class': 'fa-x',
        },
        { title: 'Bank', url: 'https://bank.example', if: 'application.spec.project == "bank"' },
        { title: 'Broken', url: 'https://x.example/{{' },
      ]),
      'resource.links': links([
        {
          title: 'Secret',
          url: 'https://x.example/{{ .resource.data.password }}',
          if: 'resource.kind == "Secret"',
        },
        {
          title: 'Any',
          url: 'https://x.example/{{ .cluster.server | b64enc }}/{{ .project.metadata.name }}',
        },
      ]),
    });
    const linksOf = async (path: string) => (await ask('GET', `${at}/api${path}`)).body.items;
    await poll(() => linksOf('/links')).toEqual([
      { title: 'Logs', url: 'https://logs.example/api', iconClass: 'fa-x' },
    ]);
    const cluster = Buffer.from('https://kubernetes.default.svc').toString('base64');
    expect(await linksOf('/resource/links?kind=Secret&namespace=api&resourceName=keys')).toEqual([
      { title: 'Secret', url: 'https://x.example/++++++++' },
      { title: 'Any', url: `https://x.example/${cluster}/shop` },
    ]);
    await poll(async () => tenants.fairlead.log()).toContain('link left out');
    await tenants.configure('argocd-cm', { 'application.links': null, 'resource.links': null });
  });
});
