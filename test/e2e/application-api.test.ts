import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Application } from '#base/model';
import { type Answer, type ApiGround, at, poll, startApi } from './api-ground.ts';
import { forget, isSettled } from './fairlead.ts';
import { applicationOf } from './tenants.ts';

// The methods that change applications (server §2.8), through one started program: what each route answers, and refuses.

let tenants: ApiGround;
let repository = '';
const ask: ApiGround['send'] = (...sent) => tenants.send(...sent);
const app: ApiGround['app'] = (name) => tenants.app(name);

beforeAll(async () => {
  tenants = await startApi();
  repository = tenants.repository;
});
afterAll(async () => {
  await tenants.fairlead.stop();
  forget(tenants.fairlead);
});

describe('server §2.4: what is refused, and how', () => {
  const patch = (text: unknown, patchType = 'json') => ({ patch: text, patchType });
  const in_ = 'group=&kind=ConfigMap&namespace=api&resourceName=settings';
  type Case = { readonly send: readonly [string, string, unknown]; readonly gets: readonly [number, RegExp] };
  const rows: readonly [string, string, unknown, number, RegExp][] = [
    ['POST', at, { metadata: {} }, 400, /metadata\.name/],
    ['POST', at, { metadata: { name: 'x' }, spec: { bogus: 1 } }, 400, /spec\.bogus is not a field/],
    ['POST', at, 'text', 400, /metadata\.name/],
    ['PUT', `${at}/api`, { metadata: { name: 'api' }, spec: [] }, 400, /metadata\.name and spec/],
    ['PUT', `${at}/absent`, applicationOf('absent', 'shop', 'x'), 403, /^permission denied$/],
    [
      'PUT',
      `${at}/api/spec`,
      { project: 'absent', destination: {} },
      400,
      /^application spec for api is invalid: .*project absent/,
    ],
    ['PUT', `${at}/api/spec`, 'text', 400, /spec/],
    ['PATCH', `${at}/api`, patch('{'), 400, /not JSON/],
    ['PATCH', `${at}/api`, patch('{}'), 400, /list of operations/],
    ['PATCH', `${at}/api`, patch('[]', 'merge'), 400, /an object/],
    ['PATCH', `${at}/api`, patch('[]', 'yaml'), 400, /Patch type 'yaml' is not supported/],
    ['PATCH', `${at}/api`, patch('{"metadata":{"name":"other"}}', 'merge'), 400, /name or the namespace/],
    ['PATCH', `${at}/api`, patch('{"spec":null}', 'merge'), 400, /removes metadata or spec/],
    [
      'PATCH',
      `${at}/api`,
      patch('[{"op":"replace","path":"/spec/source/path","value":"../x"}]'),
      400,
      /invalid/,
    ],
    ['POST', `${at}/api/resource?${in_}&patchType=yaml`, '{}', 400, /unknown patchType yaml/],
    ['POST', `${at}/api/resource?${in_}`, '[]', 400, /an object/],
    [
      'POST',
      `${at}/api/resource?group=&kind=ConfigMap&namespace=argocd&resourceName=argocd-cm`,
      '{}',
      404,
      /not part of application api/,
    ],
    [
      'DELETE',
      `${at}/api/resource?kind=Secret&namespace=argocd&resourceName=argocd-secret`,
      undefined,
      404,
      /not part of application api/,
    ],
    ['DELETE', `${at}/api?propagationPolicy=orphan`, undefined, 400, /unknown propagation policy orphan/],
    ['DELETE', `${at}/api?cascade=false&propagationPolicy=background`, undefined, 400, /without cascade/],
    [
      'GET',
      `${at}/api/events?resourceName=argocd-secret&resourceNamespace=argocd`,
      undefined,
      400,
      /not found as part of/,
    ],
  ];
  const cases = rows.map(([method, path, body, status, message]): [string, Case] => [
    `${method} ${path} ${JSON.stringify(body)}: ${status}`,
    { send: [method, path, body], gets: [status, message] },
  ]);
  test.each(cases)('%s', async (_, { send: [method, path, body], gets: [status, message] }) => {
    const answer = await ask(method, path, body);
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)]);
    expect(answer.body).toEqual({
      error: answer.body.message,
      code: expect.any(Number),
      message: answer.body.message,
    });
  });

  test('absent and forbidden are the same', async () => {
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['PUT', '', applicationOf('vault', 'shop', repository)],
      ['PUT', '/spec', applicationOf('vault', 'shop', repository).spec],
      ['PATCH', '', { patch: '[]' }],
      ['DELETE', '', undefined],
      ['GET', '/events', undefined],
      ['POST', '/resource?kind=ConfigMap&namespace=vault&resourceName=settings', '{}'],
      ['DELETE', '/resource?kind=ConfigMap&namespace=vault&resourceName=settings', undefined],
    ] as const) {
      const [hidden, absent] = await Promise.all([
        ask(method, `${at}/vault${rest}`, body, 'dev'),
        ask(method, `${at}/absent${rest}`, body, 'dev'),
      ]);
      expect([method, rest, hidden.status, hidden.text]).toEqual([method, rest, 403, absent.text]);
    }
  });
});

describe('server §2.8: an application is changed', () => {
  test('an unreachable repository or a missing path is refused, unless validate is false', async () => {
    const wanted = applicationOf('broken', 'shop', `${repository}-absent`);
    const refused = await ask('POST', at, wanted);
    expect([refused.status, refused.body.message]).toEqual([
      400,
      expect.stringMatching(
        /^application spec for broken is invalid: InvalidSpecError: Unable to generate manifests in \./,
      ),
    ]);
    expect((await ask('POST', `${at}?validate=false`, wanted)).status).toBe(200);
    expect((await ask('DELETE', `${at}/broken?cascade=false`)).status).toBe(200);
  });

  test('PUT replaces spec, labels and annotations, and nothing else', async () => {
    const before = await app();
    const labels = { team: 'shop' };
    const spec = { ...before.spec, info: [{ name: 'a', value: 'b' }] };
    const sent = {
      ...before,
      metadata: { ...before.metadata, labels },
      spec,
      status: {},
      operation: { sync: {} },
    };
    const { status, body } = await ask('PUT', `${at}/api`, sent);
    expect([status, body.spec, (body as unknown as Application).metadata.labels]).toEqual([
      200,
      spec,
      labels,
    ]);
    const after = await app();
    expect(after.operation).toBeUndefined();
    expect(after.status?.history).toEqual(before.status?.history);
    const unlabelled = { ...sent, metadata: { name: 'api' } };
    expect((await ask('PUT', `${at}/api`, unlabelled)).status).toBe(200);
    expect((await app()).metadata.labels).toBeUndefined();
  });

  test('PUT spec returns the spec; a hidden value that is sent back stays', async () => {
    const { spec } = await app();
    const parameters = [{ name: 'password', value: 'canary-parameter' }];
    const source = { ...spec.source, plugin: { env: [] as unknown[] } };
    const withSecret = { ...spec, source: { ...source, plugin: { env: parameters } } };
    const set = await ask('PUT', `${at}/api/spec?validate=false`, withSecret);
    expect([set.status, set.body]).toMatchObject([
      200,
      { source: { plugin: { env: [{ value: '++++++++' }] } } },
    ]);
    const again = { ...set.body, info: [] };
    expect((await ask('PUT', `${at}/api/spec?validate=false`, again)).status).toBe(200);
    // an operation that would copy the hidden value to where it is shown copies the mask, which is refused
    const from = '/spec/source/plugin/env/0/value';
    const copied = [
      { op: 'add', path: '/spec/info', value: [{ name: 'seen', value: '' }] },
      { op: 'copy', from, path: '/spec/info/0/value' },
      { op: 'remove', path: '/spec/source/plugin' },
    ];
    const stolen = await ask('PATCH', `${at}/api`, { patch: JSON.stringify(copied) });
    expect([stolen.status, stolen.body.message]).toEqual([400, expect.stringContaining('holds ++++++++')]);
    // and one that compares it does not confirm a right guess
    const guessed = (value: string) =>
      ask('PATCH', `${at}/api`, { patch: JSON.stringify([{ op: 'test', path: from, value }]) });
    const [wrong, right] = [await guessed('canary-other'), await guessed('canary-parameter')];
    expect([right.status, right.text]).toEqual([400, wrong.text]);
    const stored = await tenants.fairlead.kubectl('-n', 'argocd', 'get', 'app', 'api', '-o', 'json');
    expect(stored.stdout).toContain('canary-parameter');
    expect((await ask('PUT', `${at}/api/spec`, spec)).status).toBe(200);
  });

  test('PATCH applies a JSON patch or a merge patch', async () => {
    const add = JSON.stringify([{ op: 'add', path: '/metadata/labels', value: { a: '1' } }]);
    expect((await ask('PATCH', `${at}/api`, { patch: add })).body).toMatchObject({
      metadata: { labels: { a: '1' } },
    });
    const merge = JSON.stringify({ metadata: { labels: { a: null, b: '2' } } });
    const { body } = await ask('PATCH', `${at}/api`, { name: 'api', patch: merge, patchType: 'merge' });
    expect((body as unknown as Application).metadata.labels).toEqual({ b: '2' });
    const events = await ask('GET', `${at}/api/events`);
    expect(events.body).toMatchObject({
      metadata: {},
      items: expect.arrayContaining([
        expect.objectContaining({ reason: 'ResourceUpdated', message: 'admin updated application spec' }),
      ]),
    });
  });

  test('a move to another project needs the right to create there', async () => {
    const moved = JSON.stringify({ spec: { project: 'bank' } });
    const refused = await ask('PATCH', `${at}/api`, { patch: moved, patchType: 'merge' }, 'dev');
    expect(refused.status).toBe(403);
    expect((await app()).spec.project).toBe('shop');
  });

  test.each([
    ['', false],
    ['?cascade=true&propagationPolicy=foreground', false],
    ['?propagationPolicy=background', false],
    ['?cascade=false', true],
  ])('DELETE%s: the resources stay: %s', async (query, isLeft) => {
    const { kubectl, until } = tenants.fairlead;
    const name = `gone-${query.length}`;
    await kubectl('create', 'namespace', name);
    const { spec, ...rest } = applicationOf(name, 'shop', repository);
    const wanted = { ...rest, spec: { ...spec, syncPolicy: { automated: {} } } };
    expect((await ask('POST', at, wanted)).status).toBe(200);
    await until(name, 'settled', isSettled);
    expect((await ask('DELETE', `${at}/${name}${query}`)).body).toEqual({});
    await poll(async () => (await ask('GET', `${at}/${name}`)).status).toBe(403);
    const left = async () => (await kubectl('-n', name, 'get', 'cm', 'settings')).code === 0;
    await poll(left).toBe(isLeft);
  });
});

describe('server §2.8: one resource of an application', () => {
  const of = (kind: string, name: string, group = '') =>
    `${at}/api/resource?group=${group}&kind=${kind}&version=v1&namespace=api&resourceName=${name}`;
  const manifestOf = ({ body }: Answer) => JSON.parse(String(body.manifest)) as { metadata: { uid: string } };

  test.each([
    ['merge', '', { data: { new: 'x' } }],
    ['application/merge-patch+json', '', { data: { new: 'y' } }],
    ['application/strategic-merge-patch+json', '', { data: { new: 'z' } }],
    ['application/json-patch+json', '', [{ op: 'add', path: '/data/new', value: 'j' }]],
  ])('is patched by %s', async (type, _, patch) => {
    const path = `${of('ConfigMap', 'settings')}&patchType=${encodeURIComponent(type)}`;
    const answer = await ask('POST', path, JSON.stringify(patch));
    const value = Array.isArray(patch) ? 'j' : patch.data.new;
    expect([answer.status, manifestOf(answer)]).toMatchObject([200, { data: { new: value } }]);
  });

  test('is rehearsed with dryRun: the answer has the change, the object does not', async () => {
    const patch = JSON.stringify({ data: { new: 'rehearsed' } });
    const answer = await ask('POST', `${of('ConfigMap', 'settings')}&dryRun=true`, patch);
    expect(manifestOf(answer)).toMatchObject({ data: { new: 'rehearsed' } });
    expect(manifestOf(await ask('GET', of('ConfigMap', 'settings')))).not.toMatchObject({
      data: { new: 'rehearsed' },
    });
  });

  test('hidden values of a Secret are neither shown, moved, guessed nor overwritten with a mask', async () => {
    const path = of('Secret', 'keys');
    expect(manifestOf(await ask('GET', path))).toMatchObject({ data: { password: '++++++++' } });
    const added = await ask('POST', path, JSON.stringify({ stringData: { more: 'canary-two' } }));
    expect(manifestOf(added)).toMatchObject({ data: { more: '++++++++', password: '++++++++' } });
    const json = `${path}&patchType=application/json-patch%2Bjson`;
    for (const operation of [
      { op: 'copy', from: '/data/password', path: '/metadata/labels' },
      { op: 'move', from: '/data/password', path: '/metadata/labels' },
      { op: 'test', path: '/data/password', value: 'x' },
    ])
      expect((await ask('POST', json, JSON.stringify([operation]))).status).toBe(403);
    expect((await ask('POST', path, JSON.stringify({ data: { password: '++++++++' } }))).status).toBe(400);
  });

  test('needs a permission of its own, or the one of the application where the setting says so', async () => {
    const { policy } = { policy: 'p, jane, applications, *, shop/*, allow\n' };
    await tenants.configure('argocd-rbac-cm', { 'policy.extra.csv': policy });
    const token = ((await ask('POST', '/api/v1/account/jane/token', { id: 'api' })).body as { token: string })
      .token;
    const patch = () =>
      tenants.ask({ token }, 'POST', of('ConfigMap', 'settings'), '{}').then(({ status }) => status);
    // `*` covers every action, those on resources too; update alone does not
    await poll(patch).toBe(200);
    await tenants.configure('argocd-rbac-cm', {
      'policy.extra.csv': 'p, jane, applications, update, shop/*, allow',
    });
    await poll(patch).toBe(403);
    await tenants.configure('argocd-cm', {
      'server.rbac.disableApplicationFineGrainedRBACInheritance': 'false',
    });
    await poll(patch).toBe(200);
    await tenants.configure('argocd-cm', {
      'server.rbac.disableApplicationFineGrainedRBACInheritance': null,
    });
    await tenants.configure('argocd-rbac-cm', { 'policy.extra.csv': null });
  });

  test.each(['', '&force=true', '&orphan=true'])(
    'is deleted%s, and its deletion is an event',
    async (how) => {
      const path = of('ConfigMap', 'settings');
      const before = manifestOf(await ask('GET', path));
      expect(await ask('DELETE', path + how)).toMatchObject({ status: 200, body: {} });
      const events = await ask('GET', `${at}/api/events`);
      expect(events.text).toContain("admin deleted resource /ConfigMap 'settings'");
      const sync = () => ask('POST', `${at}/api/sync`, {});
      await poll(async () => (await sync()).status).toBe(200);
      const isNew = async () => {
        const now = await ask('GET', path);
        return now.status === 200 && manifestOf(now).metadata.uid !== before.metadata.uid;
      };
      await poll(isNew).toBe(true);
      await tenants.fairlead.until('api', 'settled', isSettled);
    },
  );

  test('the events of a Deployment', async () => {
    const { nodes } = (await ask('GET', `${at}/api/resource-tree`)).body as {
      nodes: { kind: string; uid: string; name: string }[];
    };
    const node = nodes.find(({ kind }) => kind === 'Deployment');
    const asked = `resourceName=${node?.name}&resourceNamespace=api&resourceUID=${node?.uid}`;
    const { body } = await ask('GET', `${at}/api/events?${asked}`);
    expect(body.items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          reason: 'ScalingReplicaSet',
          involvedObject: expect.objectContaining({ kind: 'Deployment' }),
        }),
      ]),
    );
  });
});

test('server §2.8: the application itself has actions, which argocd lists with those of its objects', async () => {
  const { metadata, spec } = applicationOf('itself', 'shop', repository);
  expect((await ask('POST', at, { metadata, spec })).status).toBe(200);
  const path = `${at}/itself/resource/actions?group=argoproj.io&kind=Application&namespace=argocd&resourceName=itself`;
  const { body } = await ask('GET', path);
  expect(body.actions).toContainEqual(expect.objectContaining({ name: 'toggle-auto-sync', disabled: false }));
  expect((await ask('POST', path, 'toggle-auto-sync')).status).toBe(200);
  expect((await app('itself')).spec.syncPolicy?.automated).toMatchObject({ enabled: true });
  expect((await ask('POST', path, 'toggle-auto-sync', 'reader')).status).toBe(403);
});

test('server §2.4: an application is created without kind and apiVersion, as the peer does', async () => {
  const { metadata, spec } = applicationOf('kindless', 'shop', repository);
  const created = await ask('POST', at, { metadata, spec });
  expect([created.status, created.body]).toEqual([200, expect.objectContaining({ spec: expect.anything() })]);
  expect((await app('kindless')).spec).toMatchObject({ project: 'shop' });
  const stored = await tenants.fairlead.kubectl(
    'get',
    'application',
    'kindless',
    '-n',
    'argocd',
    '-o',
    'name',
  );
  expect(stored.stdout.trim()).toBe('application.argoproj.io/kindless');
  expect((await ask('DELETE', `${at}/kindless`, undefined)).status).toBe(200);
});

describe('server §2.8: upserts at the same time', () => {
  const colours = ['red', 'green', 'blue', 'grey', 'pink', 'teal'];
  const all = (path: string, body: (colour: string) => object) =>
    Promise.all(
      colours.map(
        async (colour) => (await ask('POST', `${path}?upsert=true&validate=false`, body(colour))).text,
      ),
    );

  test('of an application are all stored, also while its controller writes', async () => {
    const colourful = (colour: string) => {
      const { metadata, spec } = applicationOf('upserted', 'shop', repository);
      return { metadata: { ...metadata, labels: { [colour]: 'stored' } }, spec };
    };
    expect((await ask('POST', at, colourful('first'))).status).toBe(200);
    const texts = await all(at, colourful);
    expect(texts.filter((text) => text.includes('has been modified'))).toEqual([]);
    expect(Object.keys((await app('upserted')).metadata.labels ?? {}).sort()).toEqual(
      ['first', ...colours].sort(),
    );
  });

  test('of an ApplicationSet are all answered with what was stored', async () => {
    const setOf = (colour: string) => ({
      metadata: { name: 'upserted' },
      spec: {
        generators: [{ list: { elements: [{ colour }] } }],
        template: {
          metadata: { name: 'upserted-{{colour}}' },
          spec: applicationOf('x', 'shop', repository).spec,
        },
      },
    });
    expect((await ask('POST', '/api/v1/applicationsets', setOf('first'))).status).toBe(200);
    const texts = await all('/api/v1/applicationsets', setOf);
    expect(texts.map((text, at) => text.includes(`"colour":"${colours[at]}"`))).toEqual(
      colours.map(() => true),
    );
  });
});
